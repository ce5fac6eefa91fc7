// SPDX-License-Identifier: MIT
#include "tunekit/mcmc/ensemble.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "statistics.hpp"
#include "tests/support/executors.hpp"
#include "tunekit/mcmc/differential_evolution.hpp"
#include "tunekit/mcmc/gaussian.hpp"
#include "tunekit/mcmc/mixture.hpp"
#include "tunekit/mcmc/snooker.hpp"
#include "tunekit/random/philox.hpp"

namespace mcmc = tunekit::mcmc;
using tunekit::random::philox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct batched_normal {
    void operator()(const mcmc::points& xs, std::span<double> out) const
    {
        for (std::size_t i = 0; i < out.size(); ++i) {
            double sum = 0;
            for (std::size_t c = 0; c < xs.dimensions(); ++c) sum += xs[c][i] * xs[c][i];
            out[i] = -0.5 * sum;
        }
    }
};

static_assert(std::regular<mcmc::state> && std::regular<mcmc::chain>);
static_assert(mcmc::detail::batch_log_density<batched_normal> && !mcmc::detail::point_log_density<batched_normal>);

const mcmc::mixture mixed{
    mcmc::weighted{mcmc::stretch{}, 1.0}, mcmc::weighted{mcmc::snooker{}, 1.0},
    mcmc::weighted{mcmc::gaussian{.covariance = {1}, .mode = mcmc::gaussian::coordinates::in_turn}, 1.0}};

}  // namespace

TEST_CASE("a run continued from its state equals one longer run, bit for bit, for mixtures and thinned runs too")
{
    for (const std::size_t thin : {std::size_t{1}, std::size_t{3}}) {
        philox gen{1};
        const mcmc::ensemble sampler{mixed, {.thin_by = thin}};
        auto s = sampler.start(standard_normal, normals(3 * 9, gen), 3);
        auto t = s;
        philox other = gen;
        const auto whole = sampler.run(s, standard_normal, 60, gen);
        const auto first = sampler.run(t, standard_normal, 20, other),
                   rest = sampler.run(t, standard_normal, 40, other);
        std::vector<double> joined = first.positions;
        joined.insert(joined.end(), rest.positions.begin(), rest.positions.end());
        CHECK(whole.positions == joined);
        CHECK(s == t);
        CHECK(gen == other);
        CHECK(whole.steps == 60 * thin);
        CHECK(s.steps == 60 * thin);
        CHECK(whole.accepted[4] == first.accepted[4] + rest.accepted[4]);
    }
}

TEST_CASE("the chain is that of the rule written plainly, with logarithms, for few walkers and for many")
{
    for (const std::size_t w : {std::size_t{10}, std::size_t{21}}) {
        philox gen{12};
        const std::size_t d = 3;
        auto x = normals(w * d, gen);
        philox other = gen;
        auto s = mcmc::ensemble{mcmc::stretch{}}.start(standard_normal, x, d);
        const auto chain = mcmc::ensemble{mcmc::stretch{}}.run(s, standard_normal, 200, gen);
        const auto density = [&](const std::vector<double>& p) { return standard_normal(std::span<const double>(p)); };
        for (std::size_t t = 0; t < 200; ++t) {
            std::vector<std::uint32_t> order(w);
            std::iota(order.begin(), order.end(), 0U);
            if (w < 16) mcmc::detail::shuffle_front(order, w - w / 2, other);
            else mcmc::detail::split_pairs(order, t, other);
            for (std::size_t set = 0; set < 2; ++set) {
                const std::size_t n = set == 0 ? w - w / 2 : w / 2, mine = set == 0 ? 0 : w - w / 2,
                                  theirs = set == 0 ? n : 0;
                std::vector<std::vector<double>> q;
                std::vector<double> zs;
                for (std::size_t i = 0; i < n; ++i) {
                    const auto drawn = mcmc::detail::pick(w - n, other);
                    zs.push_back((drawn.fraction + 1) * (drawn.fraction + 1) * 0.5);
                    q.emplace_back();
                    const std::size_t k = order[mine + i], j = order[theirs + drawn.index];
                    for (std::size_t c = 0; c < d; ++c)
                        q.back().push_back(x[j * d + c] + zs.back() * (x[k * d + c] - x[j * d + c]));
                }
                for (std::size_t i = 0; i < n; ++i) {
                    const std::size_t k = order[mine + i];
                    const std::vector<double> here(&x[k * d], &x[k * d] + d);
                    const double u = 1 - tunekit::random::uniform_01(other);
                    if (std::log(u) < 2 * std::log(zs[i]) + density(q[i]) - density(here))
                        std::copy(q[i].begin(), q[i].end(), &x[k * d]);
                }
            }
            for (std::size_t k = 0; k < w; ++k)
                for (std::size_t c = 0; c < d; ++c) REQUIRE(chain.at(t, k)[c] == x[k * d + c]);
        }
        CHECK(gen == other);
    }
}

