// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The forecast of a curve that cannot be fitted.

#include <algorithm>
#include <cstddef>
#include <span>

#include "tunekit/curve/concepts.hpp"
#include "tunekit/stats/expected_excess.hpp"

namespace tunekit::curve::detail {

/// 1 / last - 1 / then, for then >= last > 0: infinite where it is too large for a double, never NaN.
[[nodiscard]] inline double saving(double last, double then)
{
    return last > 1e-300 ? 1 / last - 1 / then : (then - last) / then / last;
}

/// Mean = last (1 + g), sd = 0.05 last, where g is half the mean relative growth over the last 3 stretches of horizon -
/// n trials.
/// Precondition: best.back() > 0 and horizon > n, as `belief` has checked them.
[[nodiscard]] inline forecast growth_forecast(std::span<const double> best, double horizon)
{
    const std::size_t n = best.size();
    const double last = best.back(), ahead = horizon - static_cast<double>(n);
    double growth = 0, slots = 0;
    for (int i = 0; i < 3; ++i) {
        const double end = static_cast<double>(n) - i * ahead, begin = end - ahead;
        if (begin < 1) break;
        const double before = best[static_cast<std::size_t>(begin) - 1];
        if (!(before > 0)) break;
        growth += best[static_cast<std::size_t>(end) - 1] / before - 1;
        slots += 1;
    }
    const double g = slots > 0 ? 0.5 * growth / slots : 0;
    forecast out{.last = last, .mean = last * (1 + g), .sd = 0.05 * last, .basis = basis::fallback};
    out.expected_improvement = stats::expected_excess({out.mean, out.sd}, last);
    out.expected_saving = saving(last, last + out.expected_improvement);
    const double half = 1.6448536269514722 * out.sd;  // of a normal, cut where the curve cannot be
    out.low = (std::max)(last, out.mean - half);
    out.high = out.mean + half;
    return out;
}

}  // namespace tunekit::curve::detail
