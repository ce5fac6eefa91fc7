// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The best measured configurations.

#include <algorithm>
#include <cstddef>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::search::detail {

/// The best of the valid measurements. A regular value.
struct standings {
    core::plain_vector<index> ranking;     ///< lowest cost first, the earlier of equals first
    core::plain_vector<double> log_costs;  ///< one per entry of `ranking`

    friend bool operator==(const standings&, const standings&) = default;

    /// Adds a valid measurement and keeps the `most` best.
    void add(index i, double log_cost, std::size_t most);
};

}  // namespace tunekit::search::detail

#if TUNEKIT_BODIES
namespace tunekit::search::detail {

TUNEKIT_INLINE void standings::add(index i, double log_cost, std::size_t most)
{
    const auto place = std::upper_bound(log_costs.begin(), log_costs.end(), log_cost) - log_costs.begin();
    log_costs.insert(log_costs.begin() + place, log_cost);
    ranking.insert(ranking.begin() + place, i);
    if (ranking.size() > most) {
        ranking.pop_back();
        log_costs.pop_back();
    }
}

}  // namespace tunekit::search::detail
#endif  // TUNEKIT_BODIES
