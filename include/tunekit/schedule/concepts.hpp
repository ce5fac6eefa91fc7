// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The concept of a schedule: the choice of the task that gets the next slot.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tunekit/core/detail/state_of.hpp"
#include "tunekit/curve/concepts.hpp"
#include "tunekit/random/generator.hpp"

namespace tunekit::schedule {

/// The facts about a task that a schedule may use.
struct task_view {
    double flops = 0;   ///< work of one call
    double weight = 1;  ///< calls of the task in the model
    std::span<const tunekit::curve::curve_point>
        curve{};                ///< its tuning curve, oldest first; empty before its first slot
    std::uint64_t slots = 0;    ///< slots it got, those under way included
    double seconds = 0;         ///< seconds that workers spent on it
    bool active = true;         ///< false once exhausted or stopped: choosing it is an error
    std::uint64_t running = 0;  ///< slots under way: chosen, not yet updated; 0 where one worker serves all
};

/// The facts about a run that a schedule gets at the start. They are no settings of the schedule.
struct run_shape {
    double seconds = std::numeric_limits<double>::infinity();  ///< of the whole run, elapsed time
    double slot_seconds = 0;                                   ///< the planned length of a slot; 0: not given
    std::size_t tasks = 1;                                     ///< number of tasks
    std::size_t workers = 1;                                   ///< the number of slots that run at the same time

    /// The sum of all workers' time in the run, in seconds.
    [[nodiscard]] double worker_seconds() const { return seconds * static_cast<double>(workers); }

    friend bool operator==(const run_shape&, const run_shape&) = default;
};

/// The result of one slot: the change of the task that had it.
struct slot {
    double seconds = 0;           ///< its length
    std::uint64_t trials = 0;     ///< trials in it
    double best_cost_before = 0;  ///< +inf before the first valid trial
    double best_cost_after = 0;   ///< after it; +inf as before

    friend bool operator==(const slot&, const slot&) = default;
};

/// A schedule that makes the state of a run over some tasks. Throws std::invalid_argument where a setting is out of
/// range.
template <class S>
concept starts = core::detail::starts_on<S, std::span<const task_view>, run_shape>;

/// The type of the state that `start` returns.
template <class S>
using state_of = core::detail::state_of<S, std::span<const task_view>, run_shape>;

/// A schedule that chooses an active task. It is called only while one is active.
template <class S, class G>
concept selects_task = requires(const S& schedule, state_of<S>& state, std::span<const task_view> tasks, G& gen) {
    { schedule.select(state, tasks, gen) } -> std::same_as<std::size_t>;
};

/// A schedule that learns the result of a slot of task `k`. The views of the next `select` show it too.
template <class S>
concept learns_slot = requires(const S& schedule, state_of<S>& state, std::size_t k, const slot& last) {
    { schedule.update(state, k, last) } -> std::same_as<void>;
};

/// A schedule: its parameters are in the schedule, its knowledge is in the state.
/// Semantics: each slot that was selected is updated once, later, in any order; with one worker `select` and `update`
/// alternate. Equal states, views and generators select equally.
template <class S, class G>
concept schedule = std::copyable<S> && starts<S> && std::copyable<state_of<S>> && selects_task<S, G> && learns_slot<S>;

}  // namespace tunekit::schedule
