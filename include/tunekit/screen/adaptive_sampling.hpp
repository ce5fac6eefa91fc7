// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Chameleon's adaptive sampling: a few configurations that represent many.

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

/// A rule for the number of clusters. It takes the smallest k of `first`, `first` + `step`, ... , `last` at which more
/// clusters no longer lower the loss enough: the first k with
///
///     factor * loss(k) >= loss(previous k),        or loss(k) = 0; else the last k.
///
///     screen::diminishing_returns{}.search([&](std::size_t k) { return loss_of(k); });
///
/// `loss` is called for each k tried, ascending. For losses 100, 39, 20 and factor 2.5 it takes the third k, for 100,
/// 41 the second.
/// Source:     Ahn et al. (2020), Chameleon, ICLR, algorithm 1; its code for the step of 8.
/// Departures: a loss of 0 ends the search. With the paper's step of 1 the answer is always the second k, because no
///             single cluster divides a loss by 2.5.
struct diminishing_returns {
    std::size_t first = 8, step = 8, last = 64;  ///< 0 < first <= last, step > 0
    double factor = 2.5;                         ///< > 0

    /// The first k at which more clusters no longer lower the loss enough.
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

/// The configuration that represents a cluster.
enum class representative : std::uint8_t {
    nearest_member,  ///< the member nearest to the centroid (ties: the better candidate)
    rounded_mean,    ///< the rounded centroid; the nearest member where that is not in the space
};

/// Chooses one configuration per cluster of the candidates. Clusters are made by k-means over all parameters scaled to
/// [0, 1]; `size` decides how many. `replacement` makes another configuration for a representative that was visited or
/// chosen already.
///
///     screen::epsilon_greedy{screen::adaptive_sampling{}}  // Chameleon: of 64 candidates usually 16, 3 of them random
///
/// Clusters come in the order of their best candidates. There are at most n configurations, and fewer than clusters
/// where synthesis finds nothing new.
///
/// Randomness: that of `groups.starts`, then of `replacement` for each cluster that needs it.
/// Cost:       for 64 candidates of 12 parameters about 0.2 ms.
/// Source:     Ahn et al. (2020), Chameleon, ICLR, section 3.3 and algorithm 1.
/// Departures: the best of 3 runs from k-means++ seeds, which makes the loss fall steadily. The code clusters only the
///             two parameters with the most values, in their own units, and truncates centroids. The default represents
///             a cluster by its nearest member, because a rounded mean need not be in a constrained space. Explorers
///             return unvisited configurations, so then nothing is synthesised. `paper` uses the centroid.
struct adaptive_sampling {
    diminishing_returns size{};                                      ///< the rule for the number of clusters
    k_means groups{.restarts = 3};                                   ///< makes the clusters
    representative represented_by = representative::nearest_member;  ///< the configuration that represents a cluster
    synthesis replacement{};                                         ///< makes others for those visited

    /// The paper's settings: clusters are represented by their centroids, and visited ones are replaced by synthesis.
    [[nodiscard]] static constexpr adaptive_sampling paper()
    {
        return {.represented_by = representative::rounded_mean};
    }

    /// The chosen configurations, and how many of them `replacement` made.
    struct sample {
        std::vector<index> chosen;    ///< in the order of the clusters
        std::size_t synthesised = 0;  ///< made by `replacement`

        friend bool operator==(const sample&, const sample&) = default;
    };

    template <class Space, generator G>
    [[nodiscard]] std::vector<index> select(const Space& space, std::span<const explore::scored_candidate> candidates,
                                            const space::index_set& visited, std::size_t n, G& gen) const
    {
        return draw(space, candidates, visited, n, gen).chosen;
    }

    /// `select` with the origin of its choice.
    template <class Space, generator G>
    [[nodiscard]] sample draw(const Space& space, std::span<const explore::scored_candidate> candidates,
                              const space::index_set& visited, std::size_t n, G& gen) const
    {
        sample out;
        if (candidates.empty() || n == 0) return out;
        const point_rows points = scaled_rows(space, candidates);
        const auto starts = groups.starts(points, (std::min)(size.last, candidates.size()), gen);
        const k_means::clustering found = enough_clusters(points, (std::min)(n, candidates.size()), starts);

        const std::size_t d = points.d;
        std::vector<std::vector<std::uint32_t>> members(found.centroids.size() / (d == 0 ? 1 : d));
        std::vector<std::uint32_t> order;  // clusters, by their best candidate
        for (std::uint32_t i = 0; i < candidates.size(); ++i) {
            if (members[found.of[i]].empty()) order.push_back(found.of[i]);
            members[found.of[i]].push_back(i);
        }
        space::index_set taken;
        for (const std::uint32_t c : order) {
            const auto centroid = std::span(found.centroids).subspan(c * d, d);
            std::optional<index> pick;
            if (represented_by == representative::rounded_mean) pick = rounded(space, centroid);
            if (!pick) pick = candidates[nearest(points, members[c], centroid)].candidate;
            if (visited.contains(*pick) || taken.contains(*pick)) {
                pick = replacement.make(space, members[c], candidates, visited, taken, gen);
                if (pick) ++out.synthesised;
            }
            if (!pick) continue;
            taken.insert(*pick);
            out.chosen.push_back(*pick);
        }
        return out;
    }

private:
    /// The clustering of the size that pays, of at most `most` clusters.
    [[nodiscard]] k_means::clustering enough_clusters(const point_rows& points, std::size_t most,
                                                      std::span<const k_means::seeds> starts) const
    {
        k_means::clustering last;
        const auto loss_of = [&](std::size_t k) {
            last = groups.cluster(points, (std::min)(k, most), starts);
            return k >= most ? 0.0 : last.loss;  // more clusters than that there cannot be
        };
        static_cast<void>(size.search(loss_of));  // its answer is the size that it tried last
        return last;
    }

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
            if (square < least) {
                least = square;
                best = i;
            }
        }
        return best;
    }
};

}  // namespace tunekit::screen
