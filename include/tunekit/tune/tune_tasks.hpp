// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Tuning of several tasks together, such as the operators of a model, from the first configuration to the end of the
/// budget.

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/detail/loop.hpp"
#include "tunekit/tune/detail/roles.hpp"
#include "tunekit/tune/plan.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tasks_tuner.hpp"

namespace tunekit {

/// Runs `t` to its end with the tasks' own measurers. `t` is a tasks_tuner of one worker, or has the same members.
/// `watch(record, task)` is called after each answer. Where it returns a value, true ends the run. `clock` is that of
/// `tune`.
template <class Tuner, class Clock, class Watch>
void tune_tasks(Tuner& t, std::span<task> tasks, Clock&& clock, Watch&& watch)
{
    detail::carry_batches(
        t, [&t] { return t.ask(0, t.ahead()); }, [tasks](std::size_t k) -> task& { return tasks[k]; }, clock,
        [&](const job& j) { return detail::wants_end(watch, t.record(), j.task); });
}

/// Runs `t` to its end with a pool, which is kept full. A worker of `t` stands for one of the jobs that are out at a
/// time.
template <class Tuner, pool Pool, class Watch>
void tune_tasks(Tuner& t, Pool& carrier, Watch&& watch)
{
    std::vector<std::size_t> idle;
    for (std::size_t w = t.workers(); w-- > 0;) idle.push_back(w);
    std::vector<std::pair<ticket, std::size_t>> busy;
    const auto come_home = [&](const job& j) {
        const auto at = std::find_if(busy.begin(), busy.end(), [&](const auto& b) { return b.first == j.ticket; });
        idle.push_back(at->second);
        busy.erase(at);
    };
    detail::carry_jobs(
        t, carrier,
        [&](std::size_t) {
            std::vector<job> out;
            if (idle.empty()) return out;
            if (auto next = t.ask(idle.back())) {
                busy.emplace_back(next->ticket, idle.back());
                idle.pop_back();
                out.push_back(*next);
            }
            return out;
        },
        [&t](const job& j, answer& a, double stamp) { t.tell(j, std::move(*a.measured), stamp, a.worker); },
        [&](const job& j) {
            come_home(j);
            return detail::wants_end(watch, t.record(), j.task);
        });
}

namespace detail {

template <class P, class Schedule, class Clock, class Watch, class G>
plan tune_tasks_as_asked(std::span<task> tasks, const P& how, const Schedule& schedule, const tasks_budget& limit,
                         Clock& clock, Watch& watch, G& gen)
{
    tasks_tuner t(tasks, how, schedule, limit, 1, gen);
    tune_tasks(t, tasks, clock, watch);
    return std::move(t).record();
}

template <class P, class Schedule, class Watch, class G>
plan tune_tasks_as_asked(std::span<task> tasks, const P& how, const Schedule& schedule, const tasks_budget& limit,
                         Watch& watch, G& gen)
{
    measure::wall_clock clock;
    return tune_tasks_as_asked(tasks, how, schedule, limit, clock, watch, gen);
}

template <class P, class Schedule, class G>
plan tune_tasks_as_asked(std::span<task> tasks, const P& how, const Schedule& schedule, const tasks_budget& limit,
                         G& gen)
{
    return tune_tasks_as_asked(tasks, how, schedule, limit, unwatched, gen);
}

template <pool Pool, class P, class Watch, class G>
plan tune_tasks_as_asked(std::span<const task> tasks, Pool& carrier, const P& how, const tasks_budget& limit,
                         Watch& watch, G& gen)
{
    tasks_tuner t(tasks, how, limit, (std::max)(carrier.workers(), carrier.room()), gen);
    tune_tasks(t, carrier, watch);
    return std::move(t).record();
}

template <pool Pool, class P, class G>
plan tune_tasks_as_asked(std::span<const task> tasks, Pool& carrier, const P& how, const tasks_budget& limit, G& gen)
{
    return tune_tasks_as_asked(tasks, carrier, how, limit, unwatched, gen);
}

}  // namespace detail

/// Tunes the tasks of a model together. The schedule of `how` chooses which task gets the next slot. Its strategy
/// chooses what is tried in that slot. `tasks_tuner` says what a slot is, and what comes first.
///
///     auto plan = tk::tune_tasks(tasks, tk::recipes::combined(), {.seconds = 600}, gen);
///     auto same = tk::tune_tasks(tasks, tk::search::annealing{}, tk::schedule::round_robin{}, {.seconds = 600}, gen);
///     auto seen = tk::tune_tasks(tasks, tk::recipes::combined(), {.seconds = 600}, watch, gen);      // clock, watch, gen
///
/// `how` is a recipe. With a schedule as the next argument, which replaces the recipe's, it may be a strategy.
/// `watch(plan so far, task of the last answer)` and `clock` are those of `tune_tasks(tasks_tuner, ...)`. The default
/// clock is the wall clock.
///
/// Randomness: one 64-bit key per task, then one for the schedule, are drawn from `gen` first, in declaration order. A
///             task's proposals depend on its own stream and measurements only, so comparisons of schedules are exact.
/// Errors:     those of `tasks_tuner`, and whatever a measurer throws.
template <class P, class Schedule, class... Behind>
    requires(!pool<P> && sizeof...(Behind) >= 1 && sizeof...(Behind) <= 3)
[[nodiscard]] plan tune_tasks(std::span<task> tasks, const P& how, const Schedule& schedule, const tasks_budget& limit,
                              Behind&&... behind)
{
    using detail::generator_fault, detail::schedule_fault, detail::strategy_fault;
    using behind_budget = detail::behind_budget<Behind...>;
    using G = typename behind_budget::generator;
    constexpr auto second =
        detail::fault_of_strategy<typename strategy_in<P>::type, space::any_space, random::philox>();
    constexpr auto third = detail::fault_of_schedule<Schedule, random::philox>();
    constexpr auto last = detail::fault_of_generator<G>();
    static_assert(second != strategy_fault::carrier,
                  "tunekit: tune_tasks, argument 2 is a measurer, want a strategy or a recipe: tasks have their own");
    static_assert(second != strategy_fault::copy,
                  "tunekit: tune_tasks, argument 2 is no strategy: it cannot be copied");
    static_assert(
        second != strategy_fault::start,
        "tunekit: tune_tasks, argument 2 is no strategy: start(space) is missing, not const or not for this space");
    static_assert(
        second != strategy_fault::state,
        "tunekit: tune_tasks, argument 2 is no strategy: the state that start(space) returns cannot be copied");
    static_assert(
        second != strategy_fault::propose,
        "tunekit: tune_tasks, argument 2 is no strategy: propose(state, space, n, gen) is missing or not const");
    static_assert(second != strategy_fault::proposed,
                  "tunekit: tune_tasks, argument 2 is no strategy: propose(state, space, n, gen) does not return "
                  "std::vector<tunekit::index>");
    static_assert(second != strategy_fault::observe,
                  "tunekit: tune_tasks, argument 2 is no strategy: observe(state, space, batch, measured, gen) is "
                  "missing, not const or returns something");
    static_assert(third != schedule_fault::strategy,
                  "tunekit: tune_tasks, argument 3 is a strategy, want a schedule there, the strategy before it");
    static_assert(third != schedule_fault::copy, "tunekit: tune_tasks, argument 3 is no schedule: it cannot be copied");
    static_assert(third != schedule_fault::start,
                  "tunekit: tune_tasks, argument 3 is no schedule: start(views, run) is missing or not const");
    static_assert(
        third != schedule_fault::state,
        "tunekit: tune_tasks, argument 3 is no schedule: the state that start(views, run) returns cannot be copied");
    static_assert(third != schedule_fault::select,
                  "tunekit: tune_tasks, argument 3 is no schedule: select(state, views, gen) -> std::size_t is missing "
                  "or not const");
    static_assert(third != schedule_fault::update,
                  "tunekit: tune_tasks, argument 3 is no schedule: update(state, k, slot) is missing, not const or "
                  "returns something");
    static_assert(last != generator_fault::seed,
                  "tunekit: tune_tasks, the last argument is a number, want a generator made of it: tk::random::philox "
                  "gen(seed)");
    static_assert(
        last != generator_fault::temporary,
        "tunekit: tune_tasks, the last argument is a temporary generator, want a variable, which goes on from where "
        "the run left it");
    static_assert(last != generator_fault::constant,
                  "tunekit: tune_tasks, the last argument is a const generator, want one that can be drawn from");
    static_assert(
        last != generator_fault::unfit,
        "tunekit: tune_tasks, the last argument is no generator: unsigned operator()(), static min() or static "
        "max() is missing");
    constexpr bool watches = behind_budget::template watches<const plan&, std::size_t>;
    static_assert(watches,
                  "tunekit: tune_tasks, the argument before the generator is no observer: operator()(const plan&, "
                  "std::size_t task) is missing");
    static_assert(behind_budget::tells_time,
                  "tunekit: tune_tasks, argument 5 is no clock: double operator()() is missing");
    if constexpr (second == strategy_fault::none && third == schedule_fault::none && last == generator_fault::none &&
                  watches && behind_budget::tells_time)
        return detail::tune_tasks_as_asked(tasks, how, schedule, limit, behind...);
    else return {};  // said above
}

/// The same with the recipe's schedule.
template <class P, class... Behind>
    requires(sizeof...(Behind) >= 1 && sizeof...(Behind) <= 3)
[[nodiscard]] plan tune_tasks(std::span<task> tasks, const P& how, const tasks_budget& limit, Behind&&... behind)
{
    using detail::generator_fault, detail::strategy_fault;
    using behind_budget = detail::behind_budget<Behind...>;
    using G = typename behind_budget::generator;
    constexpr auto second =
        detail::fault_of_strategy<typename strategy_in<P>::type, space::any_space, random::philox>();
    constexpr auto last = detail::fault_of_generator<G>();
    constexpr bool scheduled = requires { how.schedule; };
    static_assert(scheduled,
                  "tunekit: tune_tasks, argument 2 is no recipe; beside a strategy want a schedule: tune_tasks(tasks, "
                  "strategy, schedule, budget, gen)");
    static_assert(second != strategy_fault::copy,
                  "tunekit: tune_tasks, argument 2 is no strategy: it cannot be copied");
    static_assert(
        second != strategy_fault::start,
        "tunekit: tune_tasks, argument 2 is no strategy: start(space) is missing, not const or not for this space");
    static_assert(
        second != strategy_fault::state,
        "tunekit: tune_tasks, argument 2 is no strategy: the state that start(space) returns cannot be copied");
    static_assert(
        second != strategy_fault::propose,
        "tunekit: tune_tasks, argument 2 is no strategy: propose(state, space, n, gen) is missing or not const");
    static_assert(second != strategy_fault::proposed,
                  "tunekit: tune_tasks, argument 2 is no strategy: propose(state, space, n, gen) does not return "
                  "std::vector<tunekit::index>");
    static_assert(second != strategy_fault::observe,
                  "tunekit: tune_tasks, argument 2 is no strategy: observe(state, space, batch, measured, gen) is "
                  "missing, not const or returns something");
    static_assert(last != generator_fault::seed,
                  "tunekit: tune_tasks, the last argument is a number, want a generator made of it: tk::random::philox "
                  "gen(seed)");
    static_assert(
        last != generator_fault::temporary,
        "tunekit: tune_tasks, the last argument is a temporary generator, want a variable, which goes on from where "
        "the run left it");
    static_assert(last != generator_fault::constant,
                  "tunekit: tune_tasks, the last argument is a const generator, want one that can be drawn from");
    static_assert(
        last != generator_fault::unfit,
        "tunekit: tune_tasks, the last argument is no generator: unsigned operator()(), static min() or static "
        "max() is missing");
    constexpr bool watches = behind_budget::template watches<const plan&, std::size_t>;
    static_assert(watches,
                  "tunekit: tune_tasks, the argument before the generator is no observer: operator()(const plan&, "
                  "std::size_t task) is missing");
    static_assert(behind_budget::tells_time,
                  "tunekit: tune_tasks, argument 4 is no clock: double operator()() is missing");
    if constexpr (scheduled && second == strategy_fault::none && last == generator_fault::none && watches &&
                  behind_budget::tells_time)
        return detail::tune_tasks_as_asked(tasks, how, how.schedule, limit, behind...);
    else return {};  // said above
}

/// The same with a pool, which is kept full and has a time of its own. The tasks' measurers are not used.
template <pool Pool, class P, class... Behind>
    requires(sizeof...(Behind) >= 1 && sizeof...(Behind) <= 2)
[[nodiscard]] plan tune_tasks(std::span<const task> tasks, Pool& carrier, const P& how, const tasks_budget& limit,
                              Behind&&... behind)
{
    using detail::generator_fault, detail::strategy_fault;
    using behind_budget = detail::behind_budget<Behind...>;
    using G = typename behind_budget::generator;
    constexpr auto third = detail::fault_of_strategy<typename strategy_in<P>::type, space::any_space, random::philox>();
    constexpr auto last = detail::fault_of_generator<G>();
    constexpr bool scheduled = requires { how.schedule; };
    static_assert(scheduled,
                  "tunekit: tune_tasks, argument 3 is no recipe; want a strategy with a schedule: tk::recipe");
    static_assert(third != strategy_fault::copy, "tunekit: tune_tasks, argument 3 is no strategy: it cannot be copied");
    static_assert(
        third != strategy_fault::start,
        "tunekit: tune_tasks, argument 3 is no strategy: start(space) is missing, not const or not for this space");
    static_assert(
        third != strategy_fault::state,
        "tunekit: tune_tasks, argument 3 is no strategy: the state that start(space) returns cannot be copied");
    static_assert(
        third != strategy_fault::propose,
        "tunekit: tune_tasks, argument 3 is no strategy: propose(state, space, n, gen) is missing or not const");
    static_assert(third != strategy_fault::proposed,
                  "tunekit: tune_tasks, argument 3 is no strategy: propose(state, space, n, gen) does not return "
                  "std::vector<tunekit::index>");
    static_assert(third != strategy_fault::observe,
                  "tunekit: tune_tasks, argument 3 is no strategy: observe(state, space, batch, measured, gen) is "
                  "missing, not const or returns something");
    static_assert(last != generator_fault::seed,
                  "tunekit: tune_tasks, the last argument is a number, want a generator made of it: tk::random::philox "
                  "gen(seed)");
    static_assert(
        last != generator_fault::temporary,
        "tunekit: tune_tasks, the last argument is a temporary generator, want a variable, which goes on from where "
        "the run left it");
    static_assert(last != generator_fault::constant,
                  "tunekit: tune_tasks, the last argument is a const generator, want one that can be drawn from");
    static_assert(
        last != generator_fault::unfit,
        "tunekit: tune_tasks, the last argument is no generator: unsigned operator()(), static min() or static "
        "max() is missing");
    constexpr bool watches = behind_budget::template watches<const plan&, std::size_t>;
    static_assert(watches,
                  "tunekit: tune_tasks, the argument before the generator is no observer: operator()(const plan&, "
                  "std::size_t task) is missing");
    if constexpr (scheduled && third == strategy_fault::none && last == generator_fault::none && watches)
        return detail::tune_tasks_as_asked(tasks, carrier, how, limit, behind...);
    else return {};  // said above
}

}  // namespace tunekit
