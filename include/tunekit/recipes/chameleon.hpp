// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Chameleon, and the halves of it.

#include <utility>

#include "tunekit/acquisition/mean.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/policy_gradient.hpp"
#include "tunekit/screen/adaptive_sampling.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/tune/model_guided.hpp"

namespace tunekit::recipes {

/// Chameleon's loop around any explorer and any screen: boosted trees with squared error, plans of at most 64, 3 of 64
/// by lot; each plan is measured whole before the next fit.
///
///     auto mine = recipes::chameleon_parts(explore::policy_gradient{.steps = 100}, screen::dbscan{});
template <class Explore, class Screen>
[[nodiscard]] auto chameleon_parts(Explore exploration, Screen sampling)
{
    return model_guided{surrogate::boosted_trees::paper(), acquisition::mean{}, std::move(exploration),
                        screen::epsilon_greedy{std::move(sampling)}};
}

/// Neither half: annealing, the best 64. AutoTVM with squared error (SA).
[[nodiscard]] inline auto chameleon_sa() { return chameleon_parts(explore::annealing{}, screen::keep_best{}); }

/// Adaptive exploration alone (AE): a policy searches, the best 64 are measured.
[[nodiscard]] inline auto chameleon_ae()
{
    return chameleon_parts(explore::policy_gradient::paper(), screen::keep_best{});
}

/// Adaptive sampling alone (SA + AS): annealing searches, few are measured for the many it found.
[[nodiscard]] inline auto chameleon_sa_as()
{
    return chameleon_parts(explore::annealing{}, screen::adaptive_sampling{});
}

/// Chameleon: adaptive exploration and adaptive sampling (AE + AS).
///
///     auto found = tune(space, measure, recipes::chameleon(), {.trials = 512}, gen);
///
/// Source:     Ahn et al. (2020), Chameleon: Adaptive Code Optimization for Expedited Deep Neural Network Compilation,
///             ICLR.
/// Departures: those of `explore::policy_gradient`, `screen::adaptive_sampling` and `screen::synthesis`; parameter
///             values as features. The public code cannot run this combination.
[[nodiscard]] inline auto chameleon()
{
    return chameleon_parts(explore::policy_gradient::paper(), screen::adaptive_sampling{});
}

}  // namespace tunekit::recipes
