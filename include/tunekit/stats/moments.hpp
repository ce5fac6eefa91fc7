// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Sums in one fixed order, and the moments that rest on them, of a list of values and of values that arrive one by
/// one.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tunekit/core/error.hpp"

namespace tunekit::stats {

/// The sum term(0) + ... + term(n - 1) over eight lanes: the same bits on every compiler, at every optimisation level
/// and vector width. Term i goes to lane i mod 8. At the end lanes are added in pairs.
///
///     const double squares = stats::sum_of(x.size(), [&](std::size_t i) { return x[i] * x[i]; });
///
/// `term` is called once for each i, ascending. An empty sum is 0.
/// Cost: where `term` is a plain expression, as fast as the machine adds vectors. Rounding errors are an eighth of a
/// loop's.
template <class Term>
[[nodiscard]] constexpr double sum_of(std::size_t n, Term&& term)
{
    std::array<double, 8> lane{};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (std::size_t l = 0; l < 8; ++l) lane[l] += term(i + l);
    }
    for (std::size_t l = 0; i + l < n; ++l) lane[l] += term(i + l);
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// The sum of `x`, in the order of `sum_of`.
[[nodiscard]] constexpr double sum(std::span<const double> x)
{
    return sum_of(x.size(), [x](std::size_t i) { return x[i]; });
}

/// The mean. Precondition: x is not empty.
[[nodiscard]] constexpr double mean(std::span<const double> x)
{
    if (x.empty()) invalid("stats::mean: no values, want one at least");
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
    if (x.size() < 2) invalid("stats::sample_variance: fewer than two values, want two at least");
    const auto n = static_cast<double>(x.size());
    return variance(x) * (n / (n - 1));
}

/// The relative scatter of timings: standard deviation over mean, the variance divided by n. It is +inf where the mean
/// is 0 and the values are not. Precondition: x is not empty.
[[nodiscard]] inline double coefficient_of_variation(std::span<const double> x)
{
    const double v = variance(x);
    if (v == 0) return 0;
    const double m = mean(x);
    return m == 0 ? std::numeric_limits<double>::infinity() : std::sqrt(v) / std::abs(m);
}

/// Count, mean and variance of values that come one by one. Two such objects merge into one for all their values.
///
///     stats::running_moments m;
///     for (double x : arriving) m.add(x);
///     m.mean();
///
/// A regular value. Source: Welford (1962), Technometrics 4; merging: Chan, Golub, LeVeque (1983), Am. Stat. 37.
class running_moments {
public:
    /// Adds a value.
    constexpr void add(double x)
    {
        ++count_;
        const double from_old = x - mean_;
        mean_ += from_old / static_cast<double>(count_);
        squares_ += from_old * (x - mean_);
    }

    /// Adds all values of another one.
    constexpr void merge(const running_moments& other)
    {
        if (other.count_ == 0) return;
        const auto n = static_cast<double>(count_);
        const auto m = static_cast<double>(other.count_);
        const double apart = other.mean_ - mean_;
        count_ += other.count_;
        mean_ += apart * (m / (n + m));
        squares_ += other.squares_ + apart * apart * (n * m / (n + m));
    }

    /// The number of values.
    [[nodiscard]] constexpr std::uint64_t count() const noexcept { return count_; }

    /// The mean; 0 before the first value.
    [[nodiscard]] constexpr double mean() const noexcept { return mean_; }

    /// The variance, divided by n; NaN before the first value.
    [[nodiscard]] constexpr double variance() const
    {
        return count_ == 0 ? std::numeric_limits<double>::quiet_NaN() : squares_ / static_cast<double>(count_);
    }

    /// The unbiased variance, divided by n - 1; NaN before the second value.
    [[nodiscard]] constexpr double sample_variance() const
    {
        return count_ < 2 ? std::numeric_limits<double>::quiet_NaN() : squares_ / static_cast<double>(count_ - 1);
    }

    friend bool operator==(const running_moments&, const running_moments&) = default;

private:
    std::uint64_t count_ = 0;
    double mean_ = 0;
    double squares_ = 0;  // sum of squared deviations from the mean
};

}  // namespace tunekit::stats
