// SPDX-License-Identifier: MIT
#include "tunekit/surrogate/gaussian_process.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tests/support/executors.hpp"
#include "tests/unit/surrogate/data.hpp"
#include "tunekit/core/archetypes.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tk = tunekit;
namespace surrogate = tk::surrogate;
using surrogate::column_distance;
using surrogate::gaussian_process;
using surrogate::process_parameters;
using surrogate_test::table;
using predictions = std::vector<tk::stats::prediction>;

static_assert(surrogate::model<gaussian_process, surrogate::features, tk::archetype::generator>);
static_assert(surrogate::model<gaussian_process, surrogate::ordinals, tk::archetype::generator>);
static_assert(surrogate::keeps_rows<gaussian_process, surrogate::features>);
static_assert(!surrogate::keeps_rows<surrogate::random_forest, surrogate::features>);

namespace {

// scikit-learn 1.9.1. `x` and `y` as below, q = rows of `asked`:
//     k = ConstantKernel(1.7) * Matern([0.5, 0.8, 1.5], nu=2.5)
//     GaussianProcessRegressor(k, alpha=1e-3, normalize_y=True, optimizer=None).fit(x, y).predict(q, return_std=True)
//     GaussianProcessRegressor(k + WhiteKernel(1e-3), alpha=0, normalize_y=True, optimizer=None).fit(x, y)
//         .log_marginal_likelihood(log([1.7, 0.5, 0.8, 1.5, 1e-3]), eval_gradient=True)
const std::vector<float> eighths{0, 3, 0, 5, 1, 3, 1, 5, 8, 3, 0, 6, 8, 7, 6, 1, 2, 8,
                                 6, 0, 3, 2, 4, 0, 4, 2, 8, 0, 6, 0, 2, 1, 3, 7, 8, 8};
const std::vector<float> asked{1, 2, 3, 8, 0, 4, 4, 4, 4, 5, 9, 1, 12, -3, 7};
const std::vector<double> sixty_fourths{9, 47, 40, 40, 10, 19, 32, 60, 36, 36, 39, 40};
const process_parameters given{.lengths = {0.5, 0.8, 1.5}, .variance = 1.7, .noise = 1e-3};
constexpr std::array<tk::stats::prediction, 5> from_sklearn{{{0.3612090777262, 0.03759525602179},
                                                             {0.1408126672379, 0.1255984107855},
                                                             {0.9502974066229, 0.08164328522762},
                                                             {1.009740663453, 0.1893022346629},
                                                             {0.2897020150349, 0.272803675861}}};
constexpr double evidence_of_sklearn = -27.8770072062;
constexpr std::array<double, 5> slopes_of_sklearn{-22.86215781503, -5.463517422878, -2.676949151571, 15.84367855837,
                                                  0.07883653829661};  // lengths, variance, noise

std::vector<float> scaled(std::vector<float> x, float by)
{
    for (float& v : x) v *= by;
    return x;
}

std::vector<double> scaled(std::vector<double> y, double by)
{
    for (double& v : y) v *= by;
    return y;
}

table smooth(std::uint64_t seed, std::size_t n, std::size_t d = 4)
{
    table t = surrogate_test::noise(seed, n, d, 0);
    for (std::size_t i = 0; i < n; ++i) {
        t.y[i] = 0;
        for (std::size_t c = 0; c < d; ++c) {
            const double z = static_cast<double>(t.row(i)[c]) - 0.3;
            t.y[i] -= static_cast<double>(c + 1) * z * z;
        }
        t.y[i] = std::sin(2 * t.y[i]);
    }
    return t;
}

gaussian_process::state fitted(const gaussian_process& m, const table& t, std::size_t n, std::uint64_t seed = 1)
{
    tk::random::philox gen(seed);
    auto s = m.start(t.d);
    m.fit(s, surrogate::features(std::span(t.x).first(n * t.d), t.d), std::span(t.y).first(n), gen);
    return s;
}

predictions predicted(const gaussian_process& m, const gaussian_process::state& s, const table& at)
{
    predictions out(at.size());
    m.predict(s, at.rows(), std::span(out));
    return out;
}

double farthest(const predictions& a, const predictions& b)
{
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        out = (std::max)({out, std::abs(a[i].mean - b[i].mean), std::abs(a[i].sd - b[i].sd)});
    return out;
}

}  // namespace

