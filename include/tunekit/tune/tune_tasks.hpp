// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Tuning of several tasks together, such as the operators of a model, from the first configuration to the end of the
/// budget.

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/detail/loop.hpp"
#include "tunekit/tune/detail/roles.hpp"
#include "tunekit/tune/options.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tasks_tuner.hpp"

namespace tunekit {

/// Runs `t` to its end with the tasks' own measurers. `t` is a tasks_tuner of one worker, or has the same members.
template <class Tuner>
void tune_tasks(Tuner& t, std::span<task> tasks, const tune_tasks_options& options = {})
{
    detail::carry_batches(
        t, [tasks](std::size_t k) -> task& { return tasks[k]; }, options.clock, options.checks,
        [&](const job& j) { return options.watch && options.watch(t.record(), j.task); });
}

/// Runs `t` to its end with a pool, which is kept full. A worker of `t` stands for one of the jobs that are out at a
/// time.
template <class Tuner, pool Pool>
void tune_tasks(Tuner& t, Pool& carrier, const tune_tasks_options& options = {})
{
    std::vector<std::size_t> idle;
    for (std::size_t w = t.workers(); w-- > 0;) idle.push_back(w);
    std::vector<std::pair<ticket, std::size_t>> busy;
    detail::carry_jobs(
        t, carrier, options.clock, options.checks,
        [&](std::size_t) {
            if (idle.empty()) return std::vector<job>{};
            std::vector<job> next = t.ask(idle.back(), 1);
            if (!next.empty()) {
                busy.emplace_back(next.front().ticket, idle.back());
                idle.pop_back();
            }
            return next;
        },
        [&](const job& j) {
            const auto at = std::find_if(busy.begin(), busy.end(), [&](const auto& b) { return b.first == j.ticket; });
            idle.push_back(at->second);
            busy.erase(at);
            return options.watch && options.watch(t.record(), j.task);
        });
}

/// Tunes the tasks of a model together. The schedule chooses which task gets the next slot. The strategy of `how`
/// chooses what is tried in that slot. `tasks_tuner` says what a slot is, and what comes first.
///
///     auto plan = tk::tune_tasks(tasks, tk::recipes::combined(), {.seconds = 600}, gen);   // the recipe has a schedule
///     auto same = tk::tune_tasks(tasks, tk::search::annealing{}, tk::schedule::round_robin{}, {.seconds = 600}, gen);
///     auto seen = tk::tune_tasks(tasks, tk::recipes::combined(), {.seconds = 600}, gen, {.watch = watch, .clock = clock});
///
/// `how` is a recipe or a strategy.
///
/// Randomness: one 64-bit key per task, then one for the schedule, are drawn from `gen` first, in declaration order. A
///             task's proposals depend on its own stream and measurements only, so comparisons of schedules are exact.
/// Errors:     those of `tasks_tuner`, and whatever a measurer throws.
template <class P, class Schedule, class G>
    requires(!pool<P>)
[[nodiscard]] plan tune_tasks(std::span<task> tasks, const P& how, const Schedule& schedule, const tasks_budget& limit,
                              G&& gen, const tune_tasks_options& options = {})
{
    if constexpr (detail::fit_tune_tasks<P, Schedule, G>()) {
        tasks_tuner t(tasks, how, schedule, limit, 1, gen);
        tune_tasks(t, tasks, options);
        return std::move(t).record();
    }
}

/// The same with the recipe's schedule.
template <class P, class G>
[[nodiscard]] plan tune_tasks(std::span<task> tasks, const P& how, const tasks_budget& limit, G&& gen,
                              const tune_tasks_options& options = {})
{
    if constexpr (detail::fit_tune_tasks<P, typename detail::parts_of<P>::schedule, G>())
        return tune_tasks(tasks, how, how.schedule, limit, gen, options);
}

/// The same with a pool, which is kept full and has its clock. The tasks' measurers are not used.
template <pool Pool, class P, class G>
[[nodiscard]] plan tune_tasks(std::span<const task> tasks, Pool& carrier, const P& how, const tasks_budget& limit,
                              G&& gen, const tune_tasks_options& options = {})
{
    if constexpr (detail::fit_tune_tasks<P, typename detail::parts_of<P>::schedule, G>()) {
        tasks_tuner t(tasks, how, limit, (std::max)(carrier.workers(), carrier.room()), gen);
        tune_tasks(t, carrier, options);
        return std::move(t).record();
    }
}

}  // namespace tunekit
