// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AutoTVM as its users ran it: ten runs of each configuration, eight built at a time, one task after another.

#include <cstddef>
#include <utility>

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/screen/diversity.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/model_guided.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/tune/recipe.hpp"

namespace tunekit::recipes {

namespace detail {

/// A strategy as AutoTVM ran its own.
template <class Strategy>
[[nodiscard]] auto in_autotvm(Strategy strategy)
{
    return recipe{
        std::move(strategy),   measure::fixed{.runs = 10, .batch = 1}, candidate_limits{}, std::size_t{8}, 20.0,
        schedule::sequential{}};
}

[[nodiscard]] inline auto autotvm_paper(surrogate::boosted_loss loss)
{
    surrogate::boosted_trees trees = surrogate::boosted_trees::paper();
    trees.loss = loss;
    return search::model_guided{trees, acquisition::mean{}, explore::annealing{},
                                screen::epsilon_greedy{screen::keep_best{}}};
}

[[nodiscard]] inline auto autotvm(surrogate::boosted_loss loss)
{
    auto out = autotvm_paper(loss);
    out.options = search::model_guided_options::growing();
    out.screen.options.stochastic_rounding = true;  // or small rounds would take none at random
    return out;
}

}  // namespace detail

/// AutoTVM's XGBTuner with its default, ranking loss: boosted trees of depth 3, annealing of 128 chains over 500 steps,
/// 5 % at random. Rounds grow from 1 to 64, where the original has rounds of 64 from the start.
///
///     auto mine = recipes::autotvm_rank();
///     mine.strategy.explore.unit = explore::heat::spread;      // every part can be changed
///
/// Source:     Chen et al. (2018), Learning to Optimize Tensor Programs, NeurIPS; TVM 0.6 for the numbers.
/// Departures: parameter values as features instead of those of the lowered loop nest, which belong to a compiler;
///             `search::model_guided_options::growing()`, and the random share rounded at random. `autotvm_rank_paper`
///             has neither of the two. The choice by score alone is TVM's default; `autotvm_rank_diverse_paper` has the
///             paper's.
[[nodiscard]] inline auto autotvm_rank()
{
    return detail::in_autotvm(detail::autotvm(surrogate::boosted_loss::pairwise));
}

/// The same with squared error, as in Chameleon's tables.
[[nodiscard]] inline auto autotvm_reg()
{
    return detail::in_autotvm(detail::autotvm(surrogate::boosted_loss::squared));
}

/// `autotvm_rank` with the paper's rounds: 64 at random, then 61 of the model and 3 at random.
[[nodiscard]] inline auto autotvm_rank_paper()
{
    return detail::in_autotvm(detail::autotvm_paper(surrogate::boosted_loss::pairwise));
}

/// `autotvm_reg` with the paper's rounds.
[[nodiscard]] inline auto autotvm_reg_paper()
{
    return detail::in_autotvm(detail::autotvm_paper(surrogate::boosted_loss::squared));
}

/// `autotvm_rank_paper` with the choice of equation 3: among twice as many candidates it takes those that are good and
/// differ. TVM has it as an option and leaves it off.
[[nodiscard]] inline auto autotvm_rank_diverse_paper()
{
    const auto plain = detail::autotvm_paper(surrogate::boosted_loss::pairwise);
    return detail::in_autotvm(
        search::model_guided{plain.model, plain.acquire, plain.explore, screen::epsilon_greedy{screen::diversity{}}});
}

/// AutoTVM's GATuner: a genetic algorithm.
[[nodiscard]] inline auto autotvm_genetic() { return detail::in_autotvm(search::genetic{}); }

}  // namespace tunekit::recipes
