// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Exhaustive search in the order of the indices.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::search {

/// Proposes 0, 1, 2, ...: every configuration, once, in the order of the space.
///
///     auto all = tk::tune(space, measure, tk::search::grid{}, {.trials = space.size()}, gen);
///
/// Failed and abandoned measurements: it looks at no measurement at all.
/// Randomness: none.
struct grid {
    /// The first index not proposed yet.
    struct state {
        index next = 0;

        friend bool operator==(const state&, const state&) = default;
    };

    template <space::counted Space>
    [[nodiscard]] state start(const Space&) const
    {
        return {};
    }

    /// The next `n` indices, fewer at the end, none after it.
    template <space::counted Space, generator G>
    [[nodiscard]] std::vector<index> propose(state& s, const Space& space, std::size_t n, G&) const
    {
        std::vector<index> batch(static_cast<std::size_t>((std::min<index>)(n, space.size() - s.next)));
        std::iota(batch.begin(), batch.end(), s.next);
        s.next += batch.size();
        return batch;
    }

    template <space::counted Space, generator G>
    void observe(state&, const Space&, std::span<const index>, std::span<const measure::measurement>, G&) const
    {
    }
};

}  // namespace tunekit::search
