// SPDX-License-Identifier: MIT
#include "tunekit/stats/expected_excess.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

namespace stats = tunekit::stats;
using stats::expected_excess;

TEST_CASE("expected excess: the check values of expected improvement")
{
    CHECK(expected_excess({1, 1}, 0) == doctest::Approx(1.0833154706).epsilon(1e-10));
    CHECK(expected_excess({0, 1}, 0) == doctest::Approx(0.3989422804).epsilon(1e-10));
    CHECK(expected_excess({-1, 1}, 0) == doctest::Approx(0.0833154706).epsilon(1e-9));
    CHECK(expected_excess({0.1, 0.05}, 0) == doctest::Approx(0.1004245351).epsilon(1e-9));
}

TEST_CASE("expected excess without uncertainty is the excess, and 0 at the bound")
{
    CHECK(expected_excess({3, 0}, 2) == 1);
    CHECK(expected_excess({2, 0}, 2) == 0);
    CHECK(expected_excess({1, 0}, 2) == 0);
}

TEST_CASE("expected excess keeps 11 digits down the tail: 60-digit references")
{
    const auto close = [](double got, double want) { return std::abs(got - want) <= 1e-11 * want; };
    CHECK(close(expected_excess({-5.5, 1}, 0), 3.25500686305030707e-09));
    CHECK(close(expected_excess({-6, 1}, 0), 1.56356979597096639e-10));
    CHECK(close(expected_excess({-6.5, 1}, 0), 5.91562352544253376e-12));
    CHECK(close(expected_excess({-8, 1}, 0), 7.55026241194649920e-17));
    CHECK(close(expected_excess({-10, 1}, 0), 7.47456025458932840e-25));
    CHECK(close(expected_excess({-20, 1}, 0), 1.37001249472957984e-90));
    CHECK(close(expected_excess({-37, 1}, 0), 1.54519919051220240e-301));
    CHECK(close(expected_excess({1 - 3 * 20, 3}, 1), 3 * 1.37001249472957984e-90));
    CHECK(expected_excess({-38, 1}, 0) > 0);
    CHECK(expected_excess({-39, 1}, 0) == 0);
    CHECK(expected_excess({-1e10, 1e-10}, 0) == 0);
}

TEST_CASE("expected excess is never negative nor NaN and never falls as the mean rises, over 17 decades of spread")
{
    for (const double sd : {0.0, 5e-324, 1e-8, 1.0, 1e9}) {
        double last = 0;
        for (double mean = -45; mean < 20; mean += 0.01) {
            const double e = expected_excess({mean * (sd > 1e-300 ? sd : 1), sd}, 0);
            CHECK_MESSAGE(e >= last, mean);
            last = e;
        }
    }
    const double huge = std::numeric_limits<double>::max();
    CHECK_FALSE(std::isnan(expected_excess({huge, 1}, -huge)));
    CHECK_FALSE(std::isnan(expected_excess({-huge, 5e-324}, huge)));
    CHECK_FALSE(std::isnan(expected_excess({huge, huge}, huge)));
}

TEST_CASE("expected excess grows with the spread where the mean is below the bound")
{
    double last = 0;
    for (double sd = 0.01; sd < 10; sd *= 1.1) {
        const double e = expected_excess({-1, sd}, 0);
        CHECK(e >= last);
        last = e;
    }
}

TEST_CASE("the limits of infinite and huge differences are no NaN; a negative sd is refused")
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    using tunekit::stats::expected_excess;
    CHECK(expected_excess({1, inf}, 2) == inf);
    CHECK(expected_excess({1e308, 1}, -1e308) == inf);
    CHECK(expected_excess({-1e308, 1}, 1e308) == 0);
    CHECK(expected_excess({1e308, inf}, -1e308) == inf);
    CHECK(expected_excess({-1e308, inf}, 1e308) == inf);
    CHECK_THROWS_AS((void)expected_excess({1, -1}, 2), std::invalid_argument);
    CHECK_THROWS_AS((void)expected_excess({1, std::numeric_limits<double>::quiet_NaN()}, 2), std::invalid_argument);
}
