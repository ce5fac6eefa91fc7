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

#include "tunekit/core/detail/unit.hpp"
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

namespace detail {

/// The sum over n of `x`, exponent 54 less: fewer than 2^54 numbers do not overflow on the way.
[[nodiscard]] constexpr double small_sum(std::span<const double> x, double n)
{
    return sum_of(x.size(), [x](std::size_t i) { return x[i] * 0x1p-54; }) / n;
}

}  // namespace detail

/// The sum of `x`, in the order of `sum_of`. It is infinite only where the sum of all is too large for a double, or a
/// value is infinite; NaN where a value is, or two infinities differ in sign.
[[nodiscard]] constexpr double sum(std::span<const double> x)
{
    const double s = sum_of(x.size(), [x](std::size_t i) { return x[i]; });
    return s - s == 0 ? s : detail::small_sum(x, 1) * 0x1p54;
}

/// The mean; infinite or NaN only as `sum` is for infinities and NaN. Precondition: x is not empty.
[[nodiscard]] constexpr double mean(std::span<const double> x)
{
    if (x.empty()) invalid("stats::mean: no values, want one at least");
    const auto n = static_cast<double>(x.size());
    const double s = sum_of(x.size(), [x](std::size_t i) { return x[i]; });
    return s - s == 0 ? s / n : detail::small_sum(x, n) * 0x1p54;
}

namespace detail {

/// Mean and variance of values divided by `unit`, a power of two.
struct moments {
    double unit, mean, variance;
};

/// The moments of `x`, in a unit in which they are numbers: 1 unless squares overflow or vanish. Equal values have a
/// variance of 0, though their mean is rounded.
[[nodiscard]] constexpr moments moments_of(std::span<const double> x)
{
    const auto n = static_cast<double>(x.size());
    const double m = mean(x);
    std::size_t same = 1;
    while (same < x.size() && x[same] == x[0]) ++same;
    if (same == x.size() && m - m == 0) return {1, m, 0};
    const double v = sum_of(x.size(), [x, m](std::size_t i) { return (x[i] - m) * (x[i] - m); }) / n;
    const double unit = v > 1e-280 && v < 1e280 ? 1 : core::detail::unit_of(core::detail::largest_magnitude(x));
    if (unit == 1) return {1, m, v};
    const double scaled = sum_of(x.size(), [=](std::size_t i) { return x[i] / unit; }) / n;
    const auto squared = [=](std::size_t i) { return (x[i] / unit - scaled) * (x[i] / unit - scaled); };
    return {unit, scaled, sum_of(x.size(), squared) / n};
}

}  // namespace detail

/// The mean squared deviation from the mean (divided by n): 0 where all values are equal, NaN where one is infinite or
/// NaN. Precondition: x is not empty.
[[nodiscard]] constexpr double variance(std::span<const double> x)
{
    const detail::moments m = detail::moments_of(x);
    return m.variance * m.unit * m.unit;
}

/// The unbiased estimate of the variance behind a sample (divided by n - 1); 0 and NaN as `variance`. Precondition: at
/// least two values.
[[nodiscard]] constexpr double sample_variance(std::span<const double> x)
{
    if (x.size() < 2) invalid("stats::sample_variance: fewer than two values, want two at least");
    const auto n = static_cast<double>(x.size());
    return variance(x) * (n / (n - 1));
}

/// The relative scatter of timings: standard deviation over mean, the variance divided by n. It is +inf where the mean
/// is 0 and the values are not, 0 where all values are equal, and NaN where one is infinite or NaN. Any scale will do.
/// Precondition: x is not empty.
[[nodiscard]] inline double coefficient_of_variation(std::span<const double> x)
{
    const auto [unit, m, v] = detail::moments_of(x);
    if (v == 0) return 0;
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
        const auto n = static_cast<double>(count_);
        if (from_old - from_old == 0) mean_ += from_old / n;
        else mean_ = mean_ * ((n - 1) / n) + x / n;  // the difference is no double, the mean is
        squares_ += from_old * (x - mean_);
    }

    /// Adds all values of another one.
    constexpr void merge(const running_moments& other)
    {
        if (other.count_ == 0) return;
        if (count_ == 0) return void(*this = other);
        const auto n = static_cast<double>(count_);
        const auto m = static_cast<double>(other.count_);
        const double apart = other.mean_ - mean_;
        count_ += other.count_;
        if (apart - apart == 0) mean_ += apart * (m / (n + m));
        else mean_ = mean_ * (n / (n + m)) + other.mean_ * (m / (n + m));
        squares_ += other.squares_ + apart * apart * (n * m / (n + m));
    }

    /// The number of values.
    [[nodiscard]] constexpr std::uint64_t count() const noexcept { return count_; }

    /// The mean; 0 before the first value, infinite or NaN where a value was.
    [[nodiscard]] constexpr double mean() const noexcept { return mean_; }

    /// The variance, divided by n; NaN before the first value, and where one was infinite or NaN. It is +inf or 0
    /// where squares of deviations are beyond 1e308 or below 1e-308.
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
