// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "statistics.hpp"
#include "tunekit/mcmc/diagnostics.hpp"
#include "tunekit/mcmc/differential_evolution.hpp"
#include "tunekit/mcmc/ensemble.hpp"
#include "tunekit/mcmc/gaussian.hpp"
#include "tunekit/mcmc/kde.hpp"
#include "tunekit/mcmc/mixture.hpp"
#include "tunekit/mcmc/snooker.hpp"
#include "tunekit/mcmc/walk.hpp"
#include "tunekit/random/philox.hpp"

namespace mcmc = tunekit::mcmc;
using tunekit::random::philox;

static_assert(mcmc::move<mcmc::stretch, philox> && mcmc::move<mcmc::walk, philox> && mcmc::move<mcmc::kde, philox>);
static_assert(mcmc::move<mcmc::differential_evolution, philox> && mcmc::move<mcmc::snooker, philox> &&
              mcmc::move<mcmc::gaussian, philox>);
static_assert(mcmc::detail::mixes_moves<mcmc::mixture<mcmc::stretch, mcmc::walk>> &&
              !mcmc::detail::mixes_moves<mcmc::stretch>);

namespace {

/// 32 walkers in D dimensions from N(0, 1); the bounds are 5 or more standard errors of the slowest move (tau <= 130).
template <class Move>
void check_normal(const Move& move, std::size_t d, std::size_t steps, std::uint64_t seed)
{
    CAPTURE(d);
    philox gen{seed};
    const mcmc::ensemble sampler{move};
    auto s = sampler.start(standard_normal, normals(32 * d, gen), d);
    const mcmc::chain chain = sampler.run(s, standard_normal, steps, gen);
    for (std::size_t c = 0; c < d; ++c) {
        const auto x = coordinate(chain, c);
        CHECK(std::abs(mean(x)) < 0.1);
        CHECK(std::abs(std::sqrt(covariance(x, x)) - 1) < 0.07);
        if (d == 1) CHECK(kolmogorov_smirnov(x, normal_cdf) < 0.05);
    }
    for (const double share : mcmc::acceptance(chain)) {
        CHECK(share > 0.1);
        CHECK(share < 0.99);
    }
}

template <class Move>
void check_all_divisions(Move move, std::uint64_t seed)
{
    for (const std::size_t sets : {move.divided.sets, std::size_t{5}})
        for (const bool shuffled : {true, false}) {
            CAPTURE(sets);
            CAPTURE(shuffled);
            move.divided = {.sets = sets, .shuffled = shuffled};
            check_normal(move, 3, 6000, seed++);
        }
    move.divided = Move{}.divided;
    check_normal(move, 1, 4000, seed);
}

}  // namespace

TEST_CASE("stretch leaves the standard normal as it is, p(false alarm) < 1e-6")
{
    check_all_divisions(mcmc::stretch{}, 10);
}
TEST_CASE("walk leaves the standard normal as it is, p(false alarm) < 1e-6")
{
    check_all_divisions(mcmc::walk{.helpers = 3}, 20);
}
TEST_CASE("walk with all helpers leaves the standard normal as it is, p(false alarm) < 1e-6")
{
    check_normal(mcmc::walk{}, 3, 4000, 30);
}
TEST_CASE("differential evolution leaves the standard normal as it is, p(false alarm) < 1e-6")
{
    check_all_divisions(mcmc::differential_evolution{}, 40);
}
TEST_CASE("snooker leaves the standard normal as it is, p(false alarm) < 1e-6")
{
    check_all_divisions(mcmc::snooker{}, 50);
}
TEST_CASE("kde leaves the standard normal as it is, p(false alarm) < 1e-6")
{
    check_normal(mcmc::kde{}, 3, 1500, 60);
    check_normal(mcmc::kde{{.sets = 5}}, 1, 1500, 61);
}
TEST_CASE("gaussian leaves the standard normal as it is in every mode, p(false alarm) < 1e-6")
{
    check_normal(mcmc::gaussian{}, 3, 6000, 70);
    check_normal(mcmc::gaussian{.covariance = {2}, .factor = 2}, 1, 4000, 71);
    check_normal(mcmc::gaussian{.covariance = {1, .5, 0, .5, 1, .5, 0, .5, 1}}, 3, 8000, 72);
    check_normal(mcmc::gaussian{.covariance = {2, 3, 4}, .mode = mcmc::gaussian::coordinates::random}, 3, 8000, 73);
    check_normal(mcmc::gaussian{.covariance = {2}, .mode = mcmc::gaussian::coordinates::in_turn}, 3, 8000, 74);
}
TEST_CASE("a mixture leaves the standard normal as it is, p(false alarm) < 1e-6")
{
    check_normal(
        mcmc::mixture{mcmc::weighted{mcmc::differential_evolution{}, 0.8}, mcmc::weighted{mcmc::snooker{}, 0.2}}, 3,
        6000, 80);
}