TEST_CASE("gaussian process: the predictions of scikit-learn, inside and outside of the rows")
{
    const gaussian_process m{.given = given};
    const table t{.d = 3, .x = scaled(eighths, 0.125F), .y = scaled(sixty_fourths, 1.0 / 64)};
    const table q{.d = 3, .x = scaled(asked, 0.125F), .y = std::vector<double>(5)};
    const predictions out = predicted(m, fitted(m, t, 12), q);
    for (std::size_t i = 0; i < out.size(); ++i) {
        CHECK(out[i].mean == doctest::Approx(from_sklearn[i].mean).epsilon(1e-11));
        CHECK(out[i].sd == doctest::Approx(from_sklearn[i].sd).epsilon(1e-10));
    }
    SUBCASE("in any unit of the columns and of the targets")
    {
        const table u{.d = 3, .x = eighths, .y = sixty_fourths};
        const table r{.d = 3, .x = asked, .y = std::vector<double>(5)};
        const predictions other = predicted(m, fitted(m, u, 12), r);
        for (std::size_t i = 0; i < out.size(); ++i) {
            CHECK(other[i].mean == doctest::Approx(64 * from_sklearn[i].mean).epsilon(1e-11));
            CHECK(other[i].sd == doctest::Approx(64 * from_sklearn[i].sd).epsilon(1e-10));
        }
    }
}

TEST_CASE("gaussian process: the evidence of scikit-learn and its gradient")
{
    const table t{.d = 3, .x = eighths, .y = sixty_fourths};
    const auto s = fitted({.given = given}, t, 12);
    constexpr double none = std::numeric_limits<double>::infinity();
    const std::vector<double> middle(5);  // of no prior
    const surrogate::detail::evidence of(s.points, s.targets, {0, 0, 0}, {0, 1, 2},
                                         {.length_spread = none, .variance_spread = none, .noise_spread = none},
                                         middle);
    const std::vector<double> theta{std::log(0.5), std::log(0.8), std::log(1.5), std::log(1.7), std::log(1e-3)};
    std::vector<double> gradient(5);
    CHECK(of(theta, gradient) == doctest::Approx(-evidence_of_sklearn).epsilon(1e-11));
    for (std::size_t k = 0; k < 5; ++k) CHECK(gradient[k] == doctest::Approx(-slopes_of_sklearn[k]).epsilon(1e-9));
}

TEST_CASE("gaussian process: the most probable parameters of scikit-learn")
{
    // ConstantKernel(1, b) * Matern([1, 1, 1], b, nu=2.5) + WhiteKernel(1e-3, (1e-6, 2)), b = (1e-2, 1e3), 50 restarts:
    // 7.99859352586 at lengths 1.9034546, 3.366249, 14.427287, variance 42.477146, noise 0.00057671583
    const std::vector<float> x{0, 0, 0, 7, 5, 1, 5, 1, 4, 3, 6, 0, 1, 2, 7, 8, 7, 8, 6, 3, 1, 4, 8, 5,
                               2, 4, 2, 0, 1, 1, 7, 6, 3, 5, 2, 6, 3, 7, 2, 1, 3, 0, 8, 8, 0, 6, 4, 3,
                               4, 0, 7, 2, 5, 4, 0, 2, 3, 7, 7, 4, 5, 3, 8, 3, 8, 4, 1, 4, 2, 8, 0, 2};
    const std::vector<double> y{-13, 217, 200, 384, 91,  117, 223, 459, 235, -5,  237, 196,
                                428, 130, 279, 231, 191, 267, 12,  279, 200, 450, 158, -4};
    constexpr double none = std::numeric_limits<double>::infinity();
    const surrogate::process_prior flat{.length_spread = none, .variance_spread = none, .noise_spread = none};
    const table t{.d = 3, .x = x, .y = y};
    const auto s = fitted({.prior = flat, .evaluations = 400}, t, 24);
    CHECK(s.parameters.lengths[0] == doctest::Approx(1.9034546).epsilon(1e-2));
    CHECK(s.parameters.lengths[1] == doctest::Approx(3.366249).epsilon(1e-2));
    CHECK(s.parameters.lengths[2] == doctest::Approx(14.427287).epsilon(1e-2));
    CHECK(s.parameters.variance == doctest::Approx(42.477146).epsilon(2e-2));
    CHECK(s.parameters.noise == doctest::Approx(0.00057671583).epsilon(1e-2));
    const std::vector<double> middle(5);
    const surrogate::detail::evidence of(s.points, s.targets, {0, 0, 0}, {0, 1, 2}, flat, middle);
    std::vector<double> theta, gradient(5);
    for (const double l : s.parameters.lengths) theta.push_back(std::log(l));
    theta.push_back(std::log(s.parameters.variance));
    theta.push_back(std::log(s.parameters.noise));
    CHECK(of(theta, gradient) == doctest::Approx(-7.99859352586).epsilon(1e-6));
}

