// SPDX-License-Identifier: MIT
#include "tunekit/random/normal.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "tunekit/random/philox.hpp"

namespace tkr = tunekit::random;

namespace {

double cdf(double z) { return 0.5 * std::erfc(-z * 0.70710678118654752); }

}  // namespace

TEST_CASE("the layers of the ziggurat have equal area and close at the top")
{
    const auto& [x, f] = tkr::detail::normal_layers;
    const double area = x[0] * f[1];
    const double tail = std::sqrt(2 * 3.14159265358979324) * cdf(-x[1]);
    CHECK(x[1] * f[1] + tail == doctest::Approx(area).epsilon(1e-12));
    for (std::size_t i = 1; i < 256; ++i) {
        CHECK(x[i] * (f[i + 1] - f[i]) == doctest::Approx(area).epsilon(1e-13));
        CHECK(f[i] == doctest::Approx(std::exp(-x[i] * x[i] / 2)).epsilon(1e-14));
        CHECK(x[i] > x[i + 1]);
    }
    CHECK(x[256] == 0);
}

TEST_CASE("normal gives these values from philox(42), on every compiler and at every optimisation")
{
    tkr::philox gen(42);
    for (const double want : {0x1.beba766d773ecp+0, 0x1.ae0448a293c17p-1, 0x1.80c4c2d32b9d9p+0, 0x1.8212564986826p+0,
                              -0x1.969ec176e28a4p+0, -0x1.3d169daa46904p-1})
        CHECK(tkr::normal(gen) == want);
}

TEST_CASE("normal has the moments of N(0, 1): 10^6 draws, each p(false alarm) < 1e-7")
{
    tkr::philox gen(1);
    const int n = 1000000;
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    for (int i = 0; i < n; ++i) {
        const double x = tkr::normal(gen);
        m1 += x;
        m2 += x * x;
        m3 += x * x * x;
        m4 += x * x * x * x;
    }
    const double z = 5.4 / std::sqrt(double{n});  // 5.4 standard deviations of each mean
    CHECK(std::abs(m1 / n) < z * std::sqrt(1.0));
    CHECK(std::abs(m2 / n - 1) < z * std::sqrt(2.0));
    CHECK(std::abs(m3 / n) < z * std::sqrt(15.0));
    CHECK(std::abs(m4 / n - 3) < z * std::sqrt(96.0));
}

TEST_CASE("normal follows Phi, tails included: chi-squared of 200 cells, 10^6 draws, p(false alarm) < 1e-6")
{
    // 198 cells of width 0.04 on (-3.96, 3.96), two tails of 37 expected draws each: 199 degrees of freedom, 309 at 1e-6
    const auto statistic = [](auto gen) {
        const int n = 1000000;
        std::array<int, 200> seen{};
        for (int i = 0; i < n; ++i) {
            const double cell = std::floor((tkr::normal(gen) + 3.96) / 0.04);
            ++seen[static_cast<std::size_t>(std::clamp(cell, -1.0, 198.0) + 1)];
        }
        double out = 0;
        for (std::size_t c = 0; c < seen.size(); ++c) {
            const double left = c == 0 ? 0 : cdf(-3.96 + 0.04 * (static_cast<double>(c) - 1));
            const double right = c == 199 ? 1 : cdf(-3.96 + 0.04 * static_cast<double>(c));
            const double expected = n * (right - left);
            out += (seen[c] - expected) * (seen[c] - expected) / expected;
        }
        return out;
    };
    CHECK(statistic(tkr::philox(2)) < 309);
    CHECK(statistic(std::minstd_rand(2)) < 309);
}

TEST_CASE("normal follows Phi: Kolmogorov-Smirnov over 10^5 draws, p(false alarm) < 1e-6")
{
    tkr::philox gen(3);
    std::vector<double> x(100000);
    for (auto& v : x) v = tkr::normal(gen);
    std::sort(x.begin(), x.end());
    const auto n = static_cast<double>(x.size());
    double d = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double p = cdf(x[i]);
        d = std::max({d, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
    }
    CHECK(d * std::sqrt(n) < 2.7);  // 2 exp(-2 * 2.7^2) = 9e-7
}

TEST_CASE("the tail beyond 4 is that of the normal: 2 * 10^6 draws, p(false alarm) < 1e-6")
{
    tkr::philox gen(4);
    int beyond = 0;
    for (int i = 0; i < 2000000; ++i) beyond += std::abs(tkr::normal(gen)) > 4;
    const double expected = 2e6 * 2 * cdf(-4);  // 127
    CHECK(std::abs(beyond - expected) < 6 * std::sqrt(expected));
}
