// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A repetition policy whose cost is the least of the runs.

#include <algorithm>
#include <cstdint>
#include <span>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/fixed.hpp"

namespace tunekit::measure {

/// Runs as another policy says; the cost is the least of its batches. For costs that are times, to rank candidates by.
///
///     timed{kernel, least{fixed{.runs = 20, .batch = 1}}}
///
/// What else runs on the machine only adds time, so the least of some runs says more of a candidate than their mean,
/// which one disturbance spoils, or their median, which a longer one does. What a call takes in use is rather the
/// median. `spread` is the other policy's.
template <repetition Runs = fixed>
struct least {
    Runs runs{};  ///< how often a candidate runs

    void validate() const { runs.validate(); }

    [[nodiscard]] std::uint32_t next(std::span<const double> batches) const { return runs.next(batches); }

    [[nodiscard]] estimate estimate_of(std::span<const double> batches) const
    {
        return {.cost = *std::min_element(batches.begin(), batches.end()), .spread = runs.estimate_of(batches).spread};
    }

    friend bool operator==(const least&, const least&) = default;
};
template <class R>
least(R) -> least<R>;

static_assert(repetition<least<>>);

}  // namespace tunekit::measure
