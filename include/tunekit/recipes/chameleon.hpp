// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Chameleon, and recipes with only one of its two parts.

#include <cstddef>
#include <utility>

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/policy_gradient.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/screen/adaptive_sampling.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/search/model_guided.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/tune/recipe.hpp"

namespace tunekit::recipes {

namespace detail {

/// The paper's cost model, xgb-reg: AutoTVM's trees with squared error. Scores are in (0, 1], and so are the policy's
/// rewards.
[[nodiscard]] constexpr surrogate::boosted_trees chameleon_trees()
{
    surrogate::boosted_trees trees = surrogate::boosted_trees::paper();
    trees.loss = surrogate::boosted_loss::squared;
    return trees;
}

}  // namespace detail

/// Chameleon's loop with any explorer and any screen: boosted trees with squared error, rounds of at most 64, 3 of 64
/// at random; all of a round is measured before the next fit. As in AutoTVM's loop: ten runs each, eight at a time, one
/// task after another.
///
///     auto mine = recipes::chameleon_parts(explore::policy_gradient{.steps = 100}, screen::keep_best{});
template <class Explore, class Screen>
[[nodiscard]] auto chameleon_parts(Explore exploration, Screen sampling)
{
    return recipe{search::model_guided{detail::chameleon_trees(), acquisition::mean{}, std::move(exploration),
                                       screen::epsilon_greedy{std::move(sampling)}},
                  measure::fixed{.runs = 10, .batch = 1},
                  candidate_limits{},
                  std::size_t{8},
                  20.0,
                  schedule::sequential{}};
}

/// AutoTVM with squared error (SA), without either part of Chameleon: annealing searches, and the best 64 are measured.
[[nodiscard]] inline auto chameleon_sa() { return chameleon_parts(explore::annealing{}, screen::keep_best{}); }

/// Adaptive exploration alone (AE): a policy searches, and the best 64 are measured.
[[nodiscard]] inline auto chameleon_ae()
{
    return chameleon_parts(explore::policy_gradient::paper(), screen::keep_best{});
}

/// Adaptive sampling alone (SA + AS): annealing searches, and a few configurations are measured in place of the many
/// that it found.
[[nodiscard]] inline auto chameleon_sa_as()
{
    return chameleon_parts(explore::annealing{}, screen::adaptive_sampling::paper());
}

/// Chameleon: adaptive exploration and adaptive sampling (AE + AS).
///
///     auto found = tune(space, measure, recipes::chameleon(), {.trials = 512}, gen);
///
/// Source:     Ahn et al. (2020), Chameleon: Adaptive Code Optimization for Expedited Deep Neural Network Compilation,
///             ICLR.
/// Departures: those of `explore::policy_gradient`, `screen::adaptive_sampling` and `screen::synthesis`; parameter
///             values as features instead of those of the lowered loop nest; the 3 random configurations of a round,
///             which are AutoTVM's. The public code cannot run this combination.
[[nodiscard]] inline auto chameleon()
{
    return chameleon_parts(explore::policy_gradient::paper(), screen::adaptive_sampling::paper());
}

}  // namespace tunekit::recipes
