// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The concept of a screen: the choice of the configurations to measure among candidates.

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/explore/concepts.hpp"

namespace tunekit::screen {

/// The number of candidates that a screen needs to choose `n`: its `candidates_for(n)` where it has one, else n.
template <class S>
[[nodiscard]] constexpr std::size_t candidates_for(const S& rule, std::size_t n)
{
    if constexpr (requires {
                      { rule.candidates_for(n) } -> std::same_as<std::size_t>;
                  })
        return rule.candidates_for(n);
    else return n;
}

/// A screen chooses at most `n` distinct configurations outside `visited`, in the order in which they should be
/// measured. Candidates come best first; a screen may choose other configurations too. One that needs more candidates
/// than it chooses has `candidates_for(n) const -> std::size_t`.
/// Semantics: equal arguments and generators choose equally.
template <class S, class Space, class G>
concept screen = std::copyable<S> &&
                 requires(const S& rule, const Space& space, std::span<const explore::scored_candidate> candidates,
                          const space::index_set& visited, std::size_t n, G& gen) {
                     { rule.select(space, candidates, visited, n, gen) } -> std::same_as<std::vector<index>>;
                 };

}  // namespace tunekit::screen
