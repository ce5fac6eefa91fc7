// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "tunekit/acquisition/criteria.hpp"

namespace acquisition = tunekit::acquisition;

static_assert(acquisition::criterion<acquisition::expected_improvement> && acquisition::criterion<acquisition::mean>);
static_assert(acquisition::criterion<acquisition::upper_confidence_bound>);
static_assert(acquisition::criterion<acquisition::probability_of_improvement>);
static_assert(acquisition::criterion<acquisition::log_expected_improvement>);
static_assert(std::is_aggregate_v<acquisition::expected_improvement>);
static_assert(!acquisition::criterion<int>);

TEST_CASE("expected improvement: check values, moved by best and xi alike")
{
    const acquisition::expected_improvement ei;
    CHECK(ei.value({1, 1}, 0) == doctest::Approx(1.0833154706).epsilon(1e-10));
    CHECK(ei.value({5, 1}, 6) == doctest::Approx(0.0833154706).epsilon(1e-9));
    CHECK(acquisition::expected_improvement{.xi = 1}.value({5, 1}, 5) == ei.value({5, 1}, 6));
}

TEST_CASE("expected improvement of a certain prediction is its improvement: 0, not NaN, at the best")
{
    const acquisition::expected_improvement ei;
    CHECK(ei.value({2, 0}, 2) == 0);
    CHECK(ei.value({1, 0}, 2) == 0);
    CHECK(ei.value({3, 0}, 2) == 1);
    CHECK(acquisition::expected_improvement{.xi = 0.5}.value({3, 0}, 2) == 0.5);
}

TEST_CASE("expected improvement is never negative and ties at 0 below Z = -39 only")
{
    const acquisition::expected_improvement ei;
    for (double z = -38; z < 10; z += 0.25) CHECK(ei.value({z, 1}, 0) > 0);
    CHECK(ei.value({-39, 1}, 0) == 0);
    CHECK(ei.value({-1e300, 1e-300}, 1e300) == 0);
}

TEST_CASE("log expected improvement: 12 digits where expected improvement is too small for a number")
{
    // mpmath 1.4.1 with 60 to 1200 digits: log(s) + log(npdf(z) + z ncdf(z)), z = (mean - best) / s
    struct known {
        tunekit::stats::prediction p;
        double best, value;
    };
    const known all[] = {
        {{1, 1}, 0, 0.08002621884930694},         {{0, 1}, 0, -0.91893853320467274},
        {{-1, 1}, 0, -2.4851210257126413},        {{-3, 1}, 0, -7.8696860596030285},
        {{-5.75, 1}, 0, -21.03123167337287},      {{-6, 1}, 0, -22.578879392169797},
        {{-6.25, 1}, 0, -24.186215947062835},     {{-20, 1}, 0, -206.9178385094251},
        {{-38.5, 1}, 0, -749.34727420782292},     {{-1000, 1}, 0, -500014.73445209116},
        {{-1e8, 1}, 0, -5000000000000037.8},      {{2, 0.125}, 2.5, -13.928503119230499},
        {{0.25, 1e-6}, 0.5, -31250000039.592884}, {{5, 2}, 1, 1.3905307263481736},
        {{40, 1}, 0, 3.6888794541139363},
    };
    for (const known& k : all)
        CHECK(std::abs(acquisition::log_expected_improvement{}.value(k.p, k.best) / k.value - 1) < 1e-12);
    CHECK(acquisition::log_expected_improvement{.xi = 1}.value({5, 1}, 5) ==
          acquisition::log_expected_improvement{}.value({5, 1}, 6));
}

TEST_CASE("log expected improvement is the logarithm of expected improvement, rises with mean and sd, and is never NaN")
{
    const acquisition::expected_improvement ei;
    const acquisition::log_expected_improvement lei;
    double before = -std::numeric_limits<double>::infinity();
    for (double z = -37; z < 10; z += 0.0625) {
        const double value = lei.value({z, 1}, 0);
        CHECK(value == doctest::Approx(std::log(ei.value({z, 1}, 0))).epsilon(1e-11));
        CHECK(value > before);
        if (z < 5) CHECK(value < lei.value({z, 1.001}, 0));  // above, all of the gain is certain
        before = value;
    }
    constexpr double infinite = std::numeric_limits<double>::infinity();
    CHECK(lei.value({3, 0}, 2) == 0);
    CHECK(lei.value({2, 0}, 2) == -infinite);
    CHECK(lei.value({1, 0}, 2) == -infinite);
    CHECK(lei.value({-1e300, 1e-300}, 1e300) == -infinite);
    CHECK(lei.value({1e300, 1e-300}, -1e300) == doctest::Approx(std::log(2e300)));
    CHECK(lei.value({0, 1e-320}, 0) == doctest::Approx(std::log(1e-320) - 0.9189385332046727));
}

TEST_CASE("the upper confidence bound adds kappa standard deviations; kappa = 0 is the mean")
{
    CHECK(acquisition::upper_confidence_bound{.kappa = 1.5}.value({2, 4}, 100) == 8);
    CHECK(acquisition::upper_confidence_bound{.kappa = 0}.value({2, 4}, 100) == acquisition::mean{}.value({2, 4}, 100));
}

TEST_CASE("the probability of improvement: Phi of the distance, a step where the prediction is certain")
{
    const acquisition::probability_of_improvement pi;
    CHECK(pi.value({1, 2}, 1) == 0.5);
    CHECK(pi.value({3, 2}, 1) == doctest::Approx(0.8413447460685429));
    CHECK(acquisition::probability_of_improvement{.xi = 2}.value({3, 2}, 1) == 0.5);
    CHECK(pi.value({1, 0}, 1) == 0);
    CHECK(pi.value({1.1, 0}, 1) == 1);
    CHECK(pi.value({-1e300, 1e-300}, 1) == 0);
}

TEST_CASE("criteria rank alike what only the mean tells apart")
{
    double last[4] = {-1, -1e9, -1, -1e9};
    for (double mean = -3; mean <= 3; mean += 0.1) {
        const double now[4] = {acquisition::expected_improvement{}.value({mean, 0.7}, 0.2),
                               acquisition::upper_confidence_bound{}.value({mean, 0.7}, 0.2),
                               acquisition::probability_of_improvement{}.value({mean, 0.7}, 0.2),
                               acquisition::mean{}.value({mean, 0.7}, 0.2)};
        for (int i = 0; i < 4; ++i) {
            CHECK(now[i] > last[i]);
            last[i] = now[i];
        }
    }
}
