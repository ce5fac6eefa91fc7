// SPDX-License-Identifier: MIT
#include "tunekit/report/importance.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "tests/support/executors.hpp"
#include "tests/unit/surrogate/data.hpp"

namespace tk = tunekit;
using namespace surrogate_test;
using tk::random::philox;
using tk::surrogate::importance_of;
using tk::surrogate::random_forest;
using tk::surrogate::variance_shares;

namespace {

/// All configurations of a grid of `sizes`, and f of each.
template <class F>
table grid(const std::vector<std::size_t>& sizes, F&& f)
{
    table t{.d = sizes.size(), .x = {}, .y = {}};
    std::vector<std::size_t> at(sizes.size(), 0);
    for (;;) {
        for (const std::size_t v : at) t.x.push_back(static_cast<float>(v));
        t.y.push_back(f(at));
        std::size_t j = 0;
        while (j < at.size() && ++at[j] == sizes[j]) at[j++] = 0;
        if (j == at.size()) return t;
    }
}

random_forest::state fitted(const random_forest& model, const table& t)
{
    philox gen(1);
    auto s = model.start(t.d);
    model.fit(s, t.rows(), t.y, gen);
    return s;
}

/// One tree that is the function itself on the grid.
variance_shares exact(const table& t)
{
    return importance_of(fitted({.trees = 1, .bootstrap = false}, t), tk::surrogate::values_of(t.rows()));
}

double predicted(const random_forest::state& s, std::size_t tree, const float* x)
{
    auto n = s.node(tree, 0);
    while (!n.leaf) n = s.node(tree, x[n.feature] > n.threshold ? n.right : n.left);
    return n.value;
}

/// By the definition: the variance of the mean over all features that are not in `keep`.
double variance_kept(const table& t, const std::vector<double>& f, const std::vector<bool>& keep)
{
    double mean = 0;
    for (const double v : f) mean += v / static_cast<double>(f.size());
    double out = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        double sum = 0;
        double n = 0;
        for (std::size_t k = 0; k < f.size(); ++k) {
            bool same = true;
            for (std::size_t j = 0; j < t.d; ++j) same = same && (!keep[j] || t.row(i)[j] == t.row(k)[j]);
            if (same) sum += f[k], n += 1;
        }
        out += (sum / n - mean) * (sum / n - mean) / static_cast<double>(f.size());
    }
    return out;
}

}  // namespace

TEST_CASE("shares of a sum are the squares of its weights")
{
    // Var of 3 x0 + 2 x1 + x2 over {0, 1, 2}^3: (9 + 4 + 1) 2/3
    const auto s = exact(grid({3, 3, 3}, [](const auto& x) {
        return 3 * static_cast<double>(x[0]) + 2 * static_cast<double>(x[1]) + static_cast<double>(x[2]);
    }));
    CHECK(s.trees == 1);
    CHECK(s.variance.mean == doctest::Approx(14 * 2.0 / 3).epsilon(1e-12));
    CHECK(s.singles[0].mean == doctest::Approx(9.0 / 14).epsilon(1e-12));
    CHECK(s.singles[1].mean == doctest::Approx(4.0 / 14).epsilon(1e-12));
    CHECK(s.singles[2].mean == doctest::Approx(1.0 / 14).epsilon(1e-12));
    for (const auto& p : s.pairs) CHECK(p.share.mean < 1e-12);
    for (std::size_t v = 0; v < 3; ++v)  // 3 v + 2 + 1
        CHECK(s.marginals[0][v].mean == doctest::Approx(3 * static_cast<double>(v) + 3).epsilon(1e-12));
}

TEST_CASE("a sign that two features give together belongs to their pair alone")
{
    const auto s =
        exact(grid({2, 2, 4}, [](const auto& x) { return (x[0] == x[1] ? 1.0 : -1.0) + (x[2] == 3 ? 1e-9 : 0); }));
    CHECK(s.singles[0].mean < 1e-12);
    CHECK(s.singles[1].mean < 1e-12);
    CHECK(s.pairs[0].a == 0);
    CHECK(s.pairs[0].b == 1);
    CHECK(s.pairs[0].share.mean == doctest::Approx(1).epsilon(1e-12));
    CHECK(s.strongest_pairs(1) == std::vector{s.pairs[0]});
    CHECK(s.strongest_pairs(9).size() == 3);
}

