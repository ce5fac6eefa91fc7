// SPDX-License-Identifier: MIT
#include "bench/studies/support/calibration.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

using programs::calibrated;

namespace {

/// n numbers of [0, 1), the same here and where the references were computed.
std::vector<double> numbers(std::size_t n, std::uint64_t seed)
{
    std::vector<double> out;
    for (; out.size() < n; out.push_back(static_cast<double>(seed) / 2147483648.0))
        seed = (seed * 1103515245 + 12345) % 2147483648U;
    return out;
}

struct reference {
    std::vector<double> first;  ///< of the calibrated
    double sum = 0;
};

/// `maximum` is forestci's calibration with the likelihood maximised to the end (Nelder-Mead, 1e-13), `own` as it stops by itself.
void check(const std::vector<double>& estimates, double noise, const reference& maximum, const reference& own)
{
    const auto found = calibrated(estimates, noise);
    REQUIRE(found.size() == estimates.size());
    const double largest = *std::max_element(found.begin(), found.end());
    double sum = 0;
    for (const double v : found) {
        CHECK(v >= 0);
        sum += v;
    }
    for (std::size_t i = 0; i < maximum.first.size(); ++i) {
        CHECK(std::fabs(found[i] - maximum.first[i]) < 2e-5 * largest);
        CHECK(std::fabs(found[i] - own.first[i]) < 1e-3 * largest);
    }
    CHECK(sum == doctest::Approx(maximum.sum).epsilon(2e-5));
    CHECK(sum == doctest::Approx(own.sum).epsilon(1e-3));
}

}  // namespace

// References: forestci 0.9, calibrateEB, with numpy and scipy.
TEST_CASE("calibrated variances are forestci's: a ramp with negative estimates")
{
    std::vector<double> v;
    for (int k = 0; k < 41; ++k) v.push_back((k * 37 % 41 - 8) / 10.0);
    check(v, 0.25, {{0.20704977, 2.6772429, 2.2934609, 1.9165168, 1.5446241}, 52.315817},
          {{0.20714609, 2.6772044, 2.2935454, 1.9167219, 1.5449417}, 52.324521});
}

TEST_CASE("calibrated variances are forestci's: 250 of them, interpolated between 51 quantiles")
{
    auto v = numbers(250, 7);
    for (double& x : v) x = x * x * x * 4 - 0.3;
    check(v, 0.04, {{0.4634913, 0.085968377, 0.092227438, 0.94649199, 3.6083007}, 201.75657},
          {{0.46344997, 0.085960297, 0.092218448, 0.94646323, 3.6083124}, 201.75378});
}

TEST_CASE("calibrated variances are forestci's: small ones")
{
    auto v = numbers(60, 3);
    for (double& x : v) x = 1e-4 * (x * x - 0.1);
    check(v, 1e-10, {{1.5416173e-05, 5.0627107e-06, 6.2131772e-06, 5.3986151e-06, 2.4556625e-05}, 0.0013967874},
          {{1.5419072e-05, 5.0634982e-06, 6.2142478e-06, 5.3994845e-06, 2.4560007e-05}, 0.0013968734});
}

TEST_CASE("calibration keeps the order of estimates, and what has no noise")
{
    const auto v = numbers(50, 11);
    const auto found = calibrated(v, 0.01);
    for (std::size_t i = 0; i < v.size(); ++i)
        for (std::size_t j = 0; j < v.size(); ++j)
            if (v[i] < v[j]) CHECK(found[i] < found[j]);
    CHECK(calibrated(v, 0) == v);
    CHECK(calibrated(std::vector<double>{-1, 2, -3}, 0) == std::vector<double>{0, 2, 0});
    CHECK(calibrated(std::vector<double>{0.5, 0.5, 0.5}, 1) == std::vector<double>{0.5, 0.5, 0.5});
    CHECK(calibrated(std::vector<double>{}, 1).empty());
}

TEST_CASE("calibration of negative estimates alone is positive")
{
    std::vector<double> v;
    for (int k = 0; k < 30; ++k) v.push_back(-(k % 7 + 1) / 100.0);
    for (const double x : calibrated(v, 1e-4)) {
        CHECK(x > 0);
        CHECK(x < 0.01);
    }
}

TEST_CASE("calibration refuses what is not finite")
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    const std::vector<double> v{1, 2};
    CHECK_THROWS_AS((void)calibrated(v, -1), std::invalid_argument);
    CHECK_THROWS_AS((void)calibrated(v, nan), std::invalid_argument);
    CHECK_THROWS_AS((void)calibrated(v, infinite), std::invalid_argument);
    CHECK_THROWS_AS((void)calibrated(std::vector<double>{1, nan}, 1), std::invalid_argument);
    CHECK_THROWS_AS((void)calibrated(std::vector<double>{infinite, 1}, 1), std::invalid_argument);
}
