// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Random search: the baseline for every other strategy.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/space/unvisited.hpp"

namespace tunekit::search {

/// Searches uniformly without replacement: every order of the space is equally likely.
///
///     auto found = tk::tune(space, measure, tk::search::random{}, {.trials = 512}, gen);
///
/// Measurements: it looks at none, so a failed or abandoned one changes nothing.
/// Pending:    it never waits.
/// Randomness: one `uniform_index` per proposal and per rejection (space::unvisited).
/// Cost:       O(1) expected per proposal, 13-32 bytes of state each.
struct random {
    /// The set of proposed configurations. A regular value: copy it to replay.
    struct state {
        space::unvisited rest;  ///< the configurations that were not proposed or observed yet

        friend bool operator==(const state&, const state&) = default;
    };

    template <space::counted Space>
    [[nodiscard]] state start(const Space&) const
    {
        return {};
    }

    /// At most `n` of the configurations not proposed yet; empty once all were.
    template <space::counted Space, generator G>
    [[nodiscard]] std::vector<index> propose(state& s, const Space& space, std::size_t n, G& gen) const
    {
        std::vector<index> batch;
        batch.reserve(static_cast<std::size_t>((std::min<index>)(n, space.size() - s.rest.taken())));
        while (batch.size() < n) {
            const auto i = s.rest.draw(space, gen);
            if (!i) break;
            batch.push_back(*i);
        }
        return batch;
    }

    template <space::counted Space, generator G>
    void observe(state& s, const Space&, std::span<const index> batch, std::span<const measure::measurement>, G&) const
    {
        for (const index i : batch) s.rest.take(i);  // may be new: somebody else may have chosen it
    }
};

}  // namespace tunekit::search
