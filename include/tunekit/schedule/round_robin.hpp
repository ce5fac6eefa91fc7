// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A schedule that gives slots to the tasks in rotation.

#include <cstddef>
#include <span>

#include "tunekit/schedule/concepts.hpp"

namespace tunekit::schedule {

/// Gives slot after slot to the next task in circular order. A task that ended is skipped and costs nothing.
///
/// Randomness: none. Cost: O(K).
/// Source:     Zhang et al. (2021), DynaTune, ICLR, section 5 ("Round-robin"); what happens to the slots of finished
///             tasks is not said there.
struct round_robin {
    struct state {
        std::size_t next = 0;  ///< the next task in the rotation

        friend bool operator==(const state&, const state&) = default;
    };

    [[nodiscard]] state start(std::span<const task_view>, const run_shape&) const { return {}; }

    template <generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const task_view> tasks, G&) const
    {
        std::size_t k = s.next % tasks.size();
        while (!tasks[k].active) k = (k + 1) % tasks.size();
        s.next = (k + 1) % tasks.size();
        return k;
    }

    void update(state&, std::size_t, const slot&) const {}
};

}  // namespace tunekit::schedule
