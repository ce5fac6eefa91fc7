// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a schedule is: the choice of the task that gets the next slot.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "tunekit/random/generator.hpp"

namespace tunekit::schedule {

/// A point of a tuning curve, one per trial: what had been reached when it was observed.
struct curve_point {
    std::uint64_t trial = 0;  ///< 1, 2, ...: trials of this task so far, failed ones included
    double seconds = 0;       ///< of this task's slots so far
    double best_cost = 0;     ///< seconds; +inf before the first valid trial

    friend bool operator==(const curve_point&, const curve_point&) = default;
};

/// What a schedule may know of a task.
struct task_view {
    double flops = 0;                    ///< work of one call
    double weight = 1;                   ///< calls of the task in the model
    std::span<const curve_point> curve{};  ///< its tuning curve, oldest first; empty before its first slot
    std::uint64_t slots = 0;             ///< slots it got
    double seconds = 0;                  ///< seconds it got
    bool active = true;                  ///< false once exhausted or stopped: choosing it is an error
};

/// What one slot was: the change of the task it was given to.
struct slot {
    double seconds = 0;           ///< its length
    std::uint64_t trials = 0;     ///< trials in it
    double best_cost_before = 0;  ///< +inf before the first valid trial
    double best_cost_after = 0;

    friend bool operator==(const slot&, const slot&) = default;
};

template <class S>
concept starts = requires(const S& schedule, std::span<const task_view> tasks) { schedule.start(tasks); };

template <class S>
using state_of = decltype(std::declval<const S&>().start(std::span<const task_view>{}));

/// Chooses an active task. Called only while one is active.
template <class S, class G>
concept selects_task = requires(const S& schedule, state_of<S>& state, std::span<const task_view> tasks, G& gen) {
    { schedule.select(state, tasks, gen) } -> std::same_as<std::size_t>;
};

/// Learns what the slot given to task `k` brought. The views of the next `select` show it too.
template <class S>
concept learns_slot = requires(const S& schedule, state_of<S>& state, std::size_t k, const slot& last) {
    { schedule.update(state, k, last) } -> std::same_as<void>;
};

/// A schedule: parameters in the schedule, knowledge in its state.
/// Semantics: `select` and `update` alternate; equal states, views and generators select equally.
template <class S, class G>
concept schedule = std::copyable<S> && starts<S> && std::copyable<state_of<S>> && selects_task<S, G> && learns_slot<S>;

}  // namespace tunekit::schedule
