// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Confidence intervals for the mean, the median or the proportion behind a sample.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/normal.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/stats/student_t.hpp"

namespace tunekit::stats {

/// An interval with two ends, both included. It is (-inf, +inf) where nothing is known.
struct interval {
    double low = -std::numeric_limits<double>::infinity();  ///< the lower end
    double high = std::numeric_limits<double>::infinity();  ///< the upper end

    /// Whether x lies in it.
    [[nodiscard]] constexpr bool contains(double x) const { return low <= x && x <= high; }

    friend bool operator==(const interval&, const interval&) = default;
};

/// Throws std::invalid_argument unless 0 < level < 1.
inline void require_level(double level)
{
    require(level > 0 && level < 1, "interval: level is not between 0 and 1, want for example 0.95");
}

/// Student's interval of the mean behind `x`; unbounded for fewer than two values, NaN to NaN where one is infinite or
/// NaN.
/// Assumes: independent values, near enough to normal. Throws std::invalid_argument on a level outside (0, 1).
[[nodiscard]] inline interval mean_interval(std::span<const double> x, double level = 0.95)
{
    require_level(level);
    if (x.size() < 2) return {};
    const auto n = static_cast<double>(x.size());
    const auto in = detail::moments_of(x);
    const double half =
        student_t_quantile(0.5 + 0.5 * level, n - 1) * std::sqrt(in.variance * (n / (n - 1)) / n) * in.unit;
    const double m = mean(x);
    return {m - half, m + half};
}

/// An interval and its probability of covering the median.
struct covering_interval {
    interval within;      ///< the interval
    double coverage = 0;  ///< its probability

    friend bool operator==(const covering_interval&, const covering_interval&) = default;
};

/// An interval for the median behind `x`, from its k-th least to its k-th greatest value. k is the largest whose
/// coverage is at least `level`, or 1 if none reaches it. The coverage is exact for any continuous distribution:
///
///     coverage = 1 - 2 sum_{i < k} C(n, i) / 2^n
///
/// so five values have a coverage of at most 0.9375, and 0.95 takes six. Without values the interval is (-inf, +inf),
/// with coverage 1; with a NaN among them all three numbers are NaN.
/// Assumes: independent values. Throws std::invalid_argument on a level outside (0, 1). Cost: O(n log n).
/// Source: Thompson (1936), On Confidence Ranges for the Median, Annals of Mathematical Statistics 7.
[[nodiscard]] inline covering_interval order_interval(std::vector<double> x, double level = 0.95)
{
    require_level(level);
    if (x.empty()) return {{}, 1};
    if (detail::has_nan(x)) {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        return {{nan, nan}, nan};
    }
    std::sort(x.begin(), x.end());
    const auto n = static_cast<double>(x.size());
    double log_term = -n * std::log(2.0);  // of C(n, i) / 2^n: the power alone may be too small for a double
    double outside = 2 * std::exp(log_term);
    std::size_t k = 1;
    for (; 2 * (k + 1) <= x.size(); ++k) {
        log_term += std::log((n - static_cast<double>(k) + 1) / static_cast<double>(k));
        const double more = outside + 2 * std::exp(log_term);
        if (1 - more < level) break;
        outside = more;
    }
    return {{x[k - 1], x[x.size() - k]}, 1 - outside};
}

/// Wilson's interval of the probability behind `hits` of `n` independent trials; [0, 1] for none.
/// Throws std::invalid_argument on a level outside (0, 1) or hits > n.
/// Source: Wilson (1927), Probable Inference, the Law of Succession, and Statistical Inference, JASA 22.
[[nodiscard]] inline interval wilson_interval(std::uint64_t hits, std::uint64_t n, double level = 0.95)
{
    require_level(level);
    require(hits <= n, "wilson_interval: more hits than trials, want hits <= n");
    if (n == 0) return {0, 1};
    const double z = normal_quantile(0.5 + 0.5 * level);
    const auto trials = static_cast<double>(n);
    const double p = static_cast<double>(hits) / trials;
    const double centre = p + z * z / (2 * trials);
    const double half = z * std::sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials));
    const double scale = 1 + z * z / trials;
    return {hits == 0 ? 0 : (centre - half) / scale, hits == n ? 1 : (centre + half) / scale};
}

}  // namespace tunekit::stats
