// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Finds what a model values most in a space too large to score whole: it climbs from the best of a sample.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tunekit/random/choice.hpp"
#include "tunekit/search/detail/candidate_pool.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/index_set.hpp"
#include "tunekit/space/unvisited.hpp"

namespace tunekit::search::detail {

/// Climbs by the values of configurations. `listed` has configurations, and `values` has their values, one each. The centres
/// of a round are the `width` listed ones of highest value, without those that were a centre before. Their neighbours (one
/// parameter changed) are appended, with values. It stops after `rounds`, or where a round finds no new neighbour.
/// `judge(some)` gives the values of configurations, one each. What was proposed is neither judged nor a centre.
///
/// Randomness: one `shuffle` of the neighbours in each round; it decides between equal values.
/// Cost:       at most width rounds neighbourhoods judged.
template <class Space, class Judge, generator G>
void climb(const Space& space, std::vector<index>& listed, std::vector<double>& values,
           const space::unvisited& proposed, std::size_t width, std::size_t rounds, const Judge& judge, G& gen)
{
    space::index_set seen, centres;
    for (const index i : listed) seen.insert(i);
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<scored_position> best;
        for (std::size_t k = 0; k < listed.size(); ++k)
            if (!proposed.contains(listed[k])) best.push_back({values[k], static_cast<std::uint32_t>(k)});
        best_first(best, width);
        std::vector<index> fresh;
        for (std::size_t k = 0; k < (std::min)(width, best.size()); ++k) {
            const index centre = listed[best[k].at];
            if (!centres.insert(centre)) continue;
            for (const index i : space.neighbours_of(centre, space::neighbourhood::any_value))
                if (!proposed.contains(i) && seen.insert(i)) fresh.push_back(i);
        }
        if (fresh.empty()) return;
        tunekit::random::shuffle(fresh, gen);
        const std::vector<double> fresh_values = judge(fresh);
        listed.insert(listed.end(), fresh.begin(), fresh.end());
        values.insert(values.end(), fresh_values.begin(), fresh_values.end());
    }
}

}  // namespace tunekit::search::detail
