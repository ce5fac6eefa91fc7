// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The roles of arguments, and what is wrong with one: the first requirement that it does not meet.
///
/// An entry point (`tune`, `tune_tasks`, `tuner`, `logged_run`) takes any type and checks it here, by one checker for
/// each role. A checker is a class: it is instantiated where it is named, before the body around it goes on. So its
/// sentence is the first error, and the line before names the argument. After a fault nothing else of the argument is
/// instantiated.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/concepts.hpp"
#include "tunekit/search/concepts.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/tune/detail/seen.hpp"
#include "tunekit/tune/recipe.hpp"

namespace tunekit::detail {

/// Which argument it is, for the message.
enum class argument : std::uint8_t {
    first_of_tune,
    second_of_tune,
    third_of_tune,
    fifth_of_tune,
    first_of_tuner,
    second_of_tuner,
    fourth_of_tuner,
    strategy_of_tune_tasks,
    schedule_of_tune_tasks,
    last_of_tune_tasks
};

enum class generator_fault : std::uint8_t { none, seed, temporary, constant, unfit };
enum class carrier_fault : std::uint8_t { none, swapped, strategy, constant, kernel, unfit };
enum class strategy_fault : std::uint8_t { none, carrier, copy, start, state, propose, proposed, observe };
enum class schedule_fault : std::uint8_t { none, missing, strategy, copy, start, state, select, update };

template <argument At, bool Counted>
struct is_space {
    static_assert(Counted, "tunekit: not a space: size() const -> tunekit::index is missing");
    static constexpr bool value = Counted;
};

template <argument At, carrier_fault Fault>
struct is_carrier {
    static_assert(Fault != carrier_fault::swapped,
                  "tunekit: argument 2 is a strategy and argument 3 measures: want them the other way round");
    static_assert(Fault != carrier_fault::strategy,
                  "tunekit: a strategy, want a measurer or a pool here, the strategy behind it");
    static_assert(Fault != carrier_fault::constant,
                  "tunekit: a const measurer, want a variable that measure(batch, limits) may change");
    static_assert(
        Fault != carrier_fault::kernel,
        "tunekit: a kernel: tunekit/processes/tune_kernel.hpp takes one with a recipe; here want a measurer or a "
        "pool");
    static_assert(Fault != carrier_fault::unfit,
                  "tunekit: not a measurer: measure(std::span<const index>, const measure::limits&) -> "
                  "std::vector<measure::measurement> is missing");
    static constexpr bool value = Fault == carrier_fault::none;
};

template <argument At, strategy_fault Fault>
struct is_strategy {
    static_assert(Fault != strategy_fault::carrier, "tunekit: a measurer, want a strategy or a recipe");
    static_assert(Fault != strategy_fault::copy, "tunekit: not a strategy: it cannot be copied");
    static_assert(Fault != strategy_fault::start,
                  "tunekit: not a strategy: start(space) is missing, not const or not for this space");
    static_assert(Fault != strategy_fault::state,
                  "tunekit: not a strategy: the state that start(space) returns cannot be copied");
    static_assert(Fault != strategy_fault::propose,
                  "tunekit: not a strategy: propose(state, space, n, gen) is missing or not const");
    static_assert(Fault != strategy_fault::proposed,
                  "tunekit: not a strategy: propose(state, space, n, gen) does not return std::vector<tunekit::index>");
    static_assert(
        Fault != strategy_fault::observe,
        "tunekit: not a strategy: observe(state, space, batch, measured, gen) is missing, not const or returns "
        "something");
    static constexpr bool value = Fault == strategy_fault::none;
};

template <argument At, schedule_fault Fault>
struct is_schedule {
    static_assert(Fault != schedule_fault::missing,
                  "tunekit: not a recipe with a schedule; a strategy wants one: tune_tasks(tasks, strategy, "
                  "schedule, budget, gen)");
    static_assert(Fault != schedule_fault::strategy,
                  "tunekit: a strategy, want a schedule here, the strategy before it");
    static_assert(Fault != schedule_fault::copy, "tunekit: not a schedule: it cannot be copied");
    static_assert(Fault != schedule_fault::start, "tunekit: not a schedule: start(views, run) is missing or not const");
    static_assert(Fault != schedule_fault::state,
                  "tunekit: not a schedule: the state that start(views, run) returns cannot be copied");
    static_assert(Fault != schedule_fault::select,
                  "tunekit: not a schedule: select(state, views, gen) -> std::size_t is missing or not const");
    static_assert(Fault != schedule_fault::update,
                  "tunekit: not a schedule: update(state, k, slot) is missing, not const or returns something");
    static constexpr bool value = Fault == schedule_fault::none;
};

template <argument At, generator_fault Fault>
struct is_generator {
    static_assert(Fault != generator_fault::seed,
                  "tunekit: a number, want a generator made of it: tk::random::philox gen(seed)");
    static_assert(Fault != generator_fault::temporary,
                  "tunekit: a temporary generator, want a variable, which continues after the run");
    static_assert(Fault != generator_fault::constant, "tunekit: a const generator, want one that can be drawn from");
    static_assert(
        Fault != generator_fault::unfit,
        "tunekit: not a generator: unsigned operator()(), static min() or static max() is missing; a watch or a "
        "clock belongs behind it: gen, {.watch = ..., .clock = ...}");
    static constexpr bool value = Fault == generator_fault::none;
};

/// What is wrong with a generator. `Arg` is as a forwarding reference deduces it: an lvalue reference, or the type of a
/// temporary.
template <class Arg>
[[nodiscard]] consteval generator_fault fault_of_generator()
{
    using G = std::remove_cvref_t<Arg>;
    if constexpr (std::is_arithmetic_v<G>) return generator_fault::seed;
    else if constexpr (!std::is_lvalue_reference_v<Arg>) return generator_fault::temporary;
    else if constexpr (std::is_const_v<std::remove_reference_t<Arg>>) return generator_fault::constant;
    else if constexpr (!generator<G>) return generator_fault::unfit;
    else return generator_fault::none;
}

/// The generator itself where it is one, otherwise one of ours, so that the other arguments can be checked.
template <class Arg>
using generator_or_ours = std::conditional_t<fault_of_generator<Arg>() == generator_fault::none ||
                                                 fault_of_generator<Arg>() == generator_fault::temporary,
                                             std::remove_cvref_t<Arg>, random::philox>;

template <class T>
inline constexpr bool carries = measure::measurer<std::remove_reference_t<T>> || pool<std::remove_reference_t<T>>;

/// What is wrong with a strategy `S` on `Space`, drawing from `G`.
template <class S, class Space, class G>
[[nodiscard]] consteval strategy_fault fault_of_strategy()
{
    if constexpr (carries<S>) return strategy_fault::carrier;
    else if constexpr (!std::copyable<S>) return strategy_fault::copy;
    else if constexpr (!search::starts_on<S, Space>) return strategy_fault::start;
    else if constexpr (!std::copyable<search::state_of<S, Space>>) return strategy_fault::state;
    else if constexpr (!requires(const S& s, search::state_of<S, Space>& state, const Space& space, std::size_t n,
                                 G& gen) { s.propose(state, space, n, gen); })
        return strategy_fault::propose;
    else if constexpr (!search::proposes<S, Space, G>) return strategy_fault::proposed;
    else if constexpr (!search::observes<S, Space, G>) return strategy_fault::observe;
    else return strategy_fault::none;
}

/// Whether `K` is a kernel: it takes a configuration of a typed space.
template <class K, class Space>
inline constexpr bool is_kernel = [] {
    if constexpr (space::typed<Space>) return std::is_invocable_v<K&, const typename Space::config&>;
    else return false;
}();

/// What is wrong with `C`, a measurer or a pool, before the strategy `S`. It is const where the caller's argument is.
template <class C, class S, class Space, class G>
[[nodiscard]] consteval carrier_fault fault_of_carrier()
{
    if constexpr (carries<C>) return carrier_fault::none;
    else if constexpr (carries<std::remove_const_t<std::remove_reference_t<C>>>) return carrier_fault::constant;
    else if constexpr (is_kernel<std::remove_reference_t<C>, Space>) return carrier_fault::kernel;
    else if constexpr (fault_of_strategy<std::remove_cvref_t<C>, Space, G>() == strategy_fault::none)
        return carries<S> ? carrier_fault::swapped : carrier_fault::strategy;
    else return carrier_fault::unfit;
}

/// What is wrong with a schedule.
template <class S, class G>
[[nodiscard]] consteval schedule_fault fault_of_schedule()
{
    if constexpr (std::is_same_v<S, no_schedule>) return schedule_fault::missing;
    else if constexpr (requires { &S::propose; } && !schedule::starts<S>) return schedule_fault::strategy;
    else if constexpr (!std::copyable<S>) return schedule_fault::copy;
    else if constexpr (!schedule::starts<S>) return schedule_fault::start;
    else if constexpr (!std::copyable<schedule::state_of<S>>) return schedule_fault::state;
    else if constexpr (!schedule::selects_task<S, G>) return schedule_fault::select;
    else if constexpr (!schedule::learns_slot<S>) return schedule_fault::update;
    else return schedule_fault::none;
}

/// Whether the arguments of `tune` have their roles: the space, what measures, the recipe or strategy, the generator.
template <class Space, class Carrier, class P, class Gen>
[[nodiscard]] consteval bool fit_tune()
{
    using G = generator_or_ours<Gen>;
    using S = typename parts_of<P>::strategy;
    constexpr auto second = fault_of_carrier<Carrier, S, Space, G>();
    constexpr auto third =
        second == carrier_fault::swapped ? strategy_fault::none : fault_of_strategy<S, seen_by<S, Space>, G>();
    return is_space<argument::first_of_tune, space::counted<Space>>::value &&
           is_carrier<argument::second_of_tune, second>::value && is_strategy<argument::third_of_tune, third>::value &&
           is_generator<argument::fifth_of_tune, fault_of_generator<Gen>()>::value;
}

/// The same of `tuner`: the space, the strategy, the generator.
template <class Space, class S, class G>
[[nodiscard]] consteval bool fit_tuner()
{
    return is_space<argument::first_of_tuner, space::counted<Space>>::value &&
           is_strategy<argument::second_of_tuner,
                       fault_of_strategy<S, seen_by<S, Space>, generator_or_ours<G&>>()>::value &&
           is_generator<argument::fourth_of_tuner, fault_of_generator<G&>()>::value;
}

/// Whether the arguments of `tune_tasks` have their roles: the recipe or strategy, the schedule, the generator.
template <class P, class Schedule, class Gen>
[[nodiscard]] consteval bool fit_tune_tasks()
{
    constexpr auto how = fault_of_strategy<typename parts_of<P>::strategy, space::any_space, random::philox>();
    return is_strategy<argument::strategy_of_tune_tasks, how>::value &&
           is_schedule<argument::schedule_of_tune_tasks, fault_of_schedule<Schedule, random::philox>()>::value &&
           is_generator<argument::last_of_tune_tasks, fault_of_generator<Gen>()>::value;
}

}  // namespace tunekit::detail