TEST_CASE("the Ishigami function has the shares of its analytic decomposition")
{
    // sin a + 7 sin^2 b + 0.1 c^4 sin a on [-pi, pi]^3: 0.3139, 0.4424, 0, and 0.2437 for (a, c); Saltelli et al. (2008).
    constexpr std::size_t n = 20;
    const auto angle = [](std::size_t v) { return std::numbers::pi * (2 * (static_cast<double>(v) + 0.5) / n - 1); };
    const auto s = exact(grid({n, n, n}, [&](const auto& x) {
        const double a = angle(x[0]), b = angle(x[1]), c = angle(x[2]);
        return std::sin(a) + 7 * std::sin(b) * std::sin(b) + 0.1 * std::pow(c, 4) * std::sin(a);
    }));
    // Midpoints of 20 bins: the means of c^4 and c^8 are 0.4 % and 1.3 % off.
    CHECK(s.singles[0].mean == doctest::Approx(0.3139).epsilon(0.02));
    CHECK(s.singles[1].mean == doctest::Approx(0.4424).epsilon(0.02));
    CHECK(s.singles[2].mean < 1e-10);
    CHECK(s.pairs[0].share.mean < 1e-10);
    CHECK(s.pairs[1].share.mean == doctest::Approx(0.2437).epsilon(0.02));
    CHECK(s.pairs[2].share.mean < 1e-10);
    double sum = 0;
    for (const auto& p : s.singles) sum += p.mean;
    for (const auto& p : s.pairs) sum += p.share.mean;
    CHECK(sum == doctest::Approx(1).epsilon(1e-9));
}

TEST_CASE("a forest's shares are the means over its trees of the definition, values that were never seen included")
{
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const table seen = noise(seed, 40, 4, 4);
        const auto forest = fitted({.trees = 7, .min_leaf = 2}, seen);
        const table all = grid({4, 4, 5, 4}, [](const auto&) { return 0.0; });  // 4 of feature 2 was never seen
        std::vector<std::vector<float>> values(4, {0, 1, 2, 3});
        values[2].push_back(4);
        for (const double bound : {std::numeric_limits<double>::infinity(), 0.5}) {
            CAPTURE(seed);
            CAPTURE(bound);
            const auto got = importance_of(forest, values, {.at_least = 0.1, .at_most = bound});
            std::vector<double> singles(4), pairs(6), squares(4), marginal(4);
            double variance = 0;
            for (std::size_t b = 0; b < 7; ++b) {
                std::vector<double> f;
                for (std::size_t i = 0; i < all.size(); ++i)
                    f.push_back(std::clamp(predicted(forest, b, all.row(i)), 0.1, bound));
                const double whole = variance_kept(all, f, {true, true, true, true});
                variance += whole / 7;
                std::vector<double> alone(4);
                std::size_t p = 0;
                for (std::size_t i = 0; i < 4; ++i) {
                    std::vector<bool> keep(4, false);
                    keep[i] = true;
                    alone[i] = variance_kept(all, f, keep);
                    singles[i] += alone[i] / whole / 7;
                    squares[i] += alone[i] / whole * (alone[i] / whole) / 7;
                }
                for (std::size_t i = 0; i < 4; ++i)
                    for (std::size_t j = i + 1; j < 4; ++j) {
                        std::vector<bool> keep(4, false);
                        keep[i] = keep[j] = true;
                        pairs[p++] += (variance_kept(all, f, keep) - alone[i] - alone[j]) / whole / 7;
                    }
                for (std::size_t i = 0; i < all.size(); ++i)
                    if (all.row(i)[1] < 4) marginal[static_cast<std::size_t>(all.row(i)[1])] += f[i] / 80 / 7;
            }
            CHECK(got.trees == 7);
            CHECK(got.variance.mean == doctest::Approx(variance).epsilon(1e-11));
            for (std::size_t j = 0; j < 4; ++j) {
                CHECK(got.singles[j].mean == doctest::Approx(singles[j]).epsilon(1e-10));
                const double sd = std::sqrt((std::max)(0.0, squares[j] - singles[j] * singles[j]));
                CHECK(got.singles[j].sd == doctest::Approx(sd).epsilon(1e-6));
                CHECK(got.marginals[1][j].mean == doctest::Approx(marginal[j]).epsilon(1e-10));
            }
            for (std::size_t p = 0; p < 6; ++p)
                CHECK(got.pairs[p].share.mean == doctest::Approx(pairs[p]).epsilon(1e-9));
        }
    }
}