TEST_CASE("any executor gives the chain of the serial one: backwards, by threads, point by point and in chunks")
{
    const auto run = [](const auto& density, const auto& executor) {
        philox gen{2};
        const mcmc::ensemble sampler{mcmc::differential_evolution{}};
        auto s = sampler.start(density, normals(4 * (4 * sampler.chunk + 45), gen), 4);  // three chunks a set
        return sampler.run(s, density, 30, executor, gen);
    };
    const auto serial = run(standard_normal, tunekit::core::serial);
    CHECK(run(standard_normal, support::backwards) == serial);
    CHECK(run(standard_normal, support::on_threads) == serial);
    CHECK(run(batched_normal{}, tunekit::core::serial) == serial);
    CHECK(run(batched_normal{}, support::backwards) == serial);
    CHECK(run(batched_normal{}, support::on_threads) == serial);
}

TEST_CASE("a density of 0 outside a box keeps every walker inside and uniform: p(false alarm) < 1e-6")
{
    const auto box = [](std::span<const double> x) { return x[0] >= 0 && x[0] <= 1 ? 0.0 : -infinity; };
    philox gen{3};
    std::vector<double> from(32);
    for (double& x : from) x = tunekit::random::uniform_01(gen);
    from[5] = 1.2;  // one walker starts outside and must come in
    const mcmc::ensemble sampler{mcmc::stretch{}};
    auto s = sampler.start(box, from, 1);
    CHECK(s.log_prob[5] == -infinity);
    (void)sampler.run(s, box, 300, gen);
    const auto x = coordinate(sampler.run(s, box, 5000, gen), 0);
    for (const double v : x) REQUIRE((v >= 0 && v <= 1));
    CHECK(std::abs(mean(x) - 0.5) < 0.03);
    CHECK(std::abs(covariance(x, x) - 1.0 / 12) < 0.01);
}

TEST_CASE("start accepts what spans the space at any scale and offset, and refuses what does not")
{
    philox gen{4};
    const mcmc::ensemble sampler{mcmc::stretch{}};
    const auto flat = [](std::span<const double>) { return 0.0; };
    std::vector<double> x = normals(10 * 5, gen);
    CHECK_NOTHROW((void)sampler.start(flat, x, 5));
    std::vector<double> scaled = x, far = x, twin = x, constant = x;
    for (std::size_t k = 0; k < 10; ++k) {
        scaled[k * 5] *= 1e200;
        scaled[k * 5 + 1] *= 1e-200;
        far[k * 5 + 2] += 1e10;
        twin[k * 5 + 3] = 2 * twin[k * 5] - twin[k * 5 + 1];
        constant[k * 5 + 4] = 3;
    }
    CHECK_NOTHROW((void)sampler.start(flat, scaled, 5));
    CHECK_NOTHROW((void)sampler.start(flat, far, 5));
    CHECK_THROWS_AS((void)sampler.start(flat, twin, 5), std::invalid_argument);
    CHECK_THROWS_AS((void)sampler.start(flat, constant, 5), std::invalid_argument);
    CHECK_THROWS_AS((void)sampler.start(flat, std::vector<double>(50, 1.0), 5), std::invalid_argument);
    CHECK_FALSE(mcmc::linearly_independent(std::span(x).first(25), 5));
    CHECK_THROWS_WITH_AS((void)sampler.start(flat, std::vector<double>(x.begin(), x.begin() + 45), 5),
                         "tunekit: ensemble.start: 9 walkers in 5 dimensions, want >= 10 (or allow_few_walkers)",
                         std::invalid_argument);
    CHECK_NOTHROW((void)mcmc::ensemble{mcmc::stretch{}, {.allow_few_walkers = true}}.start(flat, {1, 2, 3, 4}, 2));
    CHECK_NOTHROW((void)mcmc::ensemble{mcmc::gaussian{}}.start(flat, {1, 2}, 2));  // walks alone
}

