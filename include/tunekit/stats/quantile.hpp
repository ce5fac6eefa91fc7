// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Order statistics: quantiles, the median, and the median absolute deviation.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/config.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit::stats {

namespace detail {

constexpr void check_quantile(std::size_t n, double p)
{
    if (n == 0) invalid("stats::quantile: no values, want one at least");
    if (!(p >= 0 && p <= 1)) invalid("stats::quantile: p is outside [0, 1], want a share");
}

/// What lies the share `part` of the way from a to b, a <= b: infinite beside an infinity, NaN between two of them.
[[nodiscard]] constexpr double between(double a, double b, double part)
{
    if (part == 0 || a == b) return a;
    const double apart = b - a;
    return apart - apart == 0 ? a + part * apart : (1 - part) * a + part * b;
}

/// Whether one of them is NaN, which no order has a place for.
[[nodiscard]] constexpr bool has_nan(std::span<const double> x)
{
    std::uint64_t any = 0;  // as wide as the numbers: this vectorises well
    for (const double v : x) any |= static_cast<std::uint64_t>(v != v);
    return any != 0;
}

/// What lies the share `part` of the way from the value of rank i, from 0, to the next; NaN where a value is. The
/// values are reordered.
[[nodiscard]] double selected(std::span<double> x, std::size_t i, double part);

/// `quantile` and `median` of values that are reordered.
[[nodiscard]] double quantile_in_place(std::span<double> x, double p);
[[nodiscard]] double median_in_place(std::span<double> x);

}  // namespace detail

/// The p-quantile of ascending values: linear between order statistics, position p (n - 1) from the first. Beside an
/// infinity it is that infinity; between -inf and +inf it is NaN.
/// Precondition: sorted, not empty, free of NaN; 0 <= p <= 1.
/// Source: Hyndman, Fan (1996), Sample Quantiles in Statistical Packages, Am. Stat. 50, type 7 (numpy's and R's
/// default).
[[nodiscard]] constexpr double quantile_of_sorted(std::span<const double> sorted, double p)
{
    detail::check_quantile(sorted.size(), p);
    const double position = p * static_cast<double>(sorted.size() - 1);
    const auto i = static_cast<std::size_t>(position);
    if (i + 1 >= sorted.size()) return sorted.back();
    return detail::between(sorted[i], sorted[i + 1], position - static_cast<double>(i));
}

/// The p-quantile of values in any order, type 7, as `quantile_of_sorted`; NaN where a value is NaN. Precondition: not
/// empty; 0 <= p <= 1. Cost: O(n), a copy.
[[nodiscard]] inline double quantile(std::vector<double> x, double p) { return detail::quantile_in_place(x, p); }

/// The median: the middle value, or the mean of the middle two; NaN where a value is NaN, or between -inf and +inf.
/// Precondition: not empty.
[[nodiscard]] inline double median(std::vector<double> x) { return detail::median_in_place(x); }

/// The median absolute deviation from the median, unscaled; 1.4826 times it estimates a normal's standard deviation. It
/// is NaN where a value is NaN, or the median is infinite. Precondition: not empty.
[[nodiscard]] double median_absolute_deviation(std::vector<double> x);

}  // namespace tunekit::stats

#if TUNEKIT_BODIES
namespace tunekit::stats {

TUNEKIT_INLINE double detail::selected(std::span<double> x, std::size_t i, double part)
{
    if (has_nan(x)) return std::numeric_limits<double>::quiet_NaN();
    const auto at = x.begin() + static_cast<std::ptrdiff_t>(i);
    std::nth_element(x.begin(), at, x.end());
    if (part == 0) return *at;
    return between(*at, *std::min_element(at + 1, x.end()), part);
}

TUNEKIT_INLINE double detail::quantile_in_place(std::span<double> x, double p)
{
    check_quantile(x.size(), p);
    const double position = p * static_cast<double>(x.size() - 1);
    const auto i = static_cast<std::size_t>(position);
    return selected(x, i, position - static_cast<double>(i));
}

TUNEKIT_INLINE double detail::median_in_place(std::span<double> x)
{
    check_quantile(x.size(), 0.5);
    return selected(x, (x.size() - 1) / 2, x.size() % 2 == 0 ? 0.5 : 0);  // integers take no time to convert
}

TUNEKIT_INLINE double median_absolute_deviation(std::vector<double> x)
{
    const double middle = median(x);
    for (double& v : x) v = std::abs(v - middle);
    return detail::median_in_place(x);
}

}  // namespace tunekit::stats
#endif  // TUNEKIT_BODIES