TEST_CASE("a bound turns what is slow into one value")
{
    // 10 where x0 is 3, else x1: over all x0 matters most, in the good half it still says what is slow, x1 gains.
    const table t = grid({4, 4}, [](const auto& x) { return x[0] == 3 ? 10.0 : static_cast<double>(x[1]); });
    const auto s = fitted({.trees = 1, .bootstrap = false}, t);
    const auto values = tk::surrogate::values_of(t.rows());
    const auto whole = importance_of(s, values);
    const auto good = importance_of(s, values, {.at_most = 2});
    CHECK(whole.singles[0].mean > 0.9);
    // By hand: min(f, 2) is 0, 1, 2, 2 for x0 < 3, else 2: variance 10/16 + ... as below
    const double mean = (3 * 5 + 8) / 16.0;
    const double all = (3 * (0 + 1 + 4 + 4) + 16) / 16.0 - mean * mean;
    const double of_0 = (3 * 1.25 * 1.25 + 4) / 4 - mean * mean;
    CHECK(good.variance.mean == doctest::Approx(all).epsilon(1e-12));
    CHECK(good.singles[0].mean == doctest::Approx(of_0 / all).epsilon(1e-12));
    CHECK(good.singles[1].mean > 5 * whole.singles[1].mean);
}

TEST_CASE("shares of a sample come near to those of the function, and the trees say how near")
{
    // y = sum_j w_j of data.hpp's `separable`, 600 of 6^8 configurations: its shares by direct sums.
    const table t = separable(3, 600);
    const auto got = importance_of(fitted({.trees = 60}, t), tk::surrogate::values_of(t.rows()));
    std::vector<double> known(8);
    double sum = 0;
    for (std::size_t j = 0; j < 8; ++j) {
        double first = 0, second = 0;
        for (int v = 0; v < 6; ++v) {
            const double z = v / 5.0 - static_cast<double>(3 * j % 8) / 8;
            const double term = (0.5 + static_cast<double>(5 * j % 8) / 8) * z * z;
            first += term / 6;
            second += term * term / 6;
        }
        known[j] = second - first * first;
        sum += known[j];
    }
    for (std::size_t j = 0; j < 8; ++j) {
        CAPTURE(j);
        CHECK(got.singles[j].mean == doctest::Approx(known[j] / sum).epsilon(0.5).scale(0.1));
        CHECK(got.singles[j].sd > 0);
        CHECK(got.singles[j].sd < 0.15);
    }
}

TEST_CASE("a forest of one value has no shares, and says so")
{
    const table t = grid({3, 3}, [](const auto&) { return 2.5; });
    const auto s = exact(t);
    CHECK(s.trees == 0);
    CHECK(s.variance.mean == 0);
    for (const auto& p : s.singles) CHECK(p == tk::stats::prediction{});
    CHECK(s.marginals[0][1].mean == 2.5);
}

TEST_CASE("a large mean does not swallow a small variance")
{
    const auto s = exact(
        grid({4, 4}, [](const auto& x) { return 1e9 + static_cast<double>(x[0]) + 2 * static_cast<double>(x[1]); }));
    CHECK(s.singles[0].mean == doctest::Approx(0.2).epsilon(1e-6));
    CHECK(s.singles[1].mean == doctest::Approx(0.8).epsilon(1e-6));
}

TEST_CASE("threads do not change the shares")
{
    const table t = noise(5, 80, 3, 5);
    const auto s = fitted({.trees = 8}, t);
    const auto values = tk::surrogate::values_of(t.rows());
    CHECK(importance_of(s, values, {}, support::on_threads) == importance_of(s, values));
}

TEST_CASE("what is not a grid of the forest's features is refused")
{
    const table t = grid({2, 2}, [](const auto& x) { return static_cast<double>(x[0]); });
    const auto s = fitted({.trees = 1}, t);
    const auto of = [&](const random_forest::state& state, const std::vector<std::vector<float>>& values,
                        const variance_shares::options& o = {}) { (void)importance_of(state, values, o); };
    CHECK_THROWS_AS(of(random_forest{}.start(2), {{0, 1}, {0, 1}}), std::invalid_argument);
    CHECK_THROWS_AS(of(s, {{0, 1}}), std::invalid_argument);
    CHECK_THROWS_AS(of(s, {{0, 1}, {}}), std::invalid_argument);
    CHECK_THROWS_AS(of(s, {{0, 1}, {1, 0}}), std::invalid_argument);
    CHECK_THROWS_AS(of(s, {{0, 1}, {1, 1}}), std::invalid_argument);
    CHECK_THROWS_AS(of(s, {{0, 1}, {0, std::numeric_limits<float>::quiet_NaN()}}), std::invalid_argument);
    CHECK_THROWS_AS(of(s, {{0, 1}, {0, 1}}, {.at_least = 2, .at_most = 1}), std::invalid_argument);
}
