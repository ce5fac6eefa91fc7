// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AdaTune and the steps that lead to it.

#include <cstddef>

#include "tunekit/acquisition/expected_improvement.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/contextual_annealing.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/tune/model_guided.hpp"

namespace tunekit::recipes {

namespace detail {

[[nodiscard]] inline surrogate::random_forest adatune_forest(std::size_t trees) { return {.trees = trees, .max_features = 10}; }

[[nodiscard]] inline explore::annealing adatune_annealing() { return {.unit = explore::heat::spread}; }

}  // namespace detail

/// First step: AutoTVM with a forest and expected improvement (the paper's RFEI + SA); plans grow as in `adatune`.
[[nodiscard]] inline auto adatune_rfei()
{
    return model_guided{detail::adatune_forest(32), acquisition::expected_improvement{}, detail::adatune_annealing(),
                        screen::epsilon_greedy{screen::keep_best{}, {.stochastic_rounding = true}},
                        model_guided_options::growing()};
}

/// AdaTune's strategy: forest, expected improvement, contextual annealing (RFEI + CSA). Its third part, the evaluator
/// that stops once it is sure, belongs to the measurer: `adatune_repetition()`.
///
///     auto measure = measure::isolated(space, measure::timed{kernel, recipes::adatune_repetition(), check});
///     auto found   = tune(space, measure, recipes::adatune(), {.trials = 512}, gen);
///
/// Source:     Li et al. (2020), AdaTune: Adaptive Tensor Program Compilation Made Efficient, NeurIPS.
/// Departures: 32 trees (the paper does not say, its code has 10), as more plans ask them more often; sd over trees, as
///             the code has and not the jackknife that the paper cites; annealing's temperature in units of the scores'
///             spread, without which it is hill climbing on the code's scale and a random walk on ours;
///             `model_guided_options::growing()`, and the random share rounded by lot. `adatune_paper` has neither of
///             the last two, and 100 trees.
[[nodiscard]] inline auto adatune()
{
    return model_guided{detail::adatune_forest(32), acquisition::expected_improvement{},
                        explore::contextual_annealing{.inner = detail::adatune_annealing(), .stochastic_rounding = true},
                        screen::keep_best{}, model_guided_options::growing()};
}

/// `adatune` with the paper's plans of 64, and with 100 trees.
[[nodiscard]] inline auto adatune_paper()
{
    return model_guided{detail::adatune_forest(100), acquisition::expected_improvement{},
                        explore::contextual_annealing{.inner = detail::adatune_annealing()}, screen::keep_best{}};
}

/// AdaTune's evaluator.
[[nodiscard]] inline measure::until_stable adatune_repetition() { return measure::until_stable::paper(); }

}  // namespace tunekit::recipes