TEST_CASE("gaussian process: the gradient against central differences, over strips, with names and a prior")
{
    for (const std::size_t n : {1UL, 7UL, 8UL, 9UL, 37UL, 64UL}) {
        const table t = surrogate_test::noise(n, n, 3, 4);
        auto s =
            fitted({.columns = {column_distance::difference, column_distance::overlap, column_distance::difference},
                    .given = given},
                   t, n);
        if (n == 1) s.targets = {0.7};  // one target less its mean says nothing
        const std::vector<double> middle{-0.2, 0.5, 0.1, 0, std::log(1e-3)};
        const surrogate::detail::evidence of(s.points, s.targets, {0, 1, 0}, {0, 1, 2},
                                             {.length_spread = 0.7, .noise_spread = 1.5}, middle);
        const std::vector<double> theta{-0.5, 0.1, 0.2, 0.3, -4};
        std::vector<double> gradient(5), unused(5);
        (void)of(theta, gradient);
        for (std::size_t k = 0; k < 5; ++k) {
            std::vector<double> above = theta, below = theta;
            above[k] += 1e-4;
            below[k] -= 1e-4;
            const double slope = (of(above, unused) - of(below, unused)) / 2e-4;
            CHECK(gradient[k] == doctest::Approx(slope).epsilon(1e-6).scale(1));
        }
    }
}

TEST_CASE("gaussian process: rows added one by one, or some at a time, are rows learnt at once")
{
    const table t = smooth(3, 150), q = smooth(4, 100);
    const gaussian_process m{.given = process_parameters{.lengths = {0.4, 0.6, 0.8, 1}, .variance = 1.5, .noise = 1e-5},
                             .growth = 1e9};
    tk::random::philox gen(1);
    for (const std::size_t step : {1UL, 3UL, 8UL, 20UL}) {
        auto s = fitted(m, t, 40);
        const auto key = s.key;
        for (std::size_t n = 40; n < 150;) {
            n = (std::min)(n + step, std::size_t{150});
            m.fit(s, surrogate::features(std::span(t.x).first(n * 4), 4), std::span(t.y).first(n), gen);
        }
        CHECK(s.key == key);  // nothing was factored again
        // The coordinates are those of the first forty rows' ranges, so the same rows are learnt anew with these ranges.
        auto whole = s;
        whole.factor_rows();
        whole.whiten_targets(t.y);
        CHECK(farthest(predicted(m, s, q), predicted(m, whole, q)) < 1e-10);
    }
}

TEST_CASE("gaussian process: targets may all change while rows are added")
{
    const table t = smooth(5, 60);
    const gaussian_process m{.given = process_parameters{.lengths = {0.4, 0.6, 0.8, 1}, .noise = 1e-4}, .growth = 1e9};
    auto s = fitted(m, t, 50);
    table capped = t;
    for (double& v : capped.y) v = (std::max)(v, -0.2);
    tk::random::philox gen(1);
    m.fit(s, capped.rows(), capped.y, gen);
    auto anew = s;
    anew.set_targets(capped.y);
    anew.factor_rows();
    anew.whiten_targets(capped.y);
    CHECK(farthest(predicted(m, s, t), predicted(m, anew, t)) < 1e-10);
    SUBCASE("and other rows than before are learnt from nothing")
    {
        const table other = smooth(6, 30);
        auto after = s;
        m.fit(after, other.rows(), other.y, gen);
        CHECK(after.size() == 30);
        CHECK(farthest(predicted(m, after, t), predicted(m, fitted(m, other, 30), t)) == 0);
    }
}

