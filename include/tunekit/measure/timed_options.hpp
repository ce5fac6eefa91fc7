// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Options of `timed`.

#include <cstddef>
#include <cstdint>

#include "tunekit/core/error.hpp"

namespace tunekit::measure {

/// The state of the caches when a timed run begins.
enum class cache : std::uint8_t {
    warm,  ///< the state that the run before left
    cold,  ///< no useful data: other memory is written before each run, outside the timed window
};

/// Which configurations are checked against the reference. Either way nothing unchecked has a cost by which it could be
/// best.
enum class check : std::uint8_t {
    could_win,  ///< those whose runs were not all above limits::abandon_above; one that was abandoned stays `unchecked`
    always,     ///< every one, before it is timed
};

/// Options for warm-up, batches and check in `timed`, in addition to the repetition policy.
struct timed_options {
    cache state = cache::warm;  ///< what the caches hold when a timed run begins
    /// Bytes written before each run where `state` is cold. 0: 64 MiB; in a child process (`isolated`, workers) twice
    /// the last level of caches, where the system gives its size.
    std::size_t flush_bytes = 0;
    /// In [0, 1e9); the least length of a batch, in smallest steps of the clock; 0: a batch is what the policy says.
    double min_steps = 200;
    /// A run is calm where it is at most this share faster than the fastest before it.
    static constexpr double warm_up_gain = 0.05;
    std::uint32_t warm_up_calm_runs = 2;                ///< calm runs in a row after which the warm-up ends
    std::uint32_t max_warm_up_runs = 20;                ///< the most runs of the warm-up; at least one is made
    double max_warm_up_seconds = 0.1;                   ///< >= 0; no further warm-up run begins after this
    measure::check checks = measure::check::could_win;  ///< which configurations are checked

    /// Checks the settings. Throws std::invalid_argument if a setting is out of range.
    void validate() const
    {
        require(min_steps >= 0 && min_steps < 1e9, "timed: min_steps is out of range, want 0 to 1e9");
        require(max_warm_up_seconds >= 0, "timed: max_warm_up_seconds is negative or NaN, want >= 0");
    }

    friend bool operator==(const timed_options&, const timed_options&) = default;
};

}  // namespace tunekit::measure
