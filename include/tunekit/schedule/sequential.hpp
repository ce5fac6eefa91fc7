// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One task after another: what AutoTVM does.

#include <cstddef>
#include <limits>
#include <span>

#include "tunekit/core/error.hpp"
#include "tunekit/schedule/concepts.hpp"

namespace tunekit::schedule {

/// Gives every slot to the first active task, in declaration order, that has had less than `seconds_per_task`; when all
/// have, to the first active one.
///
///     schedule::sequential{.seconds_per_task = 600.0 / 12}
///
/// Without a share a task keeps its slots until it is exhausted, out of trials or out of patience (AutoTVM's `n_trial`).
/// Randomness: none. Cost: O(K).
struct sequential {
    double seconds_per_task = std::numeric_limits<double>::infinity();  ///< > 0

    struct state {
        friend bool operator==(const state&, const state&) = default;
    };

    [[nodiscard]] state start(std::span<const task_view>) const
    {
        require(seconds_per_task > 0, "schedule::sequential: seconds_per_task is not positive, want > 0");
        return {};
    }

    template <generator G>
    [[nodiscard]] std::size_t select(state&, std::span<const task_view> tasks, G&) const
    {
        std::size_t first = tasks.size();
        for (std::size_t k = tasks.size(); k-- > 0;)
            if (tasks[k].active) first = k;
        for (std::size_t k = first; k < tasks.size(); ++k)
            if (tasks[k].active && tasks[k].seconds < seconds_per_task) return k;
        return first;
    }

    void update(state&, std::size_t, const slot&) const {}
};

}  // namespace tunekit::schedule