TEST_CASE("gaussian process: the order of rows, the unit of a column and that of the targets do not matter")
{
    const table t = smooth(7, 60), q = smooth(8, 50);
    const gaussian_process m{};
    const predictions before = predicted(m, fitted(m, t, 60), q);
    std::vector<std::size_t> order(60);
    std::iota(order.begin(), order.end(), std::size_t{0});
    tk::random::philox gen(9);
    tk::random::shuffle(order, gen);
    table shuffled{.d = 4, .x = {}, .y = {}};
    for (const std::size_t i : order) {
        shuffled.x.insert(shuffled.x.end(), t.row(i), t.row(i) + 4);
        shuffled.y.push_back(t.y[i]);
    }
    CHECK(farthest(predicted(m, fitted(m, shuffled, 60), q), before) < 1e-6);
    // Powers of two: the floats are exact.
    table r = q, u = t;
    for (table* some : {&r, &u})
        for (std::size_t k = 1; k < some->x.size(); k += 4) some->x[k] *= 1024;
    for (double& v : u.y) v = 256 * v - 1000;
    predictions after = predicted(m, fitted(m, u, 60), r);
    for (auto& p : after) p = {(p.mean + 1000) / 256, p.sd / 256};
    CHECK(farthest(after, before) < 1e-6);
}

TEST_CASE("gaussian process: it learns a smooth surface, and its intervals hold the truth")
{
    const table t = smooth(11, 120), q = smooth(12, 400);
    const gaussian_process m{};
    const predictions out = predicted(m, fitted(m, t, 120), q);
    double error = 0, spread = 0, middle = 0;
    for (const double v : q.y) middle += v / 400;
    std::size_t inside = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        error += (out[i].mean - q.y[i]) * (out[i].mean - q.y[i]);
        spread += (q.y[i] - middle) * (q.y[i] - middle);
        if (std::abs(out[i].mean - q.y[i]) <= 2 * out[i].sd) ++inside;
    }
    CHECK(1 - error / spread > 0.8);  // a wave of up to three periods over four columns
    CHECK(inside >= 320);             // of 400
}

TEST_CASE("gaussian process: a column that means nothing gets a long length, one that means much a short one")
{
    table t = surrogate_test::noise(13, 100, 2, 0);
    for (std::size_t i = 0; i < t.size(); ++i) t.y[i] = std::sin(6 * static_cast<double>(t.row(i)[0]));
    const auto s = fitted({}, t, 100);
    CHECK(s.parameters.lengths[1] > 5 * s.parameters.lengths[0]);
}

TEST_CASE("gaussian process: names are as far from each other as from any other, and may be renamed")
{
    table t = surrogate_test::noise(14, 60, 2, 5);
    const std::vector<double> worth{3, -1, 4, 1, -5};
    for (std::size_t i = 0; i < t.size(); ++i)
        t.y[i] = worth[static_cast<std::size_t>(t.row(i)[0])] + static_cast<double>(t.row(i)[1]);
    table renamed = t;
    for (std::size_t k = 0; k < renamed.x.size(); k += 2)
        renamed.x[k] = std::array{40.0F, 2.0F, -3.0F, 17.0F, 0.0F}[static_cast<std::size_t>(t.x[k])];
    const gaussian_process m{.columns = {column_distance::overlap, column_distance::difference}};
    CHECK(farthest(predicted(m, fitted(m, t, 40), t), predicted(m, fitted(m, renamed, 40), renamed)) == 0);
    // Two rows that differ in one name alone, far from all others: the covariance by hand.
    const table two{.d = 2, .x = {1, 0, 3, 0, 1, 1}, .y = {0, 1, 2}};
    const auto s =
        fitted({.columns = m.columns, .given = process_parameters{.lengths = {2, 1}, .variance = 3}}, two, 3);
    double k[8];
    s.covariance(s.points, 0, 1, s.points.of(0), k);
    const double a = std::sqrt(5.0) / 2;
    CHECK(k[0] == doctest::Approx(3));
    CHECK(k[1] == doctest::Approx(3 * (1 + a + a * a / 3) * std::exp(-a)).epsilon(1e-14));
}

