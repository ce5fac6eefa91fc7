// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Statistics of the seconds per run of a few timed batches, for repetition policies and for cutting candidates short.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/stats/moments.hpp"

namespace tunekit::measure {

namespace detail {

/// Whether a candidate is certainly slower than `seconds`: at least three batches, all above. Disturbance only adds
/// time, so the smallest of a few runs is a good bound of the true cost. A candidate that is cut short by this rule is
/// recorded as `at_least`.
[[nodiscard]] inline bool surely_above(std::span<const double> batches, double seconds) noexcept
{
    if (batches.size() < 3) return false;
    for (const double t : batches)
        if (!(t > seconds)) return false;
    return true;
}

/// Whether a candidate has had the three batches that it gets where there is no cost to beat yet.
[[nodiscard]] inline bool enough_of_first(std::span<const double> batches, const limits& within) noexcept
{
    constexpr double none = std::numeric_limits<double>::infinity();
    return batches.size() >= 3 && within.abandon_factor < none && within.abandon_above == none;
}

/// The number of runs in the next batch, after `done` batches; 0 if nothing is left. `runs` are wanted in all, in
/// batches of `batch`. The last batch takes the rest.
[[nodiscard]] constexpr std::uint32_t next_batch(std::uint32_t runs, std::uint32_t batch, std::size_t done) noexcept
{
    const std::uint64_t spent = std::uint64_t{batch} * done;
    if (spent >= runs) return 0;
    const std::uint64_t left = runs - spent;
    return left < batch ? static_cast<std::uint32_t>(left) : batch;
}

}  // namespace detail

/// The mean of the batches and its standard error. Precondition: at least one batch.
[[nodiscard]] inline estimate mean_of(std::span<const double> batches)
{
    if (batches.size() < 2) return {.cost = stats::mean(batches), .spread = 0};
    const double variance = stats::sample_variance(batches);
    return {.cost = stats::mean(batches), .spread = std::sqrt(variance / static_cast<double>(batches.size()))};
}

}  // namespace tunekit::measure
