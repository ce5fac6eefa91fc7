// SPDX-License-Identifier: MIT
#include "tunekit/stats/moments.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "tunekit/random/fill.hpp"
#include "tunekit/random/philox.hpp"

namespace tkr = tunekit::random;
namespace stats = tunekit::stats;

static_assert(std::regular<stats::running_moments>);

TEST_CASE("sum adds in eight lanes, then the lanes in pairs: these bits, on every compiler and at every optimisation")
{
    tkr::philox gen(1);
    std::vector<double> x(1003);
    tkr::fill_normal(x, gen);
    double lane[8] = {};
    for (std::size_t i = 0; i < x.size(); ++i) lane[i % 8] += x[i];
    CHECK(stats::sum(x) == ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7])));
    CHECK(stats::sum(x) == 0x1.01b45a0f1a7c6p+5);
    CHECK(stats::sum_of(x.size(), [&](std::size_t i) { return x[i]; }) == stats::sum(x));
}

TEST_CASE("sum of none is 0, of one is that one, and an infinity or a NaN stays")
{
    CHECK(stats::sum({}) == 0);
    CHECK(stats::sum(std::vector{2.5}) == 2.5);
    CHECK(std::isinf(stats::sum(std::vector{1.0, std::numeric_limits<double>::infinity()})));
    CHECK(std::isnan(stats::sum(std::vector{1.0, std::nan("")})));
}

TEST_CASE("mean, variance and variation of 2, 4, 4, 4, 5, 5, 7, 9")
{
    const std::vector<double> x{2, 4, 4, 4, 5, 5, 7, 9};
    CHECK(stats::mean(x) == 5);
    CHECK(stats::variance(x) == 4);
    CHECK(stats::sample_variance(x) == doctest::Approx(32.0 / 7));
    CHECK(stats::coefficient_of_variation(x) == doctest::Approx(0.4));
}

TEST_CASE("variation is 0 of equal values, zeros too, +inf about a mean of 0, and has no sign")
{
    CHECK(stats::coefficient_of_variation(std::vector{3.0, 3.0}) == 0);
    CHECK(stats::coefficient_of_variation(std::vector{0.0, 0.0}) == 0);
    CHECK(std::isinf(stats::coefficient_of_variation(std::vector{-1.0, 1.0})));
    CHECK(stats::coefficient_of_variation(std::vector{-1.0, -3.0}) == doctest::Approx(0.5));
}

TEST_CASE("running moments equal those of the whole, around an offset of 10^9")
{
    tkr::philox gen(2);
    std::vector<double> x(1000);
    for (auto& v : x) v = 1e9 + tkr::normal(gen);
    stats::running_moments m;
    for (const double v : x) m.add(v);
    CHECK(m.count() == 1000);
    CHECK(m.mean() == doctest::Approx(stats::mean(x)).epsilon(1e-15));
    CHECK(m.variance() == doctest::Approx(stats::variance(x)).epsilon(1e-7));
    CHECK(m.sample_variance() == doctest::Approx(stats::sample_variance(x)).epsilon(1e-7));
}

TEST_CASE("merged running moments equal those of both")
{
    tkr::philox gen(3);
    for (const int split : {0, 1, 50, 99, 100}) {
        stats::running_moments all, left, right;
        for (int i = 0; i < 100; ++i) {
            const double v = 3 + tkr::normal(gen);
            all.add(v);
            (i < split ? left : right).add(v);
        }
        left.merge(right);
        CHECK(left.count() == 100);
        CHECK(left.mean() == doctest::Approx(all.mean()).epsilon(1e-14));
        CHECK(left.variance() == doctest::Approx(all.variance()).epsilon(1e-12));
    }
    stats::running_moments none;
    none.merge({});
    CHECK(none == stats::running_moments{});
}

TEST_CASE("the variance of too few is NaN, of equal values 0")
{
    stats::running_moments m;
    CHECK(std::isnan(m.variance()));
    m.add(7);
    CHECK(m.variance() == 0);
    CHECK(std::isnan(m.sample_variance()));
    m.add(7);
    CHECK(m.sample_variance() == 0);
}
