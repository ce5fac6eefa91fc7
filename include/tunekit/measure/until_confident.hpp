// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A repetition policy that stops at a standard error of medians.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/batches.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tunekit::measure {

/// Times single runs, takes the median of every `group` of them, and stops once the standard error of the mean of these
/// medians is small against that mean.
///
///     timed{kernel, until_confident{.standard_error = 0.01}}
///
/// Interruptions lengthen a few runs by orders of magnitude. A mean follows them, and stopping rules on means stop at
/// the wrong moment. The median of five runs ignores two of them. The cost is the median of the group medians. `spread`
/// is the standard error of their mean.
///
/// Cost:   O(runs) per call.
struct until_confident {
    double standard_error = 0.01;  ///< > 0; stop at this share of the mean
    std::uint32_t group = 5;       ///< >= 1; runs per median
    std::uint32_t min_groups = 3;  ///< >= 2; stop only after this many medians
    std::uint32_t max_runs = 500;  ///< >= 1; timed runs

    void validate() const;

    /// Asks for one run at a time, so that a median can drop single disturbed ones.
    [[nodiscard]] std::uint32_t next(std::span<const double> batches) const;

    [[nodiscard]] estimate estimate_of(std::span<const double> batches) const;

    friend bool operator==(const until_confident&, const until_confident&) = default;

private:
    /// The medians of the complete groups, or of all runs if no group is complete.
    [[nodiscard]] std::vector<double> medians(std::span<const double> batches) const;
};

static_assert(repetition<until_confident>);

}  // namespace tunekit::measure

#if TUNEKIT_BODIES
namespace tunekit::measure {

TUNEKIT_INLINE void until_confident::validate() const
{
    require(max_runs >= 1, "until_confident: max_runs is 0, want >= 1");
    require(group >= 1, "until_confident: group is 0, want >= 1");
    require(min_groups >= 2, "until_confident: min_groups is below 2, want >= 2");
    require(standard_error > 0, "until_confident: standard_error is not positive, want > 0");
}

TUNEKIT_INLINE std::uint32_t until_confident::next(std::span<const double> batches) const
{
    if (batches.size() >= max_runs) return 0;
    const bool whole = !batches.empty() && batches.size() % group == 0;
    if (!whole || batches.size() / group < min_groups) return 1;
    const estimate mean = mean_of(medians(batches));
    return mean.spread <= standard_error * mean.cost ? 0 : 1;
}

TUNEKIT_INLINE estimate until_confident::estimate_of(std::span<const double> batches) const
{
    std::vector<double> groups = medians(batches);
    const double spread = mean_of(groups).spread;
    return {.cost = stats::median(std::move(groups)), .spread = spread};
}

TUNEKIT_INLINE std::vector<double> until_confident::medians(std::span<const double> batches) const
{
    const auto median = [](std::span<const double> x) { return stats::median({x.begin(), x.end()}); };
    std::vector<double> out;
    for (std::size_t k = 0; k + group <= batches.size(); k += group) out.push_back(median(batches.subspan(k, group)));
    if (out.empty()) out.push_back(median(batches));
    return out;
}

}  // namespace tunekit::measure
#endif  // TUNEKIT_BODIES