TEST_CASE("gaussian process: where none of the rows that it keeps has a target any more, it keeps others")
{
    const table t = surrogate_test::noise(35, 40, 2, 4);
    const gaussian_process m{.evaluations = 5, .max_rows = 8};
    tk::random::philox gen(1);
    auto s = m.start(2);
    m.fit(s, t.rows(), t.y, gen);
    const tk::core::plain_vector<std::size_t> kept = s.taken;
    m.fit(s, t.rows(), t.y, kept, gen);
    CHECK(std::isfinite(s.mean));
    CHECK(s.taken != kept);
}

TEST_CASE("gaussian process: covariances of many points are those of each, to the bit")
{
    const auto s =
        fitted({.distance = column_distance::both, .evaluations = 5}, surrogate_test::noise(33, 21, 3, 4), 21);
    std::vector<double> all(21 * 8), slopes(21 * 8);
    for (const std::size_t first : {0UL, 1UL, 7UL}) {
        s.covariance(s.points, first, 21, s.points.of(1), all.data(), slopes.data());
        for (std::size_t i = first; i < 21; ++i) {
            double one[8], slope[8];
            s.covariance(s.points, i, i + 1, s.points.of(1), one, slope);
            CHECK(std::equal(one, one + 8, all.data() + (i - first) * 8));
            CHECK(std::equal(slope, slope + 8, slopes.data() + (i - first) * 8));
        }
    }
}

TEST_CASE("gaussian process: a column with both distances is the column twice, once as a number and once as a name")
{
    const table t = surrogate_test::noise(31, 60, 2, 5), q = surrogate_test::noise(32, 40, 2, 5);
    const auto twice = [](const table& of) {
        table out{.d = 4, .x = {}, .y = of.y};
        for (std::size_t i = 0; i < of.size(); ++i)
            for (const int c : {0, 1, 0, 1}) out.x.push_back(of.row(i)[c]);
        return out;
    };
    const process_parameters lengths{.lengths = {0.4, 0.7, 1.5, 2.5}, .variance = 1.3, .noise = 1e-2};
    const gaussian_process both{.distance = column_distance::both, .given = lengths};
    const gaussian_process apart{.columns = {column_distance::difference, column_distance::difference,
                                             column_distance::overlap, column_distance::overlap},
                                 .given = lengths};
    CHECK(farthest(predicted(both, fitted(both, t, 60), q), predicted(apart, fitted(apart, twice(t), 60), twice(q))) ==
          0);
    const gaussian_process few{.distance = column_distance::both, .given = given};
    CHECK_THROWS_AS((void)few.start(3), std::invalid_argument);
}

TEST_CASE("gaussian process: the prior's middle grows with the columns that differ, and overlaps have their own")
{
    table t = surrogate_test::noise(33, 30, 3, 4);
    t.y.assign(30, 1);  // equal targets: the parameters are the prior's middle
    for (std::size_t k = 1; k < t.x.size(); k += 3) t.x[k] = 7;
    const auto s = fitted({.distance = column_distance::both, .prior = {.length = 0.25, .overlap_length = 3}}, t, 30);
    REQUIRE(s.parameters.lengths.size() == 6);
    for (std::size_t k = 0; k < 6; ++k)
        CHECK(s.parameters.lengths[k] == doctest::Approx((k < 3 ? 0.25 : 3) * std::sqrt(2.0)));
}

