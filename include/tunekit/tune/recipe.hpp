// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Recipes: a strategy with its repetition, its limits and, for several tasks, a schedule, as one value.

#include <cstddef>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/tune/budget.hpp"

namespace tunekit {

/// The schedule of a recipe that has none: such a recipe tunes one space.
struct no_schedule {};

/// One way to tune, as a value. `recipes::` has those that have a name. Each part can be used alone or replaced.
///
///     auto mine = recipes::combined();
///     mine.limits.abandon_factor = 2;
///     auto found = tune(space, kernel, mine, {.trials = 512}, gen);      // measured as mine.repetition says
///     auto other = tune(space, measurer, mine.strategy, {.trials = 512}, gen);
///     auto plain = recipe{search::annealing{}};                          // one configuration at a time
///
/// Where a strategy is given in its place, it counts as a recipe with ahead = 8.
template <class Strategy, class Repetition = measure::fixed, class Schedule = no_schedule>
struct recipe {
    Strategy strategy;          ///< what chooses the configurations
    Repetition repetition{};    ///< how often a configuration runs, where the library makes the measurer
    candidate_limits limits{};  ///< the limits of each candidate
    std::size_t ahead = 1;  ///< >= 1; configurations per request where one device measures, which are built together
    double slots_per_task = 20;  ///< > 0; the number of slots into which a task's even share of the time is cut
    Schedule schedule{};         ///< what chooses the next task; `no_schedule` for one space
};

template <class S>
recipe(S) -> recipe<S>;
template <class S, class R>
recipe(S, R) -> recipe<S, R>;
template <class S, class R>
recipe(S, R, candidate_limits) -> recipe<S, R>;
template <class S, class R>
recipe(S, R, candidate_limits, std::size_t) -> recipe<S, R>;
template <class S, class R, class D>
recipe(S, R, candidate_limits, std::size_t, double, D) -> recipe<S, R, D>;

/// The type of the strategy of a recipe. A strategy alone counts as a recipe.
template <class P>
struct strategy_in {
    using type = P;
};
template <class S, class R, class D>
struct strategy_in<recipe<S, R, D>> {
    using type = S;
};

namespace detail {

template <class P>
inline constexpr bool is_recipe = false;
template <class S, class R, class D>
inline constexpr bool is_recipe<recipe<S, R, D>> = true;

/// The settings of a recipe that the loops read.
struct recipe_settings {
    candidate_limits limits{};
    std::size_t ahead = 8;  // of a strategy alone
    double slots_per_task = 20;
};

template <class P>
[[nodiscard]] recipe_settings settings_of(const P& p)
{
    if constexpr (is_recipe<P>) {
        require(p.ahead > 0, "recipe: ahead is 0, want >= 1");
        require(p.slots_per_task > 0, "recipe: slots_per_task is not positive, want > 0");
        check(p.limits);
        return {p.limits, p.ahead, p.slots_per_task};
    } else {
        return {};
    }
}

template <class P>
[[nodiscard]] const auto& strategy_of(const P& p)
{
    if constexpr (is_recipe<P>) return p.strategy;
    else return p;
}

}  // namespace detail
}  // namespace tunekit
