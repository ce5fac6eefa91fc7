// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The last segment of a tuning curve, which its future resembles.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"

namespace tunekit::curve {

/// The points of a segment, renumbered so that the first is 1.
struct segment {
    static constexpr std::size_t min_points = 5;  ///< a shorter last segment also gets the points before it
    static constexpr std::size_t max_points =
        512;  ///< above, runs of equal values keep their first and last point only

    std::size_t first = 0;  ///< position of point 1 in the whole curve, from 0
    std::vector<double> x;  ///< n; ascending from 1
    std::vector<double> y;  ///< n
};

namespace detail {

/// The positions (from 0) at which segments begin; leading zeros belong to no segment. Empty for a curve without a
/// value above 0.
[[nodiscard]] inline std::vector<std::size_t> segment_starts(std::span<const double> best, double jump)
{
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < best.size(); ++i) {
        if (!(best[i] > 0)) continue;
        if (starts.empty() || (best[i - 1] > 0 && best[i] > (1 + jump) * best[i - 1])) starts.push_back(i);
    }
    return starts;
}

}  // namespace detail

/// The last segment of a curve of best values, completed and thinned. A value more than `jump` (relative) above the one
/// before starts a segment, because the search then found a new region, whose curve does not depend on the one before;
/// +inf never cuts. Empty where no value is above 0.
///
///     const auto part = curve::last_segment(best, 0.2);
///
/// Errors: std::invalid_argument when `jump` is negative or NaN, or a value of the curve is negative, not finite or
///         beyond 1e100.
/// Source: Zhang et al. (2021), DynaTune, ICLR, section 4.3 (20 % only; the rest is ours).
[[nodiscard]] inline segment last_segment(std::span<const double> best, double jump = 0.2)
{
    require(jump >= 0, "last_segment: jump is negative or NaN, want >= 0");
    for (const double y : best) {
        require(y >= 0 && std::isfinite(y), "last_segment: a value of the curve is negative or not finite");
        require(y <= 1e100, "last_segment: a value of the curve is beyond 1e100, want another unit");
    }
    const std::vector<std::size_t> starts = detail::segment_starts(best, jump);
    if (starts.empty()) return {};
    const std::size_t n = best.size(), want = (std::min)(segment::min_points, n - starts.front());
    segment out{.first = (std::min)(starts.back(), n - want), .x = {}, .y = {}};
    const bool thin = n - out.first > segment::max_points;
    for (std::size_t i = out.first; i < n; ++i) {
        const bool inside = i > out.first && i + 1 < n && best[i - 1] == best[i] && best[i] == best[i + 1];
        if (thin && inside) continue;
        out.x.push_back(static_cast<double>(i - out.first + 1));
        out.y.push_back(best[i]);
    }
    return out;
}

}  // namespace tunekit::curve
