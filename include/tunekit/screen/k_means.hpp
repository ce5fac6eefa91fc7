// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// k-means: clusters of points around their means.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/screen/detail/lloyd.hpp"
#include "tunekit/screen/detail/nearest.hpp"
#include "tunekit/screen/point_rows.hpp"
#include "tunekit/stats/moments.hpp"

namespace tunekit::screen {

/// Groups points into clusters so that the loss, the sum of squared distances to the means of the clusters, is small.
///
///     const screen::k_means groups{.restarts = 3};
///     const auto starts = groups.starts(points, 64, gen);      // serve every k up to 64
///     const auto found  = groups.cluster(points, 16, starts);  // found.of[i], found.centroids, found.loss
///
/// It is Lloyd's iteration from k-means++ seeds. Each next seed is the best of `trials` candidates, drawn with
/// probability proportional to the squared distance to the seeds so far: the one that leaves the least loss. The first
/// k of a sequence of seeds are seeds for k, so a sweep over k draws them once. An iteration skips points whose nearest
/// centroid cannot have changed, by the triangle inequality. The result is the same as without skipping.
///
/// Ties:       the centroid of lower number. An empty cluster gets the point farthest from its centroid as its
///             centroid. Fewer than k distinct points: as many clusters as there are.
/// Errors:     std::invalid_argument where a setting is 0, k is 0, there are no points or seeds, or a coordinate is NaN
///             or beyond 1e15. Squares are floats, so points nearer than 1e-19 count as one.
/// Randomness: per restart one `uniform_index`, then `trials` `uniform_01` per further seed.
/// Cost:       O(n k d) per full iteration, few of which are needed. Memory: O(n d).
/// Source:     Arthur and Vassilvitskii (2007), k-means++, SODA, section 2 and its remark on several trials; Hamerly
///             (2010), Making k-means Even Faster, SDM, for the bounds.
struct k_means {
    std::size_t restarts = 1;      ///< > 0; the least loss wins
    std::size_t iterations = 100;  ///< of a restart, at most
    double tolerance = 1e-4;  ///< stop when centroids move less, squared and summed, than this share of the variance
                              ///< per coordinate; >= 0
    static constexpr std::size_t trials = detail::abreast;  ///< candidates for each next seed

    using seeds = std::vector<std::uint32_t>;  ///< numbers of points

    /// Clusters of points.
    struct clustering {
        std::vector<float> centroids;                           ///< k x d
        std::vector<std::uint32_t> of;                          ///< of each point: its cluster
        double loss = std::numeric_limits<double>::infinity();  ///< sum of squared distances
        std::size_t iterations = 0;                             ///< of the best restart
    };

    /// Seeds for every number of clusters up to `k`, one sequence per restart; shorter where there are fewer distinct
    /// points.
    template <generator G>
    [[nodiscard]] std::vector<seeds> starts(const point_rows& points, std::size_t k, G& gen) const
    {
        require(restarts > 0, "screen::k_means: restarts is 0, want >= 1");
        require(k > 0, "screen::k_means: k is 0, want >= 1");
        check(points);
        const std::size_t n = points.size(), d = points.d,
                          whole = (n + detail::lanes - 1) / detail::lanes * detail::lanes;
        std::vector<float> tiles(whole * d), nearest_of(whole), left[trials], rows(trials * d);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < d; ++j)
                tiles[i / detail::lanes * detail::lanes * d + j * detail::lanes + i % detail::lanes] = points[i][j];
        for (auto& l : left) l.resize(whole);
        std::vector<double> below(n);
        std::vector<seeds> out(restarts);
        for (seeds& s : out) {
            std::fill_n(nearest_of.begin(), n, std::numeric_limits<float>::infinity());
            for (std::uint32_t drawn[trials]; s.size() < k;) {
                if (s.empty()) {
                    std::fill_n(drawn, trials, static_cast<std::uint32_t>(random::uniform_index(n, gen)));
                } else {
                    double total = 0;
                    for (std::size_t i = 0; i < n; ++i) below[i] = total += static_cast<double>(nearest_of[i]);
                    if (!(total > 0)) break;
                    for (auto& i : drawn) {
                        const auto at = std::upper_bound(below.begin(), below.end(), random::uniform_01(gen) * total);
                        i = static_cast<std::uint32_t>(
                            (std::min)(at, std::lower_bound(below.begin(), below.end(), total)) - below.begin());
                    }
                }
                for (std::size_t t = 0; t < trials; ++t)
                    std::copy_n(points[drawn[t]].begin(), d, rows.begin() + static_cast<std::ptrdiff_t>(t * d));
                for (std::size_t i = 0; i < whole; i += detail::lanes) {
                    detail::floats v[trials], old;
                    detail::squared_distances(tiles.data() + i * d, rows.data(), d, v);
                    std::memcpy(&old, nearest_of.data() + i, sizeof old);
                    for (std::size_t t = 0; t < trials; ++t) {
                        v[t] = v[t] < old ? v[t] : old;
                        std::memcpy(left[t].data() + i, &v[t], sizeof old);
                    }
                }
                std::size_t best = 0;
                double least = std::numeric_limits<double>::infinity();
                for (std::size_t t = 0; t < trials; ++t) {
                    const double loss =
                        stats::sum_of(n, [&](std::size_t i) { return static_cast<double>(left[t][i]); });
                    if (loss < least) {
                        best = t;
                        least = loss;
                    }
                }
                s.push_back(drawn[best]);
                nearest_of.swap(left[best]);
            }
        }
        return out;
    }

