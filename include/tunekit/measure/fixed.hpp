// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A repetition policy with a fixed number of runs.

#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/batches.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit::measure {

/// Always makes the same number of runs. The cost is the mean over the runs.
///
///     constexpr fixed policy{.runs = 30, .batch = 3};
struct fixed {
    std::uint32_t runs = 100;  ///< >= 1; timed runs in all
    std::uint32_t batch = 10;  ///< >= 1; runs that are timed together

    void validate() const
    {
        require(runs >= 1, "fixed: runs is 0, want >= 1");
        require(batch >= 1, "fixed: batch is 0, want >= 1");
    }

    [[nodiscard]] std::uint32_t next(std::span<const double> batches) const noexcept
    {
        return detail::next_batch(runs, batch, batches.size());
    }

    /// The mean over all runs: a shorter last batch has the weight of its runs. `spread` is that of the batches.
    [[nodiscard]] estimate estimate_of(std::span<const double> batches) const
    {
        estimate all = mean_of(batches);
        double sum = 0;
        double weight = 0;
        for (std::size_t i = 0; i < batches.size(); ++i) {
            const std::uint32_t planned = detail::next_batch(runs, batch, i);
            const double w = planned == 0 ? batch : planned;
            sum += w * batches[i];
            weight += w;
        }
        all.cost = sum / weight;
        return all;
    }

    friend bool operator==(const fixed&, const fixed&) = default;
};

static_assert(repetition<fixed>);

}  // namespace tunekit::measure
