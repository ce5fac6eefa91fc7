// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The concept of an explorer: a search for configurations of high predicted score, which costs no measurement.

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/core/detail/state_of.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/index_set.hpp"
#include "tunekit/stats/prediction.hpp"

namespace tunekit::explore {

/// A configuration with its score and its prediction.
struct scored_candidate {
    index candidate = 0;            ///< its index
    double score = 0;               ///< by the criterion; more is better
    stats::prediction predicted{};  ///< by the model, on the model's scale

    friend bool operator==(const scored_candidate&, const scored_candidate&) = default;
};

/// Scores and predicts configurations in batches. `best()` is the best measured score on the scale of `predict`. A
/// score may be infinite. A configuration whose score is NaN is never chosen. Predictions are finite.
template <class S>
concept scorer = requires(const S& s, std::span<const index> in, std::span<double> scores,
                          std::span<stats::prediction> predictions) {
    { s.score(in, scores) } -> std::same_as<void>;
    { s.predict(in, predictions) } -> std::same_as<void>;
    { s.best() } -> std::same_as<double>;
};

namespace detail {

/// The check of an explorer's judge: its sentence is the first error.
template <class S>
struct is_scorer {
    static constexpr bool value = scorer<S>;
    static_assert(
        value,
        "tunekit: explore, the judge is not a scorer: score(indices, scores), predict(indices, predictions) or "
        "best() is missing or not const");
};

}  // namespace detail

/// An explorer that makes the state of a run over `space`. Throws std::invalid_argument where a setting is out of
/// range.
template <class X, class Space>
concept starts_on = core::detail::starts_on<X, Space>;

/// The type of the state that `start` returns.
template <class X, class Space>
using state_of = core::detail::state_of<X, Space>;

/// An explorer that finds at most `n` distinct configurations outside `visited`, in the order in which it would measure
/// them: best score first unless the explorer says otherwise.
template <class X, class Space, class Scorer, class G>
concept explores = requires(const X& explorer, state_of<X, Space>& state, const Space& space, const Scorer& s,
                            const space::index_set& visited, std::size_t n, G& gen) {
    { explorer.explore(state, space, s, visited, n, gen) } -> std::same_as<std::vector<scored_candidate>>;
};

/// An explorer: its parameters are in the explorer; what one search keeps for the next is in its state.
/// Semantics: equal states, scores and generators give equal candidates; there are fewer than n only where it found no
/// more, or chose fewer.
template <class X, class Space, class Scorer, class G>
concept explorer = std::copyable<X> && starts_on<X, Space> && std::copyable<state_of<X, Space>> && scorer<Scorer> &&
                   explores<X, Space, Scorer, G>;

}  // namespace tunekit::explore