    /// The best clustering into `k` clusters from any of `starts`.
    [[nodiscard]] clustering cluster(const point_rows& points, std::size_t k, std::span<const seeds> starts) const;

    /// One run of Lloyd's iteration from these seeds. Precondition: at least one; tolerance >= 0.
    [[nodiscard]] clustering fit(const point_rows& points, std::span<const std::uint32_t> from) const;

private:
    /// Squares of distances are floats, and what fills a register up lies at 1e18.
    static void check(const point_rows& points)
    {
        require(points.size() > 0, "screen::k_means: no points, want at least one");
        for (const float x : points.values)
            require(x >= -1e15F && x <= 1e15F,
                    "screen::k_means: a coordinate is NaN or beyond 1e15, want smaller ones: scale the points");
    }

    /// The mean over coordinates of their variances.
    static double variance(const point_rows& points);
};

}  // namespace tunekit::screen

#if TUNEKIT_BODIES
namespace tunekit::screen {

TUNEKIT_INLINE k_means::clustering k_means::cluster(const point_rows& points, std::size_t k,
                                                    std::span<const seeds> starts) const
{
    clustering best;
    for (const seeds& s : starts) {
        clustering c = fit(points, std::span(s).first((std::min)(k, s.size())));
        if (c.loss < best.loss) best = std::move(c);
    }
    return best;
}

TUNEKIT_INLINE k_means::clustering k_means::fit(const point_rows& points, std::span<const std::uint32_t> from) const
{
    check(points);
    require(!from.empty() && tolerance >= 0, "screen::k_means: no seed, or tolerance is negative or NaN");
    for (const std::uint32_t i : from) require(i < points.size(), "screen::k_means: a seed is not a point of these");
    detail::lloyd r(points, from);
    const double enough = tolerance * variance(points);
    std::size_t t = 0;
    r.assign(true);
    while (t < iterations) {
        const double moved = r.move();
        ++t;
        if (r.assign(r.reseeded) == 0 || moved <= enough) break;
    }
    const std::size_t d = points.d;
    const double loss = stats::sum_of(points.size(), [&](std::size_t i) {
        double sum = 0;
        for (std::size_t j = 0; j < d; ++j) {
            const double e = static_cast<double>(points[i][j]) - static_cast<double>(r.centres[r.of[i] * d + j]);
            sum += e * e;
        }
        return sum;
    });
    r.centres.resize(from.size() * d);
    return {std::move(r.centres), std::move(r.of), loss, t};
}

TUNEKIT_INLINE double k_means::variance(const point_rows& points)
{
    const auto n = static_cast<double>(points.size());
    double sum = 0;
    for (std::size_t j = 0; j < points.d; ++j) {
        const auto x = [&](std::size_t i) { return static_cast<double>(points.values[i * points.d + j]); };
        const double mean = stats::sum_of(points.size(), x) / n;
        sum += stats::sum_of(points.size(), [&](std::size_t i) { return (x(i) - mean) * (x(i) - mean); }) / n;
    }
    return sum / static_cast<double>(points.d);
}

}  // namespace tunekit::screen
#endif  // TUNEKIT_BODIES
