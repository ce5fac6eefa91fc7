// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The recipe for several goals.

#include <cstddef>
#include <utility>
#include <vector>

#include "tunekit/measure/fixed.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/search/parego.hpp"
#include "tunekit/tune/recipe.hpp"

namespace tunekit::recipes {

/// Searches the front of several goals with the models of `combined`: `search::parego`. `goals` are positions, 0 for
/// the cost and k + 1 for value k; empty: the cost and every value that a measurement has.
///
///     auto found = tune(space, measurer, recipes::parego(), {.trials = 200}, gen);
///     const auto lightest = recipes::parego({1});  // value 0 alone
///
/// Each configuration has five runs, and none is cut short: one that is slow may be the smallest.
///
/// Source: Knowles (2006), ParEGO.
[[nodiscard]] inline auto parego(std::vector<std::size_t> goals = {})
{
    return recipe{search::parego{combined().strategy, std::move(goals)}, measure::fixed{.runs = 5, .batch = 1},
                  candidate_limits{}, std::size_t{1}};
}

}  // namespace tunekit::recipes
