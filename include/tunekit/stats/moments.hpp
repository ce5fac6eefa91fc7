// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Mean, variance and variation, of what is there and of what arrives.

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tunekit/stats/sum.hpp"

namespace tunekit::stats {

/// The mean. Precondition: x is not empty.
[[nodiscard]] constexpr double mean(std::span<const double> x)
{
    assert(!x.empty());
    return sum(x) / static_cast<double>(x.size());
}

/// The mean squared deviation from the mean (divided by n). Precondition: x is not empty.
[[nodiscard]] constexpr double variance(std::span<const double> x)
{
    const double m = mean(x);
    return sum_of(x.size(), [x, m](std::size_t i) { return (x[i] - m) * (x[i] - m); }) / static_cast<double>(x.size());
}

/// The unbiased estimate of the variance behind a sample (divided by n - 1). Precondition: at least two values.
[[nodiscard]] constexpr double sample_variance(std::span<const double> x)
{
    assert(x.size() > 1);
    const auto n = static_cast<double>(x.size());
    return variance(x) * (n / (n - 1));
}

/// Standard deviation over mean, both of the values themselves (divided by n): how much timings scatter, without unit.
/// +inf where the mean is 0 and the values are not. Precondition: x is not empty.
[[nodiscard]] inline double coefficient_of_variation(std::span<const double> x)
{
    const double v = variance(x);
    if (v == 0) return 0;
    const double m = mean(x);
    return m == 0 ? std::numeric_limits<double>::infinity() : std::sqrt(v) / std::abs(m);
}

/// Count, mean and variance of values that come one by one; two of them merge into that of both.
///
///     stats::running_moments m;
///     for (double x : arriving) m.add(x);
///
/// A regular value. Source: Welford (1962), Technometrics 4; merging: Chan, Golub, LeVeque (1983), Am. Stat. 37.
struct running_moments {
    std::uint64_t count = 0;
    double mean = 0;     ///< 0 before the first value
    double squares = 0;  ///< sum of squared deviations from the mean

    constexpr void add(double x)
    {
        ++count;
        const double from_old = x - mean;
        mean += from_old / static_cast<double>(count);
        squares += from_old * (x - mean);
    }

    constexpr void merge(const running_moments& other)
    {
        if (other.count == 0) return;
        const auto n = static_cast<double>(count);
        const auto m = static_cast<double>(other.count);
        const double apart = other.mean - mean;
        count += other.count;
        mean += apart * (m / (n + m));
        squares += other.squares + apart * apart * (n * m / (n + m));
    }

    /// Divided by n; NaN before the first value.
    [[nodiscard]] constexpr double variance() const
    {
        return count == 0 ? std::numeric_limits<double>::quiet_NaN() : squares / static_cast<double>(count);
    }

    /// Divided by n - 1; NaN before the second value.
    [[nodiscard]] constexpr double sample_variance() const
    {
        return count < 2 ? std::numeric_limits<double>::quiet_NaN() : squares / static_cast<double>(count - 1);
    }

    friend bool operator==(const running_moments&, const running_moments&) = default;
};

}  // namespace tunekit::stats
