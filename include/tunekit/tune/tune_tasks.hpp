// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The tuning loop over the operators of a model.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/concepts.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/step.hpp"
#include "tunekit/tune/task.hpp"

namespace tunekit {

/// What `tune_tasks` learned of one task.
struct task_plan {
    tuning record;
    std::uint64_t slots = 0;
};

/// A slot that was given.
struct slot_record {
    std::size_t task = 0;
    double ended = 0;          ///< seconds since the start of the run
    double model_latency = 0;  ///< sum over tasks of weight * best cost at its end; +inf while a task has none
};

/// What `tune_tasks` learned of all.
struct plan {
    std::vector<task_plan> tasks;  ///< in declaration order
    std::vector<slot_record> slots;
    double seconds = 0;
    stop_reason stopped = stop_reason::running;
};

/// Seconds of one pass of the model with the incumbents: sum of weight * best cost; +inf while a task has none.
[[nodiscard]] inline double model_latency(std::span<const task> tasks, const plan& p)
{
    double sum = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k) sum += tasks[k].weight() * p.tasks[k].record.best_cost();
    return sum;
}

/// Tunes the tasks of a model together: `schedule` chooses who gets the next slot, `strategy` what is tried in it.
///
///     auto plan = tk::tune_tasks(tasks, tk::search::annealing{}, tk::schedule::round_robin{}, {.seconds = 600}, gen);
///
/// First every task, in declaration order, tries what it was told to begin with, and gets slots until it has a verified
/// configuration or has ended (the warm-up that all schedules share; such a slot ends with the first verified batch);
/// then the schedule decides. A slot lasts until the first batch that reaches its length. A slot that tries nothing
/// ends its task. `clock` is read once at the start and once after each batch, its jumps are left out as in `tune`.
/// `stop(plan so far, task of the last batch)` is asked after each batch and may watch or end the run.
///
/// Randomness: one 64-bit key per task, then one for the schedule, are drawn from `gen` first, in declaration order. A
///             task's proposals depend on its own stream and measurements only, so schedules compare exactly.
/// Errors:     std::invalid_argument for no tasks, two of one name, or a parameter out of range.
/// Source:     Zhang et al. (2021), DynaTune, ICLR, algorithm 1.
/// Departures: the warm-up's last slot is cut short; a budget may end in the warm-up, leaving latencies of +inf.
template <class Strategy, class Schedule, class Clock, class Stop, generator G>
    requires strategy<Strategy, space::any_space, random::philox> && schedule::schedule<Schedule, random::philox> &&
             measure::clock<Clock>
[[nodiscard]] plan tune_tasks(std::span<task> tasks, const Strategy& strategy, const Schedule& schedule,
                              const tasks_budget& limit, Clock&& clock, Stop&& stop, G& gen)
{
    detail::check(limit);
    require(!tasks.empty(), "tune_tasks: there are no tasks, want at least one");
    for (std::size_t k = 0; k < tasks.size(); ++k)
        for (std::size_t j = 0; j < k; ++j)
            require(tasks[j].name() != tasks[k].name(),
                    "tune_tasks: two tasks are named " + tasks[k].name() + ", want distinct names");

    plan out;
    out.tasks.resize(tasks.size());
    std::vector<state_of<Strategy, space::any_space>> states;
    std::vector<random::philox> generators;
    std::vector<schedule::task_view> views;  // what the schedule may know; kept in step with the records
    for (const task& t : tasks) {
        states.push_back(strategy.start(t.space()));
        generators.emplace_back(random::bits(gen));
        views.push_back({.flops = t.flops(), .weight = t.weight()});
    }
    random::philox schedule_gen(random::bits(gen));

    const double slot_seconds = limit.slot(tasks.size());
    detail::steadied steady(clock);
    const double start = steady();
    double now = start;

    // One slot for task k, in the warm-up only up to its first verified configuration. Returns what it brought.
    const auto give_slot = [&](std::size_t k, bool warm_up) {
        tuning& record = out.tasks[k].record;
        const double began = now;
        const std::uint64_t before = record.trials().size();
        schedule::slot s{.best_cost_before = record.best_cost()};
        do {
            const auto within = limit.limits.at(record.best_cost());
            if (record.trials().empty() && !tasks[k].known().empty()) {
                now = try_batch(states[k], record, tasks[k].space(), tasks[k], strategy, tasks[k].known(), within, now,
                                steady, generators[k]);
            } else {
                const std::uint64_t left = limit.trials_per_task - record.trials().size();  // > 0: the task is active
                const auto n = static_cast<std::size_t>((std::min)(std::uint64_t{limit.batch}, left));
                now = step(states[k], record, tasks[k].space(), tasks[k], strategy, n, within, now, steady, generators[k]);
            }
            out.seconds = now - start;
            if (record.stopped == stop_reason::running) {
                if (record.trials().size() >= limit.trials_per_task) record.stopped = stop_reason::trials;
                else if (record.stale() >= limit.patience) record.stopped = stop_reason::patience;
            }
            views[k].curve = record.curve();
            views[k].seconds = record.seconds();
            views[k].active = record.stopped == stop_reason::running;
            if (stop(std::as_const(out), k)) out.stopped = stop_reason::asked;
            else if (out.seconds >= limit.seconds) out.stopped = stop_reason::seconds;
        } while (out.stopped == stop_reason::running && views[k].active && now - began < slot_seconds &&
                 !(warm_up && record.found()));
        s.seconds = now - began;
        s.trials = record.trials().size() - before;
        s.best_cost_after = record.best_cost();
        views[k].slots = ++out.tasks[k].slots;
        out.slots.push_back({.task = k, .ended = out.seconds, .model_latency = model_latency(tasks, out)});
        return s;
    };

    if (limit.seconds == 0 || limit.trials_per_task == 0)
        out.stopped = limit.seconds == 0 ? stop_reason::seconds : stop_reason::trials;
    for (std::size_t k = 0; k < tasks.size(); ++k)
        while (out.stopped == stop_reason::running && views[k].active && !out.tasks[k].record.found()) give_slot(k, true);

    auto state = schedule.start(views);
    while (out.stopped == stop_reason::running) {
        if (std::none_of(views.begin(), views.end(), [](const auto& v) { return v.active; })) {
            out.stopped = stop_reason::exhausted;
            break;
        }
        const std::size_t k = schedule.select(state, views, schedule_gen);
        if (k >= tasks.size() || !views[k].active) throw error("tune_tasks: the schedule chose a task that is not active");
        schedule.update(state, k, give_slot(k, false));
    }
    return out;
}

/// The same by the wall clock, to the end of the budget.
template <class Strategy, class Schedule, generator G>
    requires strategy<Strategy, space::any_space, random::philox> && schedule::schedule<Schedule, random::philox>
[[nodiscard]] plan tune_tasks(std::span<task> tasks, const Strategy& strategy, const Schedule& schedule,
                              const tasks_budget& limit, G& gen)
{
    const auto never = [](const plan&, std::size_t) { return false; };
    return tune_tasks(tasks, strategy, schedule, limit, measure::wall_clock{}, never, gen);
}

}  // namespace tunekit
