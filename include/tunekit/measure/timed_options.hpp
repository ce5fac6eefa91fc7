// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Options of `timed`.

#include <cstddef>
#include <cstdint>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/caches.hpp"

namespace tunekit::measure {

/// Options for warm-up and batches in `timed`, in addition to the repetition policy.
struct timed_options {
    cache state = cache::warm;
    std::size_t flush_bytes = 0;  ///< written before a cold run; 0: `beyond_caches()`
    double min_steps = 200;  ///< the smallest length of a batch, in smallest steps of the clock; 0: as the policy says
    double warm_up_gain = 0.05;  ///< warm until a run is at most this share faster than the fastest before it...
    std::uint32_t warm_up_calm_runs = 2;  ///< ...this many times in a row
    std::uint32_t max_warm_up_runs = 20;
    double max_warm_up_seconds = 0.1;  ///< no further warm-up run begins after this

    /// Checks the settings. Throws std::invalid_argument where a setting is out of range.
    void validate() const
    {
        require(min_steps >= 0 && min_steps < 1e9, "timed: min_steps is out of range, want 0 to 1e9");
        require(warm_up_gain >= 0 && warm_up_gain < 1, "timed: warm_up_gain is out of range, want 0 <= gain < 1");
        require(max_warm_up_seconds >= 0, "timed: max_warm_up_seconds is negative or NaN, want >= 0");
    }

    friend bool operator==(const timed_options&, const timed_options&) = default;
};

}  // namespace tunekit::measure