// The oracle believes one after the other: it predicts a row from all before it, and takes the prediction for its target.
TEST_CASE("gaussian process: rows without a target move no mean and lower the sd as their predictions would")
{
    const table t = smooth(34, 60), q = smooth(35, 50);
    const std::vector<std::size_t> open{50, 20, 51, 57, 58, 59};
    const gaussian_process m{.given =
                                 process_parameters{.lengths = {0.4, 0.6, 0.8, 1}, .variance = 1.5, .noise = 1e-3}};
    table known{.d = 4, .x = {}, .y = {}}, believed;
    for (std::size_t i = 0; i < 60; ++i) {
        if (std::find(open.begin(), open.end(), i) != open.end()) continue;
        known.x.insert(known.x.end(), t.row(i), t.row(i) + 4);
        known.y.push_back(t.y[i]);
    }
    believed = known;
    tk::random::philox gen(1);
    auto s = m.start(4);
    table unread = t;
    for (const std::size_t i : open) unread.y[i] = std::numeric_limits<double>::quiet_NaN();
    m.fit(s, t.rows(), unread.y, open, gen);
    auto oracle = fitted(m, known, known.size());
    oracle.coordinates = s.coordinates;  // the ranges of the columns are those of all rows
    const auto relearn = [&](const table& of) {
        oracle.seen.assign(of.x);
        oracle.taken.resize(of.size());
        std::iota(oracle.taken.begin(), oracle.taken.end(), std::size_t{0});
        const double mean = oracle.mean, sd = oracle.sd;
        oracle.set_targets(of.y);
        oracle.mean = mean;  // beliefs change neither mean nor sd of the targets
        oracle.sd = sd;
        oracle.factor_rows();
        oracle.whiten_targets(of.y);
    };
    relearn(known);
    const predictions before = predicted(m, oracle, q);
    for (std::size_t i = 0; i < 60; ++i) {
        if (std::find(open.begin(), open.end(), i) == open.end()) continue;
        const table row{.d = 4, .x = std::vector<float>(t.row(i), t.row(i) + 4), .y = {0}};
        believed.y.push_back(predicted(m, oracle, row)[0].mean);
        believed.x.insert(believed.x.end(), row.x.begin(), row.x.end());
        relearn(believed);
    }
    const predictions after = predicted(m, oracle, q);
    for (std::size_t k = 0; k < after.size(); ++k)
        CHECK(after[k].mean == doctest::Approx(before[k].mean).epsilon(1e-8));
    const predictions out = predicted(m, s, q);
    // A row among the others (20) is believed to be what those before it say. So compare where all that are open come last.
    const std::vector<std::size_t> last{54, 55, 56, 57, 58, 59};
    table ordered = known;
    ordered.x = believed.x;
    ordered.y.resize(60, std::numeric_limits<double>::quiet_NaN());
    auto latest = m.start(4);
    m.fit(latest, ordered.rows(), ordered.y, last, gen);
    CHECK(farthest(predicted(m, latest, q), after) < 1e-9);
    for (std::size_t k = 0; k < out.size(); ++k) CHECK(out[k].sd == doctest::Approx(after[k].sd).epsilon(1e-8));
    SUBCASE("and an answer replaces the belief, in kept rows too")
    {
        auto kept = m.keep(q.rows());
        predictions from_kept(50);
        m.predict(latest, kept, std::span(from_kept));
        const auto key = latest.key;
        ordered.y[56] = 0.25;
        ordered.y[54] = -0.5;
        const std::vector<std::size_t> rest{55, 57, 58, 59};
        m.fit(latest, ordered.rows(), ordered.y, rest, gen);
        CHECK(latest.key == key);
        m.predict(latest, kept, std::span(from_kept));
        auto anew = m.start(4);
        m.fit(anew, ordered.rows(), ordered.y, rest, gen);
        CHECK(farthest(from_kept, predicted(m, anew, q)) < 1e-10);
    }
    SUBCASE("no row has a target, or a position is beyond the rows")
    {
        const auto good = s;
        std::vector<std::size_t> all(60);
        std::iota(all.begin(), all.end(), std::size_t{0});
        CHECK_THROWS_AS(m.fit(s, t.rows(), t.y, all, gen), std::invalid_argument);
        const std::vector<std::size_t> beyond{60};
        CHECK_THROWS_AS(m.fit(s, t.rows(), t.y, beyond, gen), std::invalid_argument);
        CHECK(s == good);
    }
}

