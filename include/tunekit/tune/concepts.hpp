// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a strategy is: ask and tell over a state of its own.

#include <concepts>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit {

/// Starts the state of a run over `space`. Throws std::invalid_argument where a setting is out of range.
template <class S, class Space>
concept starts_on = requires(const S& strategy, const Space& space) { strategy.start(space); };

/// What `start` returns.
template <class S, class Space>
using state_of = decltype(std::declval<const S&>().start(std::declval<const Space&>()));

/// Asks: at most `n` configurations of `space`, none of them proposed before; empty means that the space is exhausted.
template <class S, class Space, class G>
concept proposes = requires(const S& strategy, state_of<S, Space>& state, const Space& space, std::size_t n, G& gen) {
    { strategy.propose(state, space, n, gen) } -> std::same_as<std::vector<index>>;
};

/// Tells: what became of a batch, in its order: the last one proposed, or, before the first proposal, configurations
///        that somebody else chose. Either way they count as proposed.
template <class S, class Space, class G>
concept observes = requires(const S& strategy, state_of<S, Space>& state, const Space& space, std::span<const index> batch,
                            std::span<const measure::measurement> measured, G& gen) {
    { strategy.observe(state, space, batch, measured, gen) } -> std::same_as<void>;
};

/// A search strategy: parameters in the strategy, knowledge in its state.
/// Semantics: every proposal is observed, whole, before the next; equal states and equal generators propose
/// equally; nothing but the state and the generator is touched; a failed or abandoned measurement is an answer like any.
template <class S, class Space, class G>
concept strategy = std::copyable<S> && starts_on<S, Space> && std::copyable<state_of<S, Space>> && proposes<S, Space, G> &&
                   observes<S, Space, G>;

}  // namespace tunekit
