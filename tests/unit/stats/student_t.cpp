// SPDX-License-Identifier: MIT
#include "tunekit/stats/student_t.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

#include "tunekit/stats/normal.hpp"

namespace stats = tunekit::stats;

TEST_CASE("t quantiles: tables and closed forms")
{
    CHECK(stats::student_t_quantile(0.975, 1) == doctest::Approx(12.706204736174698).epsilon(1e-13));
    CHECK(stats::student_t_quantile(0.975, 4) == doctest::Approx(2.7764451051977987).epsilon(1e-13));
    CHECK(stats::student_t_quantile(0.95, 10) == doctest::Approx(1.812461122811676).epsilon(1e-13));
    CHECK(stats::student_t_quantile(0.995, 30) == doctest::Approx(2.7499956535672253).epsilon(1e-13));
    CHECK(stats::student_t_quantile(0.975, 1000) == doctest::Approx(1.9623390808264078).epsilon(1e-13));
    for (const double p : {1e-9, 0.001, 0.2, 0.49, 0.7, 0.9999}) {
        CHECK(
            stats::student_t_quantile(p, 1) ==
            doctest::Approx((p < 0.5 ? -1 : 1) / std::tan(3.14159265358979324 * (p < 0.5 ? p : 1 - p))).epsilon(1e-12));
        CHECK(stats::student_t_quantile(p, 2) ==
              doctest::Approx((2 * p - 1) / std::sqrt(2 * p * (1 - p))).epsilon(1e-12));
        CHECK(stats::student_t_quantile(p, 1e9) == doctest::Approx(stats::normal_quantile(p)).epsilon(1e-6));
    }
    CHECK(stats::student_t_quantile(0.5, 3) == 0);
}

TEST_CASE("t distribution and quantile undo each other, whole degrees of freedom or not")
{
    for (const double df : {0.5, 1.0, 2.5, 7.0, 40.0, 1e4}) {
        for (const double p : {1e-6, 0.03, 0.4, 0.6, 0.97}) {
            CHECK(std::abs(stats::student_t_cdf(stats::student_t_quantile(p, df), df) - p) < 1e-11 * p);
        }
    }
    CHECK(stats::student_t_cdf(0, 3) == 0.5);
    CHECK(stats::student_t_cdf(HUGE_VAL, 3) == 1);
    CHECK(stats::student_t_cdf(-HUGE_VAL, 3) == 0);
}
