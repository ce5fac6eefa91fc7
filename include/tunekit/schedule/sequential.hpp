// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A schedule that tunes one task after another, as AutoTVM does.

#include <cstddef>
#include <span>

#include "tunekit/core/error.hpp"
#include "tunekit/schedule/concepts.hpp"

namespace tunekit::schedule {

/// Gives every slot to the first active task, in declaration order, that has had less than `seconds_per_task`. When all
/// have had that, slots go to the first active one.
///
///     schedule::sequential{}                                  // an even share of the run
///     schedule::sequential{.seconds_per_task = 50}
///
/// With an infinite share, or in a run without end, a task gets slots until it is exhausted, or its limit on trials or
/// its patience ends it (AutoTVM's `n_trial`). A slot under way counts for its whole length, so workers begin the next
/// task before the slots of this one have ended.
///
/// Errors:     std::invalid_argument from `start` for a negative share.
/// Randomness: none. Cost: O(K).
struct sequential {
    double seconds_per_task = 0;  ///< of workers; 0: an even share of the run's seconds

    struct state {
        double share = 0;         ///< seconds of each task
        double slot_seconds = 0;  ///< the assumed length of a slot under way

        friend bool operator==(const state&, const state&) = default;
    };

    [[nodiscard]] state start(std::span<const task_view> tasks, const run_shape& run) const
    {
        require(seconds_per_task >= 0,
                "schedule::sequential: seconds_per_task is negative or NaN, want > 0, or 0 for an even share");
        if (seconds_per_task > 0) return {seconds_per_task, run.slot_seconds};
        return {run.worker_seconds() / static_cast<double>(tasks.size()), run.slot_seconds};
    }

    template <generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const task_view> tasks, G&) const
    {
        const auto spent = [&](const task_view& t) {
            return t.seconds + static_cast<double>(t.running) * s.slot_seconds;
        };
        std::size_t first = tasks.size();
        for (std::size_t k = tasks.size(); k-- > 0;)
            if (tasks[k].active) first = k;
        for (std::size_t k = first; k < tasks.size(); ++k)
            if (tasks[k].active && spent(tasks[k]) < s.share) return k;
        return first;
    }

    void update(state&, std::size_t, const slot&) const {}
};

}  // namespace tunekit::schedule
