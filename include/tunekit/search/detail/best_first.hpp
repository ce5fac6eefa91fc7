// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Candidates in the order of their scores.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/unvisited.hpp"

namespace tunekit::search::detail {

/// A score, and the position of the candidate that has it.
struct scored_position {
    double score = 0;
    std::uint32_t at = 0;
};

/// Puts the `n` of highest score in front, the best first. Equal scores are ordered by position. Cost O(all + n log n).
void best_first(std::vector<scored_position>& all, std::size_t n);

/// Takes the last of `line` that was not proposed, and drops those behind it; empty where there is none.
[[nodiscard]] std::optional<index> next_of(std::vector<index>& line, const space::unvisited& proposed);

}  // namespace tunekit::search::detail

#if TUNEKIT_BODIES
namespace tunekit::search::detail {

TUNEKIT_INLINE void best_first(std::vector<scored_position>& all, std::size_t n)
{
    const auto better = [](const scored_position& a, const scored_position& b) {
        return a.score != b.score ? a.score > b.score : a.at < b.at;
    };
    const auto end = all.begin() + static_cast<std::ptrdiff_t>((std::min)(n, all.size()));
    if (end != all.end()) std::nth_element(all.begin(), end, all.end(), better);
    std::sort(all.begin(), end, better);
}

TUNEKIT_INLINE std::optional<index> next_of(std::vector<index>& line, const space::unvisited& proposed)
{
    while (!line.empty()) {
        const index i = line.back();
        line.pop_back();
        if (!proposed.contains(i)) return i;
    }
    return std::nullopt;
}

}  // namespace tunekit::search::detail
#endif  // TUNEKIT_BODIES