TEST_CASE("gaussian process: rows that repeat, equal targets, one row")
{
    tk::random::philox gen(1);
    const gaussian_process m{};
    SUBCASE("repeats agree on their mean")
    {
        table t{.d = 1, .x = {}, .y = {}};
        for (int i = 0; i < 40; ++i) {
            t.x.push_back(static_cast<float>(i % 4));
            t.y.push_back(static_cast<double>(i % 4) + (i % 8 < 4 ? 0.25 : -0.25));
        }
        const predictions out = predicted(m, fitted(m, t, 40), t);
        for (std::size_t i = 0; i < 40; ++i) CHECK(std::abs(out[i].mean - static_cast<double>(i % 4)) < 0.2);
    }
    SUBCASE("the same row forty times")
    {
        const table t{.d = 2, .x = std::vector<float>(80, 3.0F), .y = std::vector<double>(40, 7.0)};
        for (const auto& p : predicted(m, fitted(m, t, 40), t)) {
            CHECK(p.mean == 7);
            CHECK(p.sd >= 0);
            CHECK(p.sd < 0.1);
        }
    }
    SUBCASE("equal targets")
    {
        table t = surrogate_test::noise(2, 30, 3, 0);
        t.y.assign(30, -2.5);
        for (const auto& p : predicted(m, fitted(m, t, 30), t)) CHECK(p.mean == -2.5);
    }
    SUBCASE("one row")
    {
        const table t{.d = 2, .x = {1, 2}, .y = {5}}, q{.d = 2, .x = {1, 2, 100, -50}, .y = {0, 0}};
        const predictions out = predicted(m, fitted(m, t, 1), q);
        CHECK(out[0].mean == 5);
        CHECK(out[1].mean == 5);
        CHECK(out[0].sd < 0.1);
        CHECK(out[1].sd > 0.5);
    }
    SUBCASE("a column that changes only later")
    {
        table t = surrogate_test::noise(3, 20, 2, 0);
        for (std::size_t i = 0; i < 10; ++i) t.x[2 * i] = 4;
        auto s = fitted(m, t, 10);
        m.fit(s, t.rows(), t.y, gen);
        for (const auto& p : predicted(m, s, t)) CHECK(std::isfinite(p.mean + p.sd));
    }
}

TEST_CASE("gaussian process: of too many rows the best and the latest stay")
{
    const table t = smooth(15, 100);
    const gaussian_process m{.growth = 0.5, .max_rows = 40};
    tk::random::philox gen(1);
    auto s = m.start(4);
    for (std::size_t n = 5; n <= 100; ++n) {
        m.fit(s, surrogate::features(std::span(t.x).first(n * 4), 4), std::span(t.y).first(n), gen);
        CHECK(s.size() == s.factor.size);
        CHECK(s.size() <= 40);
        CHECK(s.taken.back() == n - 1);
        if (n > 40) {
            const auto best = static_cast<std::size_t>(
                std::max_element(t.y.begin(), t.y.begin() + static_cast<std::ptrdiff_t>(n)) - t.y.begin());
            CHECK(std::find(s.taken.begin(), s.taken.end(), best) != s.taken.end());
        }
    }
}

TEST_CASE("gaussian process: equal states, data and generators give equal states; a state can be forked")
{
    const table t = smooth(16, 80);
    const gaussian_process m{.evidence_rows = 30};
    const auto a = fitted(m, t, 80, 5), b = fitted(m, t, 80, 5);
    CHECK(a == b);
    CHECK(a.fitted());
    CHECK_FALSE(m.start(4).fitted());
    CHECK_FALSE(a == fitted(m, t, 80, 6));  // another sample for the evidence
    const table q = smooth(17, 130);
    predictions backwards(130);
    const auto run = [](std::size_t n, auto&& f) {
        for (std::size_t k = n; k-- > 0;) f(k);
    };
    m.predict(a, q.rows(), std::span(backwards), run);
    CHECK(backwards == predicted(m, b, q));
}

TEST_CASE("gaussian process: any executor predicts as the serial one, threads too")
{
    const table t = smooth(91, 60), at = smooth(92, 500);  // eight blocks of rows, the last one smaller
    const gaussian_process model;
    const auto s = fitted(model, t, 60);
    const predictions serial = predicted(model, s, at);
    const auto by = [&](const auto& executor) {
        predictions out(at.size());
        model.predict(s, at.rows(), std::span(out), executor);
        return out;
    };
    CHECK(by(support::backwards) == serial);
    CHECK(by(support::on_threads) == serial);
}

