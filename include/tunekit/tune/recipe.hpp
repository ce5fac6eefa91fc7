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

/// How the tasks of a run learn from each other. A task with `after` answers offers each new best configuration to the
/// tasks that have a parameter of the same name. There it becomes the configuration with the nearest values
/// (`space::matched_parameters`), which is measured like any other: nothing is believed of it.
struct carrying {
    std::size_t one_in = 0;  ///< at most one of this many proposals of a task is carried; 0: none is
    std::size_t after = 8;   ///< answers before a task offers its best: that of a random few would mislead
};

/// One way to tune, as a value. `recipes::` has those that have a name. Each part can be used alone or replaced.
///
///     auto mine = recipes::combined();
///     mine.limits.abandon_factor = 2;
///     auto found = tune(space, kernel, mine, {.trials = 512}, gen);      // measured as mine.repetition says
///     auto other = tune(space, measurer, mine.strategy, {.trials = 512}, gen);
///
/// A strategy in its place means `recipe{strategy}`.
template <class Strategy, class Repetition = measure::fixed, class Schedule = no_schedule>
struct recipe {
    Strategy strategy;           ///< what chooses the configurations
    Repetition repetition{};     ///< how often a configuration runs, if the library makes the measurer
    candidate_limits limits{};   ///< the limits of each candidate
    std::size_t ahead = 8;       ///< >= 1; configurations per request if one device measures, which are built together
    double slots_per_task = 20;  ///< > 0; the number of slots into which a task's even share of the time is cut
    Schedule schedule{};         ///< what chooses the next task; `no_schedule` for one space
    carrying carry{};            ///< what several tasks take from each other: nothing, by default
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
template <class S, class R, class D>
recipe(S, R, candidate_limits, std::size_t, double, D, carrying) -> recipe<S, R, D>;

namespace detail {

/// The types of a recipe's parts. A strategy alone counts as a recipe without a schedule.
template <class P>
struct parts_of {
    using strategy = P;
    using schedule = no_schedule;
};
template <class S, class R, class D>
struct parts_of<recipe<S, R, D>> {
    using strategy = S;
    using schedule = D;
};

/// `p` as a recipe: a strategy alone is one with every default.
template <class S>
[[nodiscard]] recipe<S> as_recipe(const S& strategy)
{
    return {strategy};
}
template <class S, class R, class D>
[[nodiscard]] const recipe<S, R, D>& as_recipe(const recipe<S, R, D>& r)
{
    return r;
}

/// `how` without the parts that a run over one space with a measurer does not use.
template <class P>
[[nodiscard]] recipe<typename parts_of<P>::strategy> without_parts(const P& how)
{
    const auto& r = as_recipe(how);
    return {r.strategy, {}, r.limits, r.ahead, r.slots_per_task};
}

template <class S, class R, class D>
void check(const recipe<S, R, D>& r)
{
    require(r.ahead > 0, "recipe: ahead is 0, want >= 1");
    require(r.slots_per_task > 0, "recipe: slots_per_task is not positive, want > 0");
    check(r.limits);
}

}  // namespace detail
}  // namespace tunekit
