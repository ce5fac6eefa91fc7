// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// New configurations that resemble good ones.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tunekit/random/uniform.hpp"
#include "tunekit/screen/concepts.hpp"

namespace tunekit::screen {

/// Makes a configuration, outside two sets, that resembles the members of a cluster of candidates. It is the first of
/// these that is a member of the space and in neither set:
///
///  1. the most frequent value of every parameter among the members (ties: the lowest);
///  2. the most frequent value among all candidates;
///  3. up to `tries` times: each parameter with its value in a candidate drawn for that parameter;
///  4. the best of the candidates themselves.
///
///     const auto i = screen::synthesis{}.make(space, members, candidates, visited, chosen, gen);  // empty: not possible
///
/// Randomness: in 3, one `uniform_index` per parameter and try. Cost: O((members + candidates + tries) d).
/// Source:     Ahn et al. (2020), Chameleon, ICLR, section 3.3 (sample synthesis).
/// Departures: the paper has only step 2, which gives every cluster the same configuration. Its code ignores what was
///             visited, draws the parameters that it did not cluster, and may never end.
struct synthesis {
    std::size_t tries = 100;  ///< of step 3

    /// `candidates` come best first; `members` are positions in it.
    template <class Space, generator G>
    [[nodiscard]] std::optional<index> make(const Space& space, std::span<const std::uint32_t> members,
                                            std::span<const explore::scored_candidate> candidates,
                                            const space::index_set& visited, const space::index_set& chosen,
                                            G& gen) const
    {
        if (candidates.empty()) return std::nullopt;
        const std::size_t d = space.dimensions();
        std::vector<index> which;
        for (const auto& c : candidates) which.push_back(c.candidate);
        std::vector<std::uint16_t> rows(which.size() * d), row(d);
        space.ordinals(which, rows);
        const auto usable = [&](std::optional<index> i) { return i && !visited.contains(*i) && !chosen.contains(*i); };

        std::vector<std::uint32_t> everybody(candidates.size());
        for (std::size_t i = 0; i < everybody.size(); ++i) everybody[i] = static_cast<std::uint32_t>(i);
        for (const auto group : {members, std::span<const std::uint32_t>(everybody)}) {
            for (std::size_t j = 0; j < d; ++j) row[j] = mode(rows, d, j, group, space.cardinalities()[j]);
            if (const auto made = space.index_of_ordinals(row); usable(made)) return made;
        }
        for (std::size_t t = 0; t < tries; ++t) {
            for (std::size_t j = 0; j < d; ++j)
                row[j] = rows[static_cast<std::size_t>(random::uniform_index(which.size(), gen)) * d + j];
            if (const auto made = space.index_of_ordinals(row); usable(made)) return made;
        }
        const auto left = std::find_if(which.begin(), which.end(), usable);
        return left == which.end() ? std::nullopt : std::optional(*left);
    }

private:
    static std::uint16_t mode(std::span<const std::uint16_t> rows, std::size_t d, std::size_t j,
                              std::span<const std::uint32_t> group, std::size_t values)
    {
        std::vector<std::uint32_t> times(values);
        for (const std::uint32_t i : group) ++times[rows[i * d + j]];
        return static_cast<std::uint16_t>(std::max_element(times.begin(), times.end()) - times.begin());
    }
};

}  // namespace tunekit::screen
