// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A schedule that chooses active tasks at random.

#include <cstddef>
#include <span>

#include "tunekit/random/choice.hpp"
#include "tunekit/schedule/concepts.hpp"

namespace tunekit::schedule {

/// Gives each slot to an active task, all equally likely.
///
/// Randomness: one `uniform_index` per choice. Cost: O(K).
/// Source:     Zhang et al. (2021), DynaTune, ICLR, section 5 ("Random"): a list over all tasks is drawn at the start;
///             entries for finished tasks are skipped.
/// Departures: each slot is drawn when it begins. A skipped entry takes no time, so the order of the slots has the same
///             distribution.
struct random {
    struct state {
        friend bool operator==(const state&, const state&) = default;
    };

    [[nodiscard]] state start(std::span<const task_view>, const run_shape&) const { return {}; }

    template <generator G>
    [[nodiscard]] std::size_t select(state&, std::span<const task_view> tasks, G& gen) const
    {
        return tunekit::random::choose_where(tasks.size(), [&](std::size_t k) { return tasks[k].active; }, gen);
    }

    void update(state&, std::size_t, const slot&) const {}
};

}  // namespace tunekit::schedule
