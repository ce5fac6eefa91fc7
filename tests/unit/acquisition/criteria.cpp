// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <type_traits>

#include "tunekit/acquisition/criteria.hpp"

namespace acquisition = tunekit::acquisition;

static_assert(acquisition::criterion<acquisition::expected_improvement> && acquisition::criterion<acquisition::mean>);
static_assert(acquisition::criterion<acquisition::upper_confidence_bound>);
static_assert(acquisition::criterion<acquisition::probability_of_improvement>);
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
