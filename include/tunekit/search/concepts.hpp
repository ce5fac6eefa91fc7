// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The concept of a strategy: ask and tell over a state of its own.

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/core/detail/state_of.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::search {

/// A strategy that makes the state of a run over `space`. Throws std::invalid_argument where a setting is out of range.
template <class S, class Space>
concept starts_on = core::detail::starts_on<S, Space>;

/// The type of the state that `start` returns.
template <class S, class Space>
using state_of = core::detail::state_of<S, Space>;

/// A strategy that proposes: at most `n` configurations of `space`, none of them proposed or observed before. Earlier
/// proposals may still be out. Fewer than `n` has no meaning of its own. An empty batch means that the strategy waits
/// for an answer where some are out, and that the space is exhausted where none is. A call that proposes nothing leaves
/// state and generator as they were.
template <class S, class Space, class G>
concept proposes = requires(const S& strategy, state_of<S, Space>& state, const Space& space, std::size_t n, G& gen) {
    { strategy.propose(state, space, n, gen) } -> std::same_as<std::vector<index>>;
};

/// A strategy that observes the results of configurations, each once. Results of those that are out come in any order
/// and in any portions. Configurations that somebody else chose may come at any time. They count as proposed from then
/// on.
template <class S, class Space, class G>
concept observes = requires(const S& strategy, state_of<S, Space>& state, const Space& space,
                            std::span<const index> batch, std::span<const measure::measurement> measured, G& gen) {
    { strategy.observe(state, space, batch, measured, gen) } -> std::same_as<void>;
};

/// A search strategy: its parameters are in the strategy, its knowledge is in the state.
/// Semantics: the state knows which proposals have no answer yet. Every strategy documents what these pending
/// configurations change; for the simplest they change nothing. Equal states and equal generators propose equally. Only
/// the state and the generator are touched. A failed or abandoned measurement is an answer like any other.
template <class S, class Space, class G>
concept strategy = std::copyable<S> && starts_on<S, Space> && std::copyable<state_of<S, Space>> &&
                   proposes<S, Space, G> && observes<S, Space, G>;

}  // namespace tunekit::search
