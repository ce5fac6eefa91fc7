// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The strategy to take when nothing is known of the space, with its evaluator and its schedule.

#include <algorithm>
#include <cstddef>

#include "tunekit/acquisition/expected_improvement.hpp"
#include "tunekit/explore/enumeration.hpp"
#include "tunekit/measure/repetition.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/portfolio.hpp"

namespace tunekit::recipes {

/// A forest on log costs; expected improvement, highest mean and steps from the best in turn; spaces up to 10^5 scored
/// whole.
/// No setting depends on the problem.
///
///     auto found = tune(space, measure, recipes::combined(), {.trials = 512, .batch = 1}, gen);
///
/// A batch of one keeps the model fresh; batches of 8 cost 0.04 of the score S200 of docs/combined.md, and are worth it where
/// 8 builds overlap.
///
/// Each tree sees every measurement, as costs are nearly free of noise, and trees differ by the 3 features that they
/// compare at a node.
///
/// Source: ours; AdaTune's surrogate and criterion, without its search where enumeration is cheaper, beside hill
///         climbing.
[[nodiscard]] inline auto combined()
{
    return portfolio{surrogate::random_forest{.trees = 32, .max_features = 3, .bootstrap = false},
                     acquisition::expected_improvement{}, explore::enumeration{}};
}

/// Its evaluator: twenty runs, of which `combined_limits` spare most candidates all but three.
[[nodiscard]] constexpr measure::fixed combined_repetition() { return {.runs = 20, .batch = 1}; }

/// A candidate is given up after three runs, all of them 5 % slower than the incumbent: what cannot win needs no
/// precision, what may gets all twenty runs. AdaTune's evaluator, which stops once it is sure of a candidate's cost, asks
/// more than tuning does.
[[nodiscard]] constexpr candidate_limits combined_limits() { return {.abandon_factor = 1.05}; }

/// For several tasks: DynaTune over slots of half a percent of a task's even share, 0.1 s at least. A decision costs
/// microseconds, and a task that will not gain is left after a few measurements. One configuration at a time, so that the
/// model knows all that was measured; where builds overlap, set `.batch` to as many as are built at once.
///
///     auto budget = recipes::combined_budget(600, tasks.size());
///     auto plan   = tune_tasks(tasks, recipes::combined(), recipes::dynatune(budget.slot_seconds), budget, gen);
[[nodiscard]] inline tasks_budget combined_budget(double seconds, std::size_t tasks)
{
    const double slot = seconds / (200 * static_cast<double>((std::max)(tasks, std::size_t{1})));
    return {.seconds = seconds,
            .slot_seconds = (std::min)(100.0, (std::max)(0.1, slot)),
            .batch = 1,
            .limits = combined_limits()};
}

}  // namespace tunekit::recipes
