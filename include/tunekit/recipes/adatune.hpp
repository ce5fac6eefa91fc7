// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AdaTune, and the steps that lead to it.

#include <cstddef>
#include <utility>

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/contextual.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/screen/diversity.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/screen/screened.hpp"
#include "tunekit/search/model_guided.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/tune/recipe.hpp"

namespace tunekit::recipes {

namespace detail {

[[nodiscard]] inline surrogate::random_forest adatune_forest(std::size_t trees)
{
    return {.trees = trees, .max_features = 10};
}

/// A strategy of AdaTune's with a repetition, in AutoTVM's loop: eight at a time, one task after another.
template <class Strategy, class Repetition>
[[nodiscard]] auto in_adatune(Strategy strategy, Repetition repetition)
{
    return recipe{std::move(strategy), repetition, candidate_limits{}, std::size_t{8}, 20.0, schedule::sequential{}};
}

[[nodiscard]] inline explore::annealing adatune_annealing() { return {.unit = explore::heat::spread}; }

}  // namespace detail

/// AutoTVM with a forest and expected improvement (the paper's RFEI + SA), ten runs each. It is the first step to
/// AdaTune. Rounds grow as in `adatune`.
[[nodiscard]] inline auto adatune_rfei()
{
    return detail::in_adatune(
        search::model_guided{detail::adatune_forest(32), acquisition::expected_improvement{},
                             detail::adatune_annealing(),
                             screen::epsilon_greedy{screen::keep_best{}, {.stochastic_rounding = true}},
                             search::model_guided_options::growing()},
        measure::fixed{.runs = 10, .batch = 1});
}

/// AdaTune: forest, expected improvement, contextual annealing (RFEI + CSA), and the evaluator that stops once it is
/// sure of the cost.
///
///     auto found = tune(space, kernel, recipes::adatune(), check, {.trials = 512}, gen);
///     auto same  = tune(space, measure::isolated(space, measure::timed{kernel, recipes::adatune().repetition, check}),
///                       recipes::adatune(), {.trials = 512}, gen);
///
/// Source:     Li et al. (2020), AdaTune: Adaptive Tensor Program Compilation Made Efficient, NeurIPS.
/// Departures: 32 trees (the paper does not say, its code has 10), as more rounds ask them more often; sd over trees,
///             as the code has and not the jackknife that the paper cites; annealing's temperature in units of the
///             scores' spread, without which it is hill climbing on the code's scale and a random walk on ours;
///             `search::model_guided_options::growing()`, and the random share rounded at random; the best candidates
///             instead of the diversity-aware choice. `adatune_paper` has none of these.
[[nodiscard]] inline auto adatune()
{
    return detail::in_adatune(search::model_guided{detail::adatune_forest(32), acquisition::expected_improvement{},
                                                   explore::contextual_annealing{.inner = detail::adatune_annealing(),
                                                                                 .stochastic_rounding = true},
                                                   screen::keep_best{}, search::model_guided_options::growing()},
                              measure::until_stable::paper());
}

/// AdaTune as in its paper, algorithm 1. Rounds have b = 64 configurations. AutoTVM's annealing with expected
/// improvement gives 2 b candidates; the diverse (1 - epsilon_t) b of them are measured, and epsilon_t b random ones.
/// epsilon_t comes from the jackknife's uncertainty. The evaluator is AdaTune's.
///
/// Departures: 100 trees, scikit-learn's default, as the paper does not say; those of `surrogate::random_forest`
///             (features that are constant in a node do not count among `max_features`; forestci's calibration of the
///             jackknife is left out), of `explore::contextual`, `screen::diversity` and `measure::until_stable`;
///             parameter values as features.
[[nodiscard]] inline auto adatune_paper()
{
    return detail::in_adatune(
        search::model_guided{surrogate::random_forest::jackknifed(), acquisition::expected_improvement{},
                             explore::contextual{screen::screened{explore::annealing{}, screen::diversity{}}},
                             screen::keep_best{}},
        measure::until_stable::paper());
}

}  // namespace tunekit::recipes
