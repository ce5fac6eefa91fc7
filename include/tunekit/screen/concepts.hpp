// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a screen is: the choice of what to measure among candidates.

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/explore/concepts.hpp"

namespace tunekit::screen {

/// Chooses at most `n` distinct configurations outside `visited`, in the order in which they should be measured. Candidates come
/// best first; a screen may choose others too.
/// Semantics: equal arguments and generators choose equally.
template <class S, class Space, class G>
concept screen = std::copyable<S> && requires(const S& rule, const Space& space, std::span<const explore::candidate> candidates,
                                              const space::index_set& visited, std::size_t n, G& gen) {
    { rule.select(space, candidates, visited, n, gen) } -> std::same_as<std::vector<index>>;
};

}  // namespace tunekit::screen
