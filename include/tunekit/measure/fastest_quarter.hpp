// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A repetition policy whose cost is the mean of the fastest runs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/fixed.hpp"

namespace tunekit::measure {

namespace detail {

/// The mean of the ceil(n / 4) least of n >= 1 batches.
[[nodiscard]] inline double mean_of_fastest(std::span<const double> batches)
{
    std::vector<double> x(batches.begin(), batches.end());
    const auto end = x.begin() + static_cast<std::ptrdiff_t>((x.size() + 3) / 4);
    std::partial_sort(x.begin(), end, x.end());
    return std::accumulate(x.begin(), end, 0.0) / static_cast<double>(end - x.begin());
}

}  // namespace detail

/// Runs as another policy says; the cost is the mean of the fastest quarter of its batches, of one at least. For costs
/// that are times, to rank candidates by.
///
///     timed{kernel, fastest_quarter{fixed{.runs = 20, .batch = 1}}}
///
/// What else runs on the machine only adds time, so the fastest of some runs say more of a candidate than their mean,
/// which one disturbance spoils, or their median, which a longer one does. A single least run is a matter of luck: of a
/// jitter of 1 %, the least of twenty runs keeps a standard deviation of 0.53 %, this mean 0.32 %, the mean of all
/// 0.22 %. What a call takes in use is rather the median. `spread` is the other policy's.
template <repetition Runs = fixed>
struct fastest_quarter {
    Runs runs{};  ///< how often a candidate runs

    void validate() const { runs.validate(); }

    [[nodiscard]] std::uint32_t next(std::span<const double> batches) const { return runs.next(batches); }

    [[nodiscard]] estimate estimate_of(std::span<const double> batches) const
    {
        return {.cost = detail::mean_of_fastest(batches), .spread = runs.estimate_of(batches).spread};
    }

    friend bool operator==(const fastest_quarter&, const fastest_quarter&) = default;
};
template <class R>
fastest_quarter(R) -> fastest_quarter<R>;

static_assert(repetition<fastest_quarter<>>);

}  // namespace tunekit::measure
