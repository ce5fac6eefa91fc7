// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Ranks, and correlations between two orders.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/unit.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tunekit::stats {

/// The rank of each value, 1 for the smallest; equal values share the mean of their ranks. All are NaN where a value
/// is.
/// Cost: O(n log n).
[[nodiscard]] std::vector<double> ranks(std::span<const double> x);

/// Pearson's correlation, in [-1, 1]; NaN where a side is constant, has fewer than two values, or one that is infinite
/// or NaN. Each side may have any scale. Precondition: x.size() == y.size().
[[nodiscard]] double pearson(std::span<const double> x, std::span<const double> y);

/// Spearman's rho: Pearson's correlation of the ranks, ties included. It is NaN where `pearson` is.
[[nodiscard]] double spearman(std::span<const double> x, std::span<const double> y);

namespace detail {

inline std::uint64_t pairs(std::uint64_t n) { return n < 2 ? 0 : n * (n - 1) / 2; }

/// Sorts v[0, n) through `spare` and returns the number of inversions: pairs i < j with v[i] > v[j].
std::uint64_t sort_and_count(double* v, double* spare, std::size_t n);

}  // namespace detail

/// Kendall's tau-b: the number of concordant pairs minus that of discordant ones, over the geometric mean of the
/// numbers of pairs not tied in x and not tied in y. In [-1, 1]; NaN where a side is constant, has fewer than two
/// values, or a NaN. Precondition: x.size() == y.size().
/// Cost: O(n log n). Source: Knight (1966), A Computer Method for Calculating Kendall's Tau, JASA 61.
[[nodiscard]] double kendall_tau_b(std::span<const double> x, std::span<const double> y);

}  // namespace tunekit::stats

#if TUNEKIT_BODIES
namespace tunekit::stats {

TUNEKIT_INLINE std::vector<double> ranks(std::span<const double> x)
{
    if (detail::has_nan(x)) return std::vector<double>(x.size(), std::numeric_limits<double>::quiet_NaN());
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [x](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    std::vector<double> out(x.size());
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
        while (last < order.size() && x[order[last]] == x[order[first]]) ++last;
        const double shared = 0.5 * static_cast<double>(first + 1 + last);
        for (std::size_t i = first; i < last; ++i) out[order[i]] = shared;
    }
    return out;
}

TUNEKIT_INLINE double pearson(std::span<const double> x, std::span<const double> y)
{
    require(x.size() == y.size(), "stats: a correlation of lists of different lengths, want pairs");
    if (x.size() < 2) return std::numeric_limits<double>::quiet_NaN();
    double xx = 0, yy = 0, xy = 0;
    const auto add = [&](std::span<const double> a, std::span<const double> b) {
        const double ma = mean(a);
        const double mb = mean(b);
        xx = sum_of(a.size(), [=](std::size_t i) { return (a[i] - ma) * (a[i] - ma); });
        yy = sum_of(a.size(), [=](std::size_t i) { return (b[i] - mb) * (b[i] - mb); });
        xy = sum_of(a.size(), [=](std::size_t i) { return (a[i] - ma) * (b[i] - mb); });
    };
    add(x, y);
    const auto ordinary = [](double squares) { return squares > 1e-200 && squares < 1e200; };
    if (!ordinary(xx) || !ordinary(yy)) {  // squares that overflow or vanish, or none
        const auto divided = [](std::span<const double> from) {
            std::vector<double> out(from.begin(), from.end());
            const double unit = core::detail::unit_of(core::detail::largest_magnitude(from));
            for (double& v : out) v /= unit;
            return out;
        };
        add(divided(x), divided(y));
    }
    // The mean of equal numbers is rounded, so that their squares may be above 0.
    const auto constant = [](std::span<const double> from) {
        return std::all_of(from.begin(), from.end(), [&](double v) { return v == from[0]; });
    };
    if (!(xx > 0 && yy > 0) || constant(x) || constant(y)) return std::numeric_limits<double>::quiet_NaN();
    return std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
}

TUNEKIT_INLINE double spearman(std::span<const double> x, std::span<const double> y)
{
    return pearson(ranks(x), ranks(y));
}

TUNEKIT_INLINE double kendall_tau_b(std::span<const double> x, std::span<const double> y)
{
    require(x.size() == y.size(), "stats: a correlation of lists of different lengths, want pairs");
    if (detail::has_nan(x) || detail::has_nan(y)) return std::numeric_limits<double>::quiet_NaN();
    const std::size_t n = x.size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [=](std::size_t a, std::size_t b) { return x[a] != x[b] ? x[a] < x[b] : y[a] < y[b]; });

    // Runs of equal neighbours: of x, and of both. Then, y sorted, of y.
    std::uint64_t tied_x = 0, tied_both = 0, tied_y = 0;
    const auto run = [n](std::size_t first, auto same) {
        std::size_t last = first + 1;
        while (last < n && same(first, last)) ++last;
        return last - first;
    };
    const auto same_x = [&](std::size_t a, std::size_t b) { return x[order[a]] == x[order[b]]; };
    const auto same_both = [&](std::size_t a, std::size_t b) { return same_x(a, b) && y[order[a]] == y[order[b]]; };
    for (std::size_t i = 0, r = 0; i < n; i += r) tied_x += detail::pairs(r = run(i, same_x));
    for (std::size_t i = 0, r = 0; i < n; i += r) tied_both += detail::pairs(r = run(i, same_both));

    std::vector<double> sorted(n), spare(n);
    for (std::size_t i = 0; i < n; ++i) sorted[i] = y[order[i]];
    const std::uint64_t discordant = detail::sort_and_count(sorted.data(), spare.data(), n);
    const auto same_y = [&](std::size_t a, std::size_t b) { return sorted[a] == sorted[b]; };
    for (std::size_t i = 0, r = 0; i < n; i += r) tied_y += detail::pairs(r = run(i, same_y));

    const std::uint64_t all = detail::pairs(n);
    if (tied_x == all || tied_y == all) return std::numeric_limits<double>::quiet_NaN();
    // The pairs tied on neither side are concordant or discordant.
    const auto untied = static_cast<double>(all - tied_x - tied_y + tied_both);
    const double difference = untied - 2 * static_cast<double>(discordant);
    const double most = std::sqrt(static_cast<double>(all - tied_x)) * std::sqrt(static_cast<double>(all - tied_y));
    return std::clamp(difference / most, -1.0, 1.0);  // roots are rounded
}

}  // namespace tunekit::stats
namespace tunekit::stats::detail {

TUNEKIT_INLINE std::uint64_t sort_and_count(double* v, double* spare, std::size_t n)
{
    if (n < 2) return 0;
    const std::size_t half = n / 2;
    std::uint64_t out = sort_and_count(v, spare, half) + sort_and_count(v + half, spare, n - half);
    for (std::size_t i = 0, a = 0, b = half; i < n; ++i) {
        if (b == n || (a < half && v[a] <= v[b])) {
            spare[i] = v[a++];
        } else {
            spare[i] = v[b++];
            out += half - a;
        }
    }
    std::copy(spare, spare + n, v);
    return out;
}

}  // namespace tunekit::stats::detail
#endif  // TUNEKIT_BODIES
