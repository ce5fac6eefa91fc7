// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// An explorer that scores every configuration: what a search for a criterion's maximum costs beside it.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "tunekit/explore/concepts.hpp"
#include "tunekit/space/index_set.hpp"

namespace programs {

/// Returns the best of all configurations, ties by the lower index.
///
///     search::model_guided{model, acquisition::expected_improvement{}, enumeration{}, screen::keep_best{}}
///
/// Randomness: none. Cost: one score per configuration; memory 16 bytes each.
struct enumeration {
    struct state {
        friend bool operator==(const state&, const state&) = default;
    };

    template <class Space>
    [[nodiscard]] state start(const Space&) const
    {
        return {};
    }

    template <class Space, class Scorer, tunekit::generator G>
    [[nodiscard]] std::vector<tunekit::explore::scored_candidate> explore(state&, const Space& space,
                                                                          const Scorer& judge,
                                                                          const tunekit::space::index_set& visited,
                                                                          std::size_t n, G&) const
    {
        std::vector<tunekit::index> best(static_cast<std::size_t>(space.size()));
        std::iota(best.begin(), best.end(), tunekit::index{0});
        std::vector<double> scores(best.size());
        judge.score(best, scores);
        std::erase_if(best, [&](tunekit::index i) { return visited.contains(i); });
        const auto end = best.begin() + static_cast<std::ptrdiff_t>((std::min)(n, best.size()));
        const auto score = [&](tunekit::index i) { return scores[static_cast<std::size_t>(i)]; };
        std::partial_sort(best.begin(), end, best.end(), [&](tunekit::index a, tunekit::index b) {
            return score(a) != score(b) ? score(a) > score(b) : a < b;
        });
        best.erase(end, best.end());
        std::vector<tunekit::stats::prediction> predicted(best.size());
        judge.predict(best, predicted);
        std::vector<tunekit::explore::scored_candidate> out;
        for (std::size_t k = 0; k < best.size(); ++k) out.push_back({best[k], score(best[k]), predicted[k]});
        return out;
    }
};

}  // namespace programs