TEST_CASE("start refuses shapes and densities that cannot work")
{
    const mcmc::ensemble sampler{mcmc::stretch{}};
    CHECK_THROWS_AS((void)sampler.start(standard_normal, {}, 1), std::invalid_argument);
    CHECK_THROWS_AS((void)sampler.start(standard_normal, {1, 2, 3}, 2), std::invalid_argument);
    CHECK_THROWS_AS((void)sampler.start(standard_normal, {1, infinity}, 1), std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)sampler.start([](std::span<const double>) { return -infinity; }, {1, 2}, 1),
                         "tunekit: ensemble.start: every walker has density 0, want one inside the support",
                         std::invalid_argument);
    CHECK_THROWS_AS((void)sampler.start([](std::span<const double>) { return std::nan(""); }, {1, 2}, 1),
                    tunekit::numerical_error);
    CHECK_THROWS_AS((void)sampler.start([](std::span<const double>) { return infinity; }, {1, 2}, 1),
                    tunekit::numerical_error);
}

TEST_CASE("a density that turns NaN in the middle of a run is an error, and the state stays a state")
{
    philox gen{5};
    const auto broken = [](std::span<const double> x) { return x[0] > 1 ? std::nan("") : -0.5 * x[0] * x[0]; };
    const mcmc::ensemble sampler{mcmc::stretch{}};
    auto s = sampler.start(broken, {0.1, 0.2, -0.3, 0.4, -0.5, 0.6}, 1);
    CHECK_THROWS_AS((void)sampler.run(s, broken, 500, gen), tunekit::numerical_error);
    for (std::size_t k = 0; k < s.walkers(); ++k) CHECK(s.log_prob[k] == broken(s.walker(k)));
}

TEST_CASE("two runs joined are one longer run; runs that do not fit together are refused")
{
    for (const std::size_t thin : {1U, 3U}) {
        const mcmc::ensemble sampler{mcmc::stretch{}, {.thin_by = thin}};
        philox one{3}, two{3};
        auto s = sampler.start(standard_normal, normals(2 * 8, one), 2);
        auto t = sampler.start(standard_normal, normals(2 * 8, two), 2);
        const mcmc::chain whole = sampler.run(s, standard_normal, 20, one);
        mcmc::chain first = sampler.run(t, standard_normal, 13, two);
        const mcmc::chain then = sampler.run(t, standard_normal, 7, two);
        CHECK(mcmc::joined(first, then) == whole);
        CHECK_THROWS_AS((void)mcmc::joined(mcmc::kept(first, 4), then), std::invalid_argument);
        first.thin_by += 1;
        CHECK_THROWS_AS((void)mcmc::joined(first, then), std::invalid_argument);
        CHECK_THROWS_AS((void)mcmc::joined(mcmc::chain{}, then), std::invalid_argument);
    }
}

TEST_CASE("thinning at run time stores every third step and counts all proposals")
{
    philox gen{6}, other{6};
    const mcmc::ensemble every{mcmc::stretch{}}, third{mcmc::stretch{}, {.thin_by = 3}};
    const std::vector<double> from{0.1, 0.2, -0.3, 0.4, -0.5, 0.6};
    auto s = every.start(standard_normal, from, 1);
    auto t = s;
    const auto full = every.run(s, standard_normal, 30, gen), thin = third.run(t, standard_normal, 10, other);
    const auto kept = mcmc::kept(full, 0, 3);
    CHECK(kept.positions == thin.positions);
    CHECK(kept.accepted == thin.accepted);
    CHECK(thin.steps == 30);
    CHECK(kept.thin_by == 3);
    CHECK(mcmc::kept(full, 10, 4).size() == 5);  // steps 13, 17, ..., 29
    CHECK(mcmc::kept(full, 10, 4).at(0, 2)[0] == full.at(13, 2)[0]);
    CHECK(mcmc::kept(full, 40).size() == 0);
    CHECK_THROWS_AS((void)mcmc::kept(full, 0, 0), std::invalid_argument);
}
