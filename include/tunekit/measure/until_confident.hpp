// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Repetition that stops at a standard error, on medians.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/repetition.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tunekit::measure {

/// Times single runs, takes the median of every `group` of them, and stops once the standard error of these medians is
/// small against their mean.
///
///     timed{kernel, until_confident{.standard_error = 0.01}}
///
/// Interruptions lengthen a few runs by orders of magnitude. A mean follows them, and stopping rules on means stop at
/// the wrong moment; the median of five runs ignores two of them. The cost is the median of the group medians, `spread`
/// the standard error of their mean.
///
/// Errors: `runs`, `group` at least 1, `min_groups` at least 2, `standard_error` positive.
/// Cost:   O(runs) per call.
struct until_confident {
    double standard_error = 0.01;  ///< stop at this share of the mean
    std::uint32_t group = 5;       ///< runs per median
    std::uint32_t min_groups = 3;  ///< not before so many medians
    std::uint32_t runs = 500;      ///< at most so many timed runs

    void validate() const
    {
        require(runs >= 1, "until_confident: runs is 0, want >= 1");
        require(group >= 1, "until_confident: group is 0, want >= 1");
        require(min_groups >= 2, "until_confident: min_groups is below 2, want >= 2");
        require(standard_error > 0, "until_confident: standard_error is not positive, want > 0");
    }

    /// One run at a time, so that a median can drop single disturbed ones.
    [[nodiscard]] std::uint32_t next(std::span<const double> batches) const
    {
        if (batches.size() >= runs) return 0;
        const bool whole = !batches.empty() && batches.size() % group == 0;
        if (!whole || batches.size() / group < min_groups) return 1;
        const estimate mean = detail::mean_of(medians(batches));
        return mean.spread <= standard_error * mean.cost ? 0 : 1;
    }

    [[nodiscard]] estimate estimate_of(std::span<const double> batches) const
    {
        std::vector<double> of = medians(batches);
        const double spread = detail::mean_of(of).spread;
        return {stats::median(std::move(of)), spread};
    }

    friend bool operator==(const until_confident&, const until_confident&) = default;

private:
    /// The medians of whole groups; of what there is where not even one is whole.
    [[nodiscard]] std::vector<double> medians(std::span<const double> batches) const
    {
        const auto median = [](std::span<const double> x) { return stats::median({x.begin(), x.end()}); };
        std::vector<double> of;
        for (std::size_t from = 0; from + group <= batches.size(); from += group)
            of.push_back(median(batches.subspan(from, group)));
        if (of.empty()) of.push_back(median(batches));
        return of;
    }
};

}  // namespace tunekit::measure
