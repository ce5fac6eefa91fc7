// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Lloyd's iteration: points to the nearest centroids, centroids to the means, in turn.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/screen/detail/nearest.hpp"
#include "tunekit/screen/point_rows.hpp"

namespace tunekit::screen::detail {

/// Points, centroids, and which of them belong together: what one run of Lloyd's iteration works on.
struct lloyd {
    const point_rows& points;
    std::size_t n, d, k, padded;
    std::vector<float> centres;  // padded x d: those beyond k are out of reach
    std::vector<std::uint32_t> of;
    std::vector<float> upper, lower;  // bounds on the distances to the own and to the nearest other centroid
    std::vector<double> sums;         // k x d
    std::vector<std::uint32_t> counts;
    std::vector<float> went, others;  // how far a centroid moved, and the farthest that another one did
    std::vector<std::uint32_t> open;  // points to look at
    std::vector<float> tile;
    bool reseeded = false;

    lloyd(const point_rows& p, std::span<const std::uint32_t> from);

    /// Assigns points to their nearest centroids, all of them or those that may have another; returns how many
    /// changed.
    std::size_t assign(bool all);

    void count(std::size_t i, int sign);

    /// Moves the centroids to the means; returns the sum of the squares of how far.
    double move();

    /// Puts an empty cluster's centroid where a point is worst off; nowhere if none is.
    void reseed(std::size_t c);
};

}  // namespace tunekit::screen::detail

#if TUNEKIT_BODIES
namespace tunekit::screen::detail {

TUNEKIT_INLINE lloyd::lloyd(const point_rows& p, std::span<const std::uint32_t> from)
    : points(p),
      n(p.size()),
      d(p.d),
      k(from.size()),
      padded((k + abreast - 1) / abreast * abreast),
      centres(padded * d, 1e18F),
      of(n),
      upper(n),
      lower(n),
      sums(k * d),
      counts(k),
      went(k),
      others(k),
      open(n),
      tile(lanes * d)
{
    for (std::size_t c = 0; c < k; ++c)
        std::copy_n(p[from[c]].begin(), d, centres.begin() + static_cast<std::ptrdiff_t>(c * d));
}

TUNEKIT_INLINE std::size_t lloyd::assign(bool all)
{
    const bool fresh = counts == std::vector<std::uint32_t>(k);
    std::size_t m = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const float u = upper[i] += went[of[i]], l = lower[i] -= others[of[i]];
        open[m] = static_cast<std::uint32_t>(i);
        m += all || !(u * 1.00001F < l) ? 1 : 0;  // a margin for what rounding has done to the bounds
    }
    std::size_t changed = 0;
    for (std::size_t first = 0; first < m; first += lanes) {
        const std::size_t some = (std::min)(lanes, m - first);
        for (std::size_t lane = 0; lane < some; ++lane) {
            const float* x = points.values.data() + open[first + lane] * d;
            for (std::size_t j = 0; j < d; ++j) tile[j * lanes + lane] = x[j];
        }
        const nearest_two found(tile.data(), centres.data(), padded, d);
        for (std::size_t lane = 0; lane < some; ++lane) {
            const std::size_t i = open[first + lane];
            const auto now = static_cast<std::uint32_t>(found.which[lane]);
            upper[i] = std::sqrt(found.first[lane]);
            lower[i] = std::sqrt(found.second[lane]);
            if (!fresh && now == of[i]) continue;
            ++changed;
            if (!fresh) count(i, -1);
            of[i] = now;
            count(i, 1);
        }
    }
    return changed;
}

TUNEKIT_INLINE void lloyd::count(std::size_t i, int sign)
{
    double* sum = sums.data() + of[i] * d;
    const float* x = points.values.data() + i * d;
    for (std::size_t j = 0; j < d; ++j) sum[j] += sign * static_cast<double>(x[j]);
    counts[of[i]] += static_cast<std::uint32_t>(sign);
}

TUNEKIT_INLINE double lloyd::move()
{
    reseeded = false;
    double moved = 0;
    for (std::size_t c = 0; c < k; ++c) {
        if (counts[c] == 0) {
            reseed(c);
            continue;
        }
        const double share = 1 / static_cast<double>(counts[c]);
        double square = 0;
        for (std::size_t j = 0; j < d; ++j) {
            float& x = centres[c * d + j];
            const auto to = static_cast<float>(sums[c * d + j] * share);
            square += static_cast<double>(to - x) * static_cast<double>(to - x);
            x = to;
        }
        went[c] = static_cast<float>(std::sqrt(square));
        moved += square;
    }
    float most = 0, next = 0;
    std::size_t farthest = 0;
    for (std::size_t c = 0; c < k; ++c) {
        if (went[c] > most) next = std::exchange(most, went[c]), farthest = c;
        else next = (std::max)(next, went[c]);
    }
    for (std::size_t c = 0; c < k; ++c) others[c] = c == farthest ? next : most;
    return reseeded ? std::numeric_limits<double>::infinity() : moved;
}

TUNEKIT_INLINE void lloyd::reseed(std::size_t c)
{
    std::size_t worst = n;
    float most = 0;
    for (std::size_t i = 0; i < n; ++i) {
        float square = 0;
        for (std::size_t j = 0; j < d; ++j) {
            const float e = points[i][j] - centres[of[i] * d + j];
            square += e * e;
        }
        if (square > most) most = square, worst = i;
    }
    went[c] = 0;
    if (worst == n) return;
    std::copy_n(points[worst].begin(), d, centres.begin() + static_cast<std::ptrdiff_t>(c * d));
    reseeded = true;
}

}  // namespace tunekit::screen::detail
#endif  // TUNEKIT_BODIES
