// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// DBSCAN: clusters of densely connected points, and noise points outside them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/screen/concepts.hpp"
#include "tunekit/screen/point_rows.hpp"

namespace tunekit::screen {

/// Groups candidates that are connected by dense neighbourhoods and chooses one per group: the member with the least
/// sum of distances to the others (the medoid). A point outside every group, noise, represents itself.
///
///     screen::dbscan{.radius = 0.3}
///
/// A point is core if at least `min_points` points, itself among them, lie within `radius` of it; core points within
/// `radius` of each other belong together. A point that is not core belongs to the first group that reaches it. Groups
/// come in the order of their best candidates. Visited candidates are left out first.
///
/// Randomness: none. Cost: O(n^2 d).
/// Source:     Ester et al. (1996), A Density-Based Algorithm for Discovering Clusters, KDD. Chameleon rejects it
///             because it is sensitive to the radius; the version in its code is broken.
/// Departures: the default radius, the median distance to the 4th nearest other candidate, is ours.
struct dbscan {
    std::optional<float> radius{};  ///< in units of the parameters' ranges; >= 0; empty: from the candidates
    std::size_t min_points = 4;     ///< points; > 0

    static constexpr std::uint32_t noise = ~std::uint32_t{0};  ///< the label of a point outside every group

    /// The group of each point, numbered in the order of their first points, or `noise`.
    [[nodiscard]] std::vector<std::uint32_t> labels(const point_rows& points) const;

    template <class Space, generator G>
    [[nodiscard]] std::vector<index> select(const Space& space, std::span<const explore::scored_candidate> candidates,
                                            const space::index_set& visited, std::size_t n, G&) const
    {
        std::vector<explore::scored_candidate> fresh;
        for (const auto& c : candidates)
            if (!visited.contains(c.candidate)) fresh.push_back(c);
        const point_rows points = scaled_rows(space, fresh);
        const std::vector<std::uint32_t> of = labels(points);
        std::vector<bool> done(fresh.size());
        std::vector<index> out;
        for (std::uint32_t i = 0; i < of.size() && out.size() < n; ++i) {
            if (of[i] == noise) out.push_back(fresh[i].candidate);
            if (of[i] == noise || done[of[i]]) continue;
            done[of[i]] = true;
            out.push_back(fresh[medoid(points, of, of[i])].candidate);
        }
        return out;
    }

private:
    static float distance(const point_rows& points, std::size_t a, std::size_t b);

    /// The median over points of the distance to their k-th nearest other point, or to the farthest where there are
    /// fewer.
    static float usual_distance(const point_rows& points, std::size_t k);

    static std::uint32_t medoid(const point_rows& points, std::span<const std::uint32_t> of, std::uint32_t group);
};

}  // namespace tunekit::screen

#if TUNEKIT_BODIES
namespace tunekit::screen {

TUNEKIT_INLINE std::vector<std::uint32_t> dbscan::labels(const point_rows& points) const
{
    require(min_points > 0, "screen::dbscan: min_points is 0, want >= 1");
    require(!radius || *radius >= 0, "screen::dbscan: radius is negative or NaN, want >= 0");
    const std::size_t n = points.size();
    const float reach = radius ? *radius : usual_distance(points, 4);
    std::vector<std::vector<std::uint32_t>> around(n);
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t k = 0; k < n; ++k)
            if (distance(points, i, k) <= reach) around[i].push_back(k);

    std::vector<std::uint32_t> of(n, noise), todo;
    std::uint32_t groups = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        if (of[i] != noise || around[i].size() < min_points) continue;
        of[i] = groups;
        todo.push_back(i);
        while (!todo.empty()) {
            const std::uint32_t from = todo.back();
            todo.pop_back();
            for (const std::uint32_t k : around[from]) {
                if (of[k] != noise) continue;
                of[k] = groups;
                if (around[k].size() >= min_points) todo.push_back(k);
            }
        }
        ++groups;
    }
    return of;
}

TUNEKIT_INLINE float dbscan::distance(const point_rows& points, std::size_t a, std::size_t b)
{
    float sum = 0;
    for (std::size_t j = 0; j < points.d; ++j) sum += (points[a][j] - points[b][j]) * (points[a][j] - points[b][j]);
    return std::sqrt(sum);
}

TUNEKIT_INLINE float dbscan::usual_distance(const point_rows& points, std::size_t k)
{
    const std::size_t n = points.size();
    if (n < 2) return 0;
    std::vector<float> to(n), usual(n);
    const auto at = static_cast<std::ptrdiff_t>((std::min)(k, n - 1));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t other = 0; other < n; ++other) to[other] = distance(points, i, other);
        std::nth_element(to.begin(), to.begin() + at, to.end());  // the nearest is the point itself
        usual[i] = to[static_cast<std::size_t>(at)];
    }
    std::nth_element(usual.begin(), usual.begin() + static_cast<std::ptrdiff_t>(n / 2), usual.end());
    return usual[n / 2];
}

TUNEKIT_INLINE std::uint32_t dbscan::medoid(const point_rows& points, std::span<const std::uint32_t> of,
                                            std::uint32_t group)
{
    std::uint32_t best = 0;
    double least_sum = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < of.size(); ++i) {
        if (of[i] != group) continue;
        double sum = 0;
        for (std::uint32_t k = 0; k < of.size(); ++k)
            sum += of[k] == group ? static_cast<double>(distance(points, i, k)) : 0;
        if (sum < least_sum) {
            least_sum = sum;
            best = i;
        }
    }
    return best;
}

}  // namespace tunekit::screen
#endif  // TUNEKIT_BODIES