TEST_CASE("kept rows: it predicts as predict does, through added rows, other targets and new parameters")
{
    const table t = smooth(20, 120), q = smooth(21, 77);
    const gaussian_process m{};
    tk::random::philox gen(1);
    auto s = m.start(4);
    auto kept = m.keep(q.rows());
    CHECK(kept.size() == 77);
    const std::vector<std::uint32_t> some{3, 70, 5, 5, 76};
    std::size_t parameters = 0;
    for (std::size_t n = 10; n <= 120; n += n % 3 == 0 ? 1UL : 5UL) {
        std::vector<double> y(t.y.begin(), t.y.begin() + static_cast<std::ptrdiff_t>(n));
        if (n > 60)  // before that the means of kept rows only grow by what is new
            for (double& v : y) v *= static_cast<double>(n);
        const auto key = s.key;
        m.fit(s, surrogate::features(std::span(t.x).first(n * 4), 4), y, gen);
        if (s.key != key) ++parameters;
        auto part = kept.only(some);  // before all of them have caught up
        predictions from_kept(77), from_part(5);
        m.predict(s, kept, std::span(from_kept));
        m.predict(s, part, std::span(from_part));
        const predictions direct = predicted(m, s, q);
        CHECK(from_kept == direct);
        for (std::size_t k = 0; k < 5; ++k) CHECK(from_part[k] == direct[some[k]]);
    }
    CHECK(parameters > 5);
    predictions few(3);
    CHECK_THROWS_AS(m.predict(s, kept, std::span(few)), std::invalid_argument);
    CHECK_THROWS_AS(m.predict(m.start(4), kept, std::span(few)), std::invalid_argument);
}

TEST_CASE("gaussian process: ordinals are the floats of the same value")
{
    const table t = surrogate_test::noise(18, 50, 3, 7);
    const std::vector<std::uint16_t> x(t.x.begin(), t.x.end());
    const gaussian_process m{};
    tk::random::philox gen(1);
    auto s = m.start(3);
    m.fit(s, surrogate::ordinals(x, 3), t.y, gen);
    CHECK(s == fitted(m, t, 50));
    predictions out(50);
    m.predict(s, surrogate::ordinals(x, 3), std::span(out));
    CHECK(out == predicted(m, s, t));
}

TEST_CASE("gaussian process: what start and fit refuse, the state as it was")
{
    CHECK_THROWS_WITH_AS((void)gaussian_process{}.start(0), "tunekit: gaussian_process.start: 0 features, want >= 1",
                         std::invalid_argument);
    CHECK_THROWS_AS((void)gaussian_process{.columns = {column_distance::overlap}}.start(2), std::invalid_argument);
    CHECK_THROWS_AS((void)gaussian_process{.growth = 0}.start(2), std::invalid_argument);
    CHECK_THROWS_AS((void)gaussian_process{.evidence_rows = 1}.start(2), std::invalid_argument);
    CHECK_THROWS_AS((void)gaussian_process{.evaluations = 0}.start(2), std::invalid_argument);
    CHECK_THROWS_AS((void)gaussian_process{.max_rows = 7}.start(2), std::invalid_argument);
    CHECK_THROWS_AS((void)gaussian_process{.prior = {.noise = 0}}.start(2), std::invalid_argument);
    const process_parameters one{.lengths = {1}}, negative{.lengths = {1, -1}}, silent{.lengths = {1, 1}, .noise = 0};
    for (const auto& bad : {one, negative, silent})
        CHECK_THROWS_AS((void)gaussian_process{.given = bad}.start(2), std::invalid_argument);
    const gaussian_process m{};
    const table t = smooth(19, 10);
    const auto good = fitted(m, t, 10);
    auto s = good;
    tk::random::philox gen(1);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto refuses = [&](const std::vector<float>& x, std::size_t d, const std::vector<double>& y) {
        CHECK_THROWS_AS(m.fit(s, surrogate::features(x, d), y, gen), std::invalid_argument);
        CHECK(s == good);
    };
    refuses({}, 4, {});
    refuses({1, 2, 3}, 3, {1});
    refuses({1, 2, 3, 4}, 4, {1, 2});
    refuses({1, 2, 3, 4}, 4, {nan});
    refuses({1, 2, 3, 4}, 4, {-std::numeric_limits<double>::infinity()});
    refuses({1, 2, 3, std::numeric_limits<float>::infinity()}, 4, {1});
    refuses({1, 2, 3, 4, 5, 6, 7, 8}, 4, {-1.7e308, 1.7e308});
    predictions out(1);
    CHECK_THROWS_AS(m.predict(m.start(4), t.rows(), std::span(out)), std::invalid_argument);
    CHECK_THROWS_AS(m.predict(s, t.rows(), std::span(out)), std::invalid_argument);
}
