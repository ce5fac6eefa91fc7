// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AutoTVM as its users ran it.

#include "tunekit/acquisition/mean.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/tune/model_guided.hpp"

namespace tunekit::recipes {

namespace detail {

[[nodiscard]] inline auto autotvm_paper(surrogate::boosted_loss loss)
{
    surrogate::boosted_trees trees = surrogate::boosted_trees::paper();
    trees.loss = loss;
    return model_guided{trees, acquisition::mean{}, explore::annealing{}, screen::epsilon_greedy{screen::keep_best{}}};
}

[[nodiscard]] inline auto autotvm(surrogate::boosted_loss loss)
{
    auto out = autotvm_paper(loss);
    out.options = model_guided_options::growing();
    out.screen.options.stochastic_rounding = true;  // or small plans would take none by lot
    return out;
}

}  // namespace detail

/// AutoTVM's XGBTuner with its default, ranking loss: boosted trees of depth 3, annealing of 128 chains over 500 steps,
/// 5 % by lot; but with plans that grow from 1 to 64 instead of plans of 64 from the start.
///
///     auto mine = recipes::autotvm_rank();
///     mine.explore.unit = explore::heat::spread;      // every part can be changed
///
/// Source:     Chen et al. (2018), Learning to Optimize Tensor Programs, NeurIPS; TVM 0.6 for the numbers.
/// Departures: parameter values as features instead of those of the lowered loop nest, which belong to a compiler;
///             `model_guided_options::growing()`, and the random share rounded by lot. `autotvm_rank_paper` has neither
///             of the two.
[[nodiscard]] inline auto autotvm_rank() { return detail::autotvm(surrogate::boosted_loss::pairwise); }

/// The same with squared error, as in Chameleon's tables.
[[nodiscard]] inline auto autotvm_reg() { return detail::autotvm(surrogate::boosted_loss::squared); }

/// `autotvm_rank` with the paper's plans: 64 by lot, then 61 of the model and 3 by lot at a time.
[[nodiscard]] inline auto autotvm_rank_paper() { return detail::autotvm_paper(surrogate::boosted_loss::pairwise); }

/// `autotvm_reg` with the paper's plans.
[[nodiscard]] inline auto autotvm_reg_paper() { return detail::autotvm_paper(surrogate::boosted_loss::squared); }

/// AutoTVM's GATuner.
[[nodiscard]] inline search::genetic autotvm_genetic() { return {}; }

}  // namespace tunekit::recipes