TEST_CASE("a mixture draws its moves by weight: 100 000 steps, 6 standard errors")
{
    philox gen{81};
    const mcmc::mixture mixed{mcmc::weighted{mcmc::stretch{}, 3}, mcmc::weighted{mcmc::snooker{}, 1},
                              mcmc::weighted{mcmc::walk{}, 4}};
    int by_sets = 0, walks = 0;
    for (int i = 0; i < 100000; ++i)
        mixed.pick(gen, [&](const auto& one) {
            by_sets += one.divide().sets == 4;
            if constexpr (requires { one.helpers; }) ++walks;
        });
    CHECK(std::abs(by_sets - 12500) < 6 * std::sqrt(100000 * 0.125 * 0.875));
    CHECK(std::abs(walks - 50000) < 6 * std::sqrt(100000 * 0.25));
}

TEST_CASE("the test of normality fails where it must: walkers from a normal are not uniform")
{
    philox gen{90};
    const mcmc::ensemble sampler{mcmc::stretch{}};
    auto s = sampler.start(standard_normal, normals(32, gen), 1);
    const auto chain = sampler.run(s, standard_normal, 2000, gen);
    CHECK(kolmogorov_smirnov(coordinate(chain, 0), [](double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }) > 0.1);
}

TEST_CASE(
    "stretch, walk and differential evolution commute with affine maps: the chain of the image is the image of the "
    "chain")
{
    // x -> A x + b, with A = ((3, 1), (-1, 2)); the density of the image looks back through the inverse
    const auto image = [](std::span<const double> x) { return std::vector{3 * x[0] + x[1] + 10, 2 * x[1] - x[0] - 7}; };
    const auto density = [](std::span<const double> y) {
        const double u = y[0] - 10, v = y[1] + 7, det = 7;
        return standard_normal(std::vector{(2 * u - v) / det, (3 * v + u) / det});
    };
    const auto check = [&](const auto& move) {
        philox gen{91};
        const std::vector<double> from = normals(2 * 12, gen);
        std::vector<double> there;
        for (std::size_t k = 0; k < 12; ++k)
            for (const double x : image(std::span(from).subspan(2 * k, 2))) there.push_back(x);
        philox other = gen;
        const mcmc::ensemble sampler{move};
        auto s = sampler.start(standard_normal, from, 2);
        auto t = sampler.start(density, there, 2);
        const auto a = sampler.run(s, standard_normal, 40, gen), b = sampler.run(t, density, 40, other);
        double worst = 0;
        for (std::size_t i = 0; i < a.samples(); ++i)
            for (std::size_t c = 0; c < 2; ++c)
                worst = (std::max)(worst, std::abs(image(a.sample(i))[c] - b.sample(i)[c]));
        CHECK(worst < 1e-7);  // rounding errors grow tenfold every dozen steps
        CHECK(a.accepted == b.accepted);
    };
    check(mcmc::stretch{});
    check(mcmc::walk{.helpers = 3});
    check(mcmc::differential_evolution{});
}

TEST_CASE("stretch finds a correlation of 0.999 that an isotropic random walk does not, in equally many steps")
{
    const auto narrow = [](std::span<const double> x) {
        return -0.5 * (x[0] * x[0] - 2 * 0.999 * x[0] * x[1] + x[1] * x[1]) / (1 - 0.999 * 0.999);
    };
    const auto error = [&](const auto& move) {
        philox gen{92};
        const mcmc::ensemble sampler{move};
        auto s = sampler.start(narrow, normals(2 * 32, gen), 2);
        (void)sampler.run(s, narrow, 500, gen);
        const auto chain = sampler.run(s, narrow, 6000, gen);
        const auto x = coordinate(chain, 0), y = coordinate(chain, 1);
        double worst = (std::max)(std::abs(mean(x)), std::abs(mean(y)));
        for (const auto& [got, want] :
             {std::pair(covariance(x, x), 1.0), {covariance(y, y), 1.0}, {covariance(x, y), 0.999}})
            worst = (std::max)(worst, std::abs(got - want));
        return worst;
    };
    CHECK(error(mcmc::stretch{}) < 0.05);
    CHECK(error(mcmc::gaussian{.covariance = {0.0004}}) > 0.1);
}

TEST_CASE("moves refuse parameters that make no sense")
{
    CHECK_THROWS_WITH_AS((mcmc::stretch{.scale = 1}.check(1)),
                         "tunekit: stretch: scale is not above 1, want a finite number > 1", std::invalid_argument);
    CHECK_THROWS_AS((mcmc::walk{.helpers = 1}.check(1)), std::invalid_argument);
    CHECK_THROWS_AS((mcmc::snooker{.divided = {.sets = 3}}.check(1)), std::invalid_argument);
    CHECK_THROWS_AS((mcmc::differential_evolution{.sd = -1}.check(1)), std::invalid_argument);
    CHECK_THROWS_AS((mcmc::gaussian{.covariance = {1, 2}}.check(3)), std::invalid_argument);
    CHECK_THROWS_AS((mcmc::gaussian{.covariance = {-1}}.check(3)), std::invalid_argument);
    CHECK_THROWS_AS((mcmc::mixture{mcmc::weighted{mcmc::stretch{}, 0}}.check(1)), std::invalid_argument);
}
