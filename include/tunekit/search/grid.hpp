// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Exhaustive search in the order of the indices.

#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/index_set.hpp"

namespace tunekit::search {

/// Proposes every configuration once, in the order of the space: 0, 1, 2, ...
///
///     auto all = tk::tune(space, measure, tk::search::grid{}, {.trials = space.size()}, gen);
///
/// Measurements: it looks at none, so a failed or abandoned one changes nothing.
/// Pending:    it never waits.
/// Randomness: none.
struct grid {
    /// Where the run stands. A regular value: copy it to replay.
    struct state {
        index next = 0;          ///< the first index not proposed yet
        space::index_set known;  ///< indices from `next` on that somebody else measured; they are left out

        friend bool operator==(const state&, const state&) = default;
    };

    template <space::counted Space>
    [[nodiscard]] state start(const Space&) const
    {
        return {};
    }

    /// The next `n` indices; fewer at the end of the space, none after it.
    template <space::counted Space, generator G>
    [[nodiscard]] std::vector<index> propose(state& s, const Space& space, std::size_t n, G&) const
    {
        std::vector<index> batch;
        for (; batch.size() < n && s.next < space.size(); ++s.next)
            if (!s.known.contains(s.next)) batch.push_back(s.next);
        return batch;
    }

    template <space::counted Space, generator G>
    void observe(state& s, const Space&, std::span<const index> batch, std::span<const measure::measurement>, G&) const
    {
        for (const index i : batch)
            if (i >= s.next) s.known.insert(i);
    }
};

}  // namespace tunekit::search
