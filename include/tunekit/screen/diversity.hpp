// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A screen that chooses candidates that differ from each other.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/screen/concepts.hpp"

namespace tunekit::screen {

/// Chooses greedily the set S of n among the first lambda n candidates that maximises
///
///     sum over s in S of score(s)  +  alpha * number of (parameter, value) pairs that occur in S,
///
/// where scores are scaled to [0, 1] over those candidates, from the least to the greatest that is finite: -inf counts
/// as 0, +inf as 1. The sum is monotone and submodular, so the greedy choice reaches at least 1 - 1/e of the best
/// value.
/// Ties: the better candidate.
///
/// Errors:     std::invalid_argument where a score is NaN, or a setting is out of range.
/// Randomness: none. Cost: O(lambda n^2 d).
/// Source:     Chen et al. (2018), Learning to Optimize Tensor Programs, NeurIPS, equation 3; with the predicted run
///             time replaced by the criterion's score, Li et al. (2020), AdaTune, NeurIPS, section 4.2.1.
/// Departures: TVM multiplies the scores by 0, so that only diversity counts; here that would be alpha = infinity.
///             Scores are scaled, so that alpha has one meaning.
struct diversity {
    double alpha = 1;        ///< worth of a parameter value not yet in S, in units of the scores' range; >= 0
    std::size_t lambda = 2;  ///< candidates considered per one chosen; >= 1

    /// The number of candidates that it needs to choose n: lambda n.
    [[nodiscard]] constexpr std::size_t candidates_for(std::size_t n) const noexcept { return lambda * n; }

    template <class Space, generator G>
    [[nodiscard]] std::vector<index> select(const Space& space, std::span<const explore::scored_candidate> candidates,
                                            const space::index_set& visited, std::size_t n, G&) const
    {
        require(alpha >= 0, "screen::diversity: alpha is negative or NaN, want >= 0");
        require(lambda >= 1, "screen::diversity: lambda is 0, want >= 1");
        std::vector<index> among;
        std::vector<double> worth;
        for (const auto& c : candidates) {
            if (among.size() == lambda * n) break;
            if (visited.contains(c.candidate)) continue;
            among.push_back(c.candidate);
            worth.push_back(c.score);
        }
        if (among.empty()) return among;
        constexpr double infinity = std::numeric_limits<double>::infinity();
        double low = infinity, high = -infinity;
        for (const double w : worth) {
            require(w == w, "screen::diversity: a score is NaN, want a number");
            if (!(w > -infinity && w < infinity)) continue;
            low = (std::min)(low, w);
            high = (std::max)(high, w);
        }
        const double half = high - low <= (std::numeric_limits<double>::max)() ? 1 : 0.5;  // the range may overflow
        const double range = half * high - half * low;
        for (double& w : worth) w = w == infinity ? 1 : w > low && range > 0 ? (half * w - half * low) / range : 0;

        const std::size_t d = space.dimensions();
        std::vector<std::uint16_t> rows(among.size() * d);
        space.ordinals(among, rows);
        std::vector<std::vector<bool>> seen(d);
        for (std::size_t j = 0; j < d; ++j) seen[j].resize(space.cardinalities()[j]);
        std::vector<bool> taken(among.size());
        std::vector<index> out;
        while (out.size() < (std::min)(n, among.size())) {
            std::size_t best = among.size();
            double most_gain = -1;
            for (std::size_t i = 0; i < among.size(); ++i) {
                if (taken[i]) continue;
                double gain = worth[i];
                for (std::size_t j = 0; j < d; ++j) gain += seen[j][rows[i * d + j]] ? 0 : alpha;
                if (gain > most_gain) {
                    most_gain = gain;
                    best = i;
                }
            }
            taken[best] = true;
            out.push_back(among[best]);
            for (std::size_t j = 0; j < d; ++j) seen[j][rows[best * d + j]] = true;
        }
        return out;
    }
};

}  // namespace tunekit::screen
