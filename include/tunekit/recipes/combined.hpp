// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The recommended recipe, where nothing is known about the space.

#include <cstddef>
#include <utility>

#include "tunekit/measure/fastest_quarter.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/recipes/dynatune.hpp"
#include "tunekit/search/forecasts.hpp"
#include "tunekit/search/portfolio.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/tune/recipe.hpp"
#include "tunekit/tune/runs_once.hpp"

namespace tunekit::recipes {

/// The recommended recipe: each proposal has the highest expected improvement by the mixture of a Gaussian process and
/// a forest, both on log costs. Each configuration has up to twenty runs, most have three. Several tasks are scheduled
/// as in DynaTune, by improvements. No setting depends on the problem.
///
///     auto quick = tune(space, kernel, {.trials = 512});      // the same with seed 0
///     auto found = tune(space, kernel, recipes::combined(), {.trials = 512}, gen);
///     auto plan  = tune_tasks(tasks, recipes::combined(), {.seconds = 600}, gen);
///
/// Its parts, each of which may be changed:
///
///   * `strategy`: each tree sees every measurement, because costs are nearly free of noise. Trees differ by the 3
///     features that they compare at a node. The Gaussian process sees each parameter as a number and as a name, and is
///     unsure where the forest is not;
///   * `repetition`: the mean of the fastest quarter of up to twenty runs ranks a candidate, because disturbances only
///     add time;
///   * `limits`: a candidate is given up after three runs, all of them 5 % slower than the incumbent. One that cannot
///     win needs no precision; one that may win gets all twenty runs. AdaTune's evaluator, which stops once it is sure
///     of a candidate's cost, measures more than tuning needs;
///   * `ahead`: one at a time keeps the models fresh. Batches of 8 cost 0.02 to 0.03 of the score S200 of
///     docs/studies/combined.md. They pay where 8 builds overlap;
///   * `slots_per_task`: slots of half a percent of a task's even share, 0.1 s at least. A decision costs microseconds.
///     The schedule leaves a task that will not gain after a few measurements;
///   * `carry`: one proposal in four may be the best of another task. Without it, `.carry = {}`, the tasks of a run
///     learn nothing from each other, and their proposals do not depend on the schedule.
///
/// Source: ours; AdaTune's surrogate and criterion, without its search where enumeration is cheaper, combined with a
///         Gaussian process; DynaTune's schedule.
[[nodiscard]] inline auto combined()
{
    return recipe{
        search::portfolio{surrogate::random_forest{.trees = 32, .max_features = 3, .bootstrap = false},
                          surrogate::gaussian_process{.distance = surrogate::column_distance::both, .evaluations = 16}},
        measure::fastest_quarter{measure::fixed{.runs = 20, .batch = 1}},
        candidate_limits{.abandon_factor = 1.05},
        std::size_t{1},
        200.0,
        dynatune(),
        carrying{.one_in = 4}};
}

/// The recommended recipe where other devices, sizes or weeks were tuned before. `search::portfolio` says how it uses
/// them.
///
///     const auto past = io::experience_in({"logs/"});
///     auto found = tune(space, kernel, recipes::combined(past), {.trials = 100}, gen);
///
/// An empty experience, or one that shares no parameter's name with the space, changes nothing.
[[nodiscard]] inline auto combined(search::forecasts past)
{
    auto how = combined();
    how.strategy.remember(std::move(past));
    return how;
}

}  // namespace tunekit::recipes

TUNEKIT_RUNS_ONCE(decltype(tunekit::recipes::combined().strategy))
