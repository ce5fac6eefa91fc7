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

// betainc of mpmath at 40 digits.
TEST_CASE("t quantiles are good to 1e-13 for any degrees of freedom")
{
    struct known {
        double df, p, t;
    };
    for (const known& k : {
             known{0.5, 0.4, 0.397975426784790689}, {0.5, 0.1, 10.2703244102345061},
             {0.5, 0.025, 164.557673480488533},     {0.5, 0.0001, 10284911.5631633855},
             {1.5, 0.4, 0.300745392569795423},      {1.5, 0.1, 2.19639841756553737},
             {1.5, 0.025, 6.01666310442793192},     {1.5, 0.0001, 242.264098846506297},
             {3, 0.4, 0.276670662332689911},        {3, 0.1, 1.63774435369621011},
             {3, 0.025, 3.18244630528370959},       {3, 0.0001, 22.2037422732041829},
             {30, 0.4, 0.255605364951912772},       {30, 0.1, 1.31041502539139558},
             {30, 0.025, 2.04227245630123831},      {30, 0.0001, 4.23398595727202112},
             {1000, 0.4, 0.253414515839498765},     {1000, 0.1, 1.28239872146092444},
             {1000, 0.025, 1.96233908082640848},    {1000, 0.0001, 3.73285160457536811},
             {1e4, 0.4, 0.253353843445726852},      {1e4, 0.1, 1.28163622973047754},
             {1e4, 0.025, 1.96020123989062626},     {1e4, 0.0001, 3.72039586911764023},
             {1e6, 0.4, 0.253347170537841679},      {1e6, 0.1, 1.28155241212993848},
             {1e6, 0.025, 1.95996635681410704},     {1e6, 0.0001, 3.7190302747625434},
             {1e9, 0.4, 0.25334710320320183},       {1e9, 0.1, 1.28155156639118523},
             {1e9, 0.025, 1.95996398691232547},     {1e9, 0.0001, 3.71901649924494173},
         }) {
        CAPTURE(k.df);
        CAPTURE(k.p);
        CHECK(std::abs(stats::student_t_quantile(k.p, k.df) / -k.t - 1) < 1e-13);
    }
}
