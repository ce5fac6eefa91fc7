// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A screen that keeps the best candidates.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/screen/concepts.hpp"

namespace tunekit::screen {

/// Chooses the first `n` candidates outside `visited`. Randomness: none. Cost: O(n).
struct keep_best {
    template <class Space, generator G>
    [[nodiscard]] std::vector<index> select(const Space&, std::span<const explore::scored_candidate> candidates,
                                            const space::index_set& visited, std::size_t n, G&) const
    {
        std::vector<index> out;
        for (const auto& c : candidates) {
            if (out.size() == n) break;
            if (!visited.contains(c.candidate)) out.push_back(c.candidate);
        }
        return out;
    }
};

}  // namespace tunekit::screen
