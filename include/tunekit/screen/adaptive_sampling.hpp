// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Few configurations that stand for many: Chameleon's adaptive sampling.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/screen/concepts.hpp"
#include "tunekit/screen/k_means.hpp"
#include "tunekit/screen/synthesis.hpp"

namespace tunekit::screen {

/// The smallest of `first`, `first` + `step`, ... , `last` clusters from where more of them pay too little: the first k
/// with
///
///     factor * loss(k) >= loss(previous k),        or loss(k) = 0; else the last k.
///
///     screen::diminishing_returns{}.search([&](std::size_t k) { return loss_of(k); });
///
/// `loss` is called for each k tried, ascending. For losses 100, 39, 20 and factor 2.5 the third is the answer, for
/// 100, 41 the second.
/// Source:     Ahn et al. (2020), Chameleon, ICLR, algorithm 1; its code for the step of 8.
/// Departures: a loss of 0 ends the search. The paper's step of 1 always answers its second k, as no single cluster
///             divides a loss by 2.5.
struct diminishing_returns {
    std::size_t first = 8, step = 8, last = 64;  ///< 0 < first <= last, step > 0
    double factor = 2.5;                         ///< > 0

    template <class Loss>
    [[nodiscard]] std::size_t search(Loss&& loss) const
    {
        require(first > 0 && first <= last && step > 0,
                "screen::diminishing_returns: want 0 < first <= last and step >= 1");
        require(factor > 0, "screen::diminishing_returns: factor is 0, negative or NaN, want > 0");
        double previous = std::numeric_limits<double>::infinity();
        for (std::size_t k = first;; k += step) {
            const double now = loss(k);
            if (factor * now >= previous || now == 0 || step > last - k) return k;
            previous = now;
        }
    }
};

/// What stands for a cluster.
enum class representative : std::uint8_t {
    nearest_member,  ///< the member nearest to the centroid (ties: the better candidate)
    rounded_mean,  ///< the rounded centroid; the nearest member where that is not in the space
};

/// Chooses one configuration per cluster of the candidates: as many clusters as `size` finds worth their while, by
///                                                          k-means over all
/// parameters scaled to [0, 1]. What stands for a cluster but was visited or chosen already is replaced by `otherwise`.
///
///     screen::epsilon_greedy{screen::adaptive_sampling{}}      // Chameleon: of 64 candidates usually 16, 3 of them by
///     lot
///
/// Clusters come in the order of their best candidates. At most n; fewer than clusters where synthesis finds nothing
/// new.
///
/// Randomness: that of `groups.starts`, then of `otherwise` for each cluster that needs it.
/// Cost:       for 64 candidates of 12 parameters about 0.2 ms.
/// Source:     Ahn et al. (2020), Chameleon, ICLR, section 3.3 and algorithm 1.
/// Departures: best of 3 runs from k-means++ seeds, which makes the loss fall steadily. The code clusters two
///             parameters only, those of most values, in their own units, and truncates centroids; a rounded mean need
///             not be in a constrained space, so the nearest member is the default.
struct adaptive_sampling {
    diminishing_returns size{};
    k_means groups{.restarts = 3};
    representative stands = representative::nearest_member;
    synthesis otherwise{};

    template <class Space, generator G>
    [[nodiscard]] std::vector<index> select(const Space& space, std::span<const explore::candidate> candidates,
                                            const space::index_set& visited, std::size_t n, G& gen) const
    {
        std::vector<index> out;
        if (candidates.empty() || n == 0) return out;
        const point_rows points = scaled_rows(space, candidates);
        const auto starts = groups.starts(points, (std::min)(size.last, candidates.size()), gen);
        k_means::clustering found;
        (void)size.search([&](std::size_t k) {
            found = groups.cluster(points, (std::min)(k, n), starts);
            return k >= (std::min)(n, candidates.size()) ? 0.0 : found.loss;  // more clusters than that there cannot be
        });

        const std::size_t d = points.d;
        std::vector<std::vector<std::uint32_t>> members(found.centroids.size() / (d == 0 ? 1 : d));
        std::vector<std::uint32_t> order;  // clusters, by their best candidate
        for (std::uint32_t i = 0; i < candidates.size(); ++i) {
            if (members[found.of[i]].empty()) order.push_back(found.of[i]);
            members[found.of[i]].push_back(i);
        }
        space::index_set chosen;
        for (const std::uint32_t c : order) {
            const auto centroid = std::span(found.centroids).subspan(c * d, d);
            std::optional<index> pick;
            if (stands == representative::rounded_mean) pick = rounded(space, centroid);
            if (!pick) pick = candidates[nearest(points, members[c], centroid)].which;
            if (visited.contains(*pick) || chosen.contains(*pick))
                pick = otherwise.make(space, members[c], candidates, visited, chosen, gen);
            if (!pick) continue;
            chosen.insert(*pick);
            out.push_back(*pick);
        }
        return out;
    }

private:
    template <class Space>
    static std::optional<index> rounded(const Space& space, std::span<const float> centroid)
    {
        std::vector<std::uint16_t> row;
        for (std::size_t j = 0; j < centroid.size(); ++j)
            row.push_back(static_cast<std::uint16_t>(
                std::lround(centroid[j] * static_cast<float>(space.cardinalities()[j] - 1))));
        return space.index_of_ordinals(row);
    }

    static std::uint32_t nearest(const point_rows& points, std::span<const std::uint32_t> members,
                                 std::span<const float> centroid)
    {
        std::uint32_t best = members.front();
        double least = std::numeric_limits<double>::infinity();
        for (const std::uint32_t i : members) {
            double square = 0;
            for (std::size_t j = 0; j < centroid.size(); ++j) {
                const double e = static_cast<double>(points[i][j]) - static_cast<double>(centroid[j]);
                square += e * e;
            }
            if (square < least) least = square, best = i;
        }
        return best;
    }
};

}  // namespace tunekit::screen
