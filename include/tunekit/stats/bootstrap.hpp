// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Bootstrap intervals: resample the data and compute the statistic again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tunekit::stats {

/// Options of the bootstrap. An aggregate: name what you change.
struct bootstrap {
    double level = 0.95;             ///< in (0, 1): share of the resamples inside
    std::uint32_t resamples = 2000;  ///< >= 1
};

/// The percentile bootstrap interval of any statistic of n independent items. `statistic(rows)` gets n positions in [0,
/// n), drawn with replacement, and returns a number.
///
///     const auto ratio = [&](std::span<const std::uint32_t> rows) { return mean_at(runs, rows); };
///     const stats::interval i = stats::bootstrap_interval(runs.size(), ratio, {}, gen);
///
/// Errors:     the interval is (-inf, +inf) where n is 0, and NaN to NaN where the statistic is NaN once;
///             std::invalid_argument for a level outside (0, 1) or no resamples.
/// Randomness: one `bits` of `gen`, the key of one Philox stream per resample.
/// Cost:       `resamples` calls of the statistic.
/// Source:     Efron, Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.
template <class Statistic, generator G>
[[nodiscard]] interval bootstrap_interval(std::size_t n, Statistic&& statistic, const bootstrap& how, G& gen)
{
    require_level(how.level);
    require(how.resamples > 0, "bootstrap: resamples is 0, want >= 1");
    require(n <= 0xffffffffU, "bootstrap_interval: more than 2^32 - 1 items");
    if (n == 0) return {};
    const std::uint64_t key = random::bits(gen);
    std::vector<std::uint32_t> rows(n);
    std::vector<double> values(how.resamples);
    for (std::uint32_t r = 0; r < how.resamples; ++r) {
        auto stream = random::stream(key, 0, r);
        for (auto& row : rows) row = static_cast<std::uint32_t>(random::uniform_index(n, stream));
        values[r] = statistic(std::span<const std::uint32_t>(rows));
    }
    if (detail::has_nan(values)) {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        return {nan, nan};
    }
    std::sort(values.begin(), values.end());
    return {quantile_of_sorted(values, 0.5 - 0.5 * how.level), quantile_of_sorted(values, 0.5 + 0.5 * how.level)};
}

/// The percentile bootstrap interval of the median behind `x`. It equals `bootstrap_interval`, in O(n) per resample. It
/// lies between the least and the greatest of the n values, so its probability of covering the median is at most 1 - 2
/// / 2^n. It is NaN to NaN where a value is NaN, or a resample's median lies between -inf and +inf.
template <generator G>
[[nodiscard]] interval median_interval(std::vector<double> x, const bootstrap& how, G& gen)
{
    if (detail::has_nan(x)) x.assign(x.size(), std::numeric_limits<double>::quiet_NaN());
    std::sort(x.begin(), x.end());  // then the median of a resample is a rank among the positions drawn
    std::vector<std::uint32_t> times(x.size());
    const auto resampled_median = [&](std::span<const std::uint32_t> rows) {
        std::fill(times.begin(), times.end(), 0U);
        for (const std::uint32_t row : rows) ++times[row];
        const std::size_t lower = (rows.size() - 1) / 2;
        const std::size_t upper = rows.size() / 2;
        std::size_t i = 0;
        std::size_t below = times[0];
        while (below <= lower) below += times[++i];
        const double low = x[i];
        while (below <= upper) below += times[++i];
        return detail::between(low, x[i], 0.5);
    };
    return bootstrap_interval(x.size(), resampled_median, how, gen);
}

}  // namespace tunekit::stats
