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

/// Options for cutting a curve into segments. A jump means that the search found a new region, whose curve does not
/// depend on the one before.
///
///     const auto part = curve::last_segment(best, curve::segment_options{.jump = 0.2});
///
/// Source:     Zhang et al. (2021), DynaTune, ICLR, section 4.3 (20 % only; the rest is ours).
struct segment_options {
    double jump = 0.2;  ///< relative; a value more than this above the one before starts a segment; +inf never cuts
    std::size_t min_points = 5;  ///< a shorter last segment also gets the points before it
    std::size_t max_points =
        512;  ///< above this many points, runs of equal values keep their first and last point only

    friend bool operator==(const segment_options&, const segment_options&) = default;
};

/// The points of a segment, renumbered so that the first is 1.
struct segment {
    std::size_t first = 0;  ///< position of point 1 in the whole curve, from 0
    std::vector<double> x;  ///< n; ascending from 1
    std::vector<double> y;  ///< n
};

/// The positions (from 0) at which segments begin; leading zeros belong to no segment. Empty for a curve without a
/// value above 0.
[[nodiscard]] inline std::vector<std::size_t> segment_starts(std::span<const double> best, double jump = 0.2)
{
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < best.size(); ++i) {
        if (!(best[i] > 0)) continue;
        if (starts.empty() || (best[i - 1] > 0 && best[i] > (1 + jump) * best[i - 1])) starts.push_back(i);
    }
    return starts;
}

/// The last segment of a curve of best values, completed and thinned as the options say. Empty where no value is above 0.
/// Errors: std::invalid_argument when `jump` is negative or NaN, or a value of the curve is negative or not finite.
[[nodiscard]] inline segment last_segment(std::span<const double> best, const segment_options& options = {})
{
    require(options.jump >= 0, "segment_options: jump is negative or NaN, want >= 0");
    for (const double y : best)
        require(y >= 0 && std::isfinite(y), "last_segment: a value of the curve is negative or not finite");
    const std::vector<std::size_t> starts = segment_starts(best, options.jump);
    if (starts.empty()) return {};
    const std::size_t n = best.size(), want = (std::min)(options.min_points, n - starts.front());
    segment out{.first = (std::min)(starts.back(), n - want), .x = {}, .y = {}};
    const bool thin = n - out.first > options.max_points;
    for (std::size_t i = out.first; i < n; ++i) {
        const bool inside = i > out.first && i + 1 < n && best[i - 1] == best[i] && best[i] == best[i + 1];
        if (thin && inside) continue;
        out.x.push_back(static_cast<double>(i - out.first + 1));
        out.y.push_back(best[i]);
    }
    return out;
}

}  // namespace tunekit::curve
