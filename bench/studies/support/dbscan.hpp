// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// DBSCAN: clusters of densely connected points, and noise points outside them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/screen/point_rows.hpp"

namespace programs {

/// Groups points that are connected by dense neighbourhoods, which Chameleon's paper rejects for k-means.
///
///     const std::vector<std::uint32_t> of = dbscan{.radius = 0.3}.labels(points);
///
/// A point is core if at least `min_points` points, itself among them, lie within `radius` of it; core points within
/// `radius` of each other belong together. A point that is not core belongs to the first group that reaches it.
///
/// Cost:       O(n^2 d).
/// Source:     Ester et al. (1996), A Density-Based Algorithm for Discovering Clusters, KDD. Chameleon rejects it
///             because it is sensitive to the radius; the version in its code is broken.
/// Departures: the default radius, the median distance to the 4th nearest other point, is ours.
struct dbscan {
    using point_rows = tunekit::screen::point_rows;

    std::optional<float> radius{};  ///< in units of the parameters' ranges; >= 0; empty: from the points
    std::size_t min_points = 4;     ///< points; > 0

    static constexpr std::uint32_t noise = ~std::uint32_t{0};  ///< the label of a point outside every group

    /// The group of each point, numbered in the order of their first points, or `noise`.
    [[nodiscard]] std::vector<std::uint32_t> labels(const point_rows& points) const
    {
        tunekit::require(min_points > 0, "dbscan: min_points is 0, want >= 1");
        tunekit::require(!radius || *radius >= 0, "dbscan: radius is negative or NaN, want >= 0");
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

private:
    static float distance(const point_rows& points, std::size_t a, std::size_t b)
    {
        float sum = 0;
        for (std::size_t j = 0; j < points.d; ++j) sum += (points[a][j] - points[b][j]) * (points[a][j] - points[b][j]);
        return std::sqrt(sum);
    }

    /// The median over points of the distance to their k-th nearest other point, or to the farthest where there are
    /// fewer.
    static float usual_distance(const point_rows& points, std::size_t k)
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
};

}  // namespace programs
