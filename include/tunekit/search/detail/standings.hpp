// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The best measured configurations, and the steps from them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/search/detail/candidate_pool.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::search::detail {

/// Valid measurements, best first, and the steps left from them. Steps go to the neighbours (one parameter changed) of the
/// best, by their predicted means. Once all of those were proposed, they go to the neighbours of the next best. A regular
/// value.
struct standings {
    std::vector<index> ranking;     ///< lowest cost first, the earlier of equals first
    std::vector<double> log_costs;  ///< one per entry of `ranking`
    std::size_t exhausted = 0;      ///< how many leading entries of `ranking` have no neighbour left
    bool listed = false;            ///< whether `steps` are those of ranking[exhausted], by the last fit
    std::vector<index> steps;       ///< neighbours of ranking[exhausted], the next one last

    friend bool operator==(const standings&, const standings&) = default;

    /// Adds a valid measurement. Steps begin again from it where it is better than their centre, or where none is left.
    void add(index i, double log_cost);

    /// The step of highest predicted mean; empty where every neighbour of every valid one was proposed.
    /// Randomness: one `shuffle` of the neighbours of each centre; it decides between equal means.
    template <class Space, class Model, generator G>
    [[nodiscard]] std::optional<index> step(const Space& space, const space::unvisited& proposed, const Model& model,
                                            const surrogate::state_of<Model>& fitted, space::encoding encoding, G& gen)
    {
        for (; exhausted < ranking.size(); ++exhausted) {
            if (!listed) {
                std::vector<index> around = space.neighbours_of(ranking[exhausted], space::neighbourhood::any_value);
                std::erase_if(around, [&](index i) { return proposed.contains(i); });
                candidate_pool pool;
                pool.take(std::move(around), space, encoding, gen);
                const std::vector<stats::prediction> predicted = pool.predict(model, fitted);
                std::vector<scored_position> means;
                for (const std::uint32_t at : pool.asked) means.push_back({predicted[at].mean, at});
                steps = line_of(pool.listed, means, means.size());
                listed = true;
            }
            if (const auto i = next_of(steps, proposed)) return i;
            listed = false;
        }
        return std::nullopt;
    }
};

}  // namespace tunekit::search::detail

#if TUNEKIT_BODIES
namespace tunekit::search::detail {

TUNEKIT_INLINE void standings::add(index i, double log_cost)
{
    const auto place = std::upper_bound(log_costs.begin(), log_costs.end(), log_cost) - log_costs.begin();
    log_costs.insert(log_costs.begin() + place, log_cost);
    ranking.insert(ranking.begin() + place, i);
    if (static_cast<std::size_t>(place) > exhausted) return;
    exhausted = static_cast<std::size_t>(place);
    listed = false;
}

}  // namespace tunekit::search::detail
#endif  // TUNEKIT_BODIES
