// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The strategy to take when nothing is known of the space.

#include "tunekit/acquisition/expected_improvement.hpp"
#include "tunekit/explore/enumeration.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/tune/portfolio.hpp"

namespace tunekit::recipes {

/// A forest on log costs; expected improvement, highest mean and steps from the best in turn; spaces up to 10^5 scored whole. No
/// setting depends on the problem.
///
///     auto found = tune(space, measure, recipes::combined(), {.trials = 512}, gen);
///
/// Each tree sees every measurement, as costs are nearly free of noise, and trees differ by the 3 features that they compare at a node.
/// The strategy only: its evaluator is `adatune_repetition()`, its schedule over tasks `dynatune(slot_seconds)`.
///
/// Source: ours; AdaTune's surrogate and criterion, without its search where enumeration is cheaper, beside hill climbing.
[[nodiscard]] inline auto combined()
{
    return portfolio{surrogate::random_forest{.trees = 32, .max_features = 3, .bootstrap = false}, acquisition::expected_improvement{},
                     explore::enumeration{}};
}

}  // namespace tunekit::recipes
