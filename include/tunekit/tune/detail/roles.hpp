// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What is wrong with an argument of an entry point: the first requirement that it does not meet.
///
/// An entry point (`tune`, `tune_tasks`, `tuner`, `task`) takes any type and checks it here. It has one static_assert
/// for each fault, in its own body: a compiler prints the path from the failed line up to the user's call before the
/// message, so a message from further down would come too late to be read. After a fault nothing else of the argument
/// is instantiated.

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
#include "tunekit/space/concepts.hpp"
#include "tunekit/tune/recipe.hpp"

namespace tunekit::detail {

enum class generator_fault : std::uint8_t { none, seed, temporary, constant, unfit };
enum class carrier_fault : std::uint8_t { none, strategy, constant, kernel, unfit };
enum class strategy_fault : std::uint8_t { none, carrier, copy, start, state, propose, proposed, observe };
enum class schedule_fault : std::uint8_t { none, strategy, copy, start, state, select, update };

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

/// The arguments behind the budget, each as a forwarding reference deduces it: [[clock,] observer,] generator.
template <class... Behind>
struct behind_budget;
template <class G>
struct behind_budget<G> {
    using generator = G;
    static constexpr bool clocked = false;
    static constexpr bool tells_time = true;
    template <class... Seen>
    static constexpr bool watches = true;
};
template <class Watch, class G>
struct behind_budget<Watch, G> : behind_budget<G> {
    template <class... Seen>
    static constexpr bool watches = std::is_invocable_v<Watch&, Seen...>;
};
template <class Clock, class Watch, class G>
struct behind_budget<Clock, Watch, G> : behind_budget<Watch, G> {
    static constexpr bool clocked = true;
    static constexpr bool tells_time = measure::clock<std::remove_reference_t<Clock>>;
};

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

/// What is wrong with `C`, a measurer or a pool. It is const where the caller's argument is.
template <class C, class Space, class G>
[[nodiscard]] consteval carrier_fault fault_of_carrier()
{
    if constexpr (carries<C>) return carrier_fault::none;
    else if constexpr (carries<std::remove_const_t<std::remove_reference_t<C>>>) return carrier_fault::constant;
    else if constexpr (is_kernel<std::remove_reference_t<C>, Space>) return carrier_fault::kernel;
    else if constexpr (fault_of_strategy<std::remove_cvref_t<C>, Space, G>() == strategy_fault::none)
        return carrier_fault::strategy;
    else return carrier_fault::unfit;
}

/// What is wrong with a schedule.
template <class S, class G>
[[nodiscard]] consteval schedule_fault fault_of_schedule()
{
    if constexpr (requires { &S::propose; } && !schedule::starts<S>) return schedule_fault::strategy;
    else if constexpr (!std::copyable<S>) return schedule_fault::copy;
    else if constexpr (!schedule::starts<S>) return schedule_fault::start;
    else if constexpr (!std::copyable<schedule::state_of<S>>) return schedule_fault::state;
    else if constexpr (!schedule::selects_task<S, G>) return schedule_fault::select;
    else if constexpr (!schedule::learns_slot<S>) return schedule_fault::update;
    else return schedule_fault::none;
}

}  // namespace tunekit::detail
