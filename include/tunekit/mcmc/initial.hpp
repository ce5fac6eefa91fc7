// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Starting points of an ensemble.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/detail/unit.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/linalg/singular_values.hpp"
#include "tunekit/random/normal.hpp"

namespace tunekit::mcmc {

/// Whether W walkers (W x D, one per row) span all D dimensions: the condition number of the centred matrix, columns
/// scaled to length 1, is at most 1e8. Moves that combine walkers never leave the subspace that the start spans.
/// Columns are first divided by their largest entry, so that no scale causes an overflow or underflow. False where a
/// position is NaN or infinite.
/// Source: emcee 3, `EnsembleSampler`'s check of the initial state.
[[nodiscard]] inline bool linearly_independent(std::span<const double> positions, std::size_t dimensions)
{
    const std::size_t d = dimensions, w = d == 0 ? 0 : positions.size() / d;
    if (d == 0 || w <= d) return false;
    std::vector<double> columns(w * d);
    for (std::size_t c = 0; c < d; ++c) {
        double most = 0, mean = 0, largest = 0, squares = 0;
        for (std::size_t k = 0; k < w; ++k) most = (std::max)(most, std::abs(positions[k * d + c]));
        const double unit = core::detail::unit_of(most);  // differences may overflow
        // from the first walker, so that a constant column centres to exact zeros
        const auto beyond_first = [&](std::size_t k) { return positions[k * d + c] / unit - positions[c] / unit; };
        for (std::size_t k = 0; k < w; ++k) mean += beyond_first(k) / static_cast<double>(w);
        for (std::size_t k = 0; k < w; ++k) {
            columns[c * w + k] = beyond_first(k) - mean;
            largest = (std::max)(largest, std::abs(columns[c * w + k]));
        }
        if (!(largest > 0)) return false;
        for (std::size_t k = 0; k < w; ++k) squares += (columns[c * w + k] /= largest) * columns[c * w + k];
        for (std::size_t k = 0; k < w; ++k) columns[c * w + k] /= std::sqrt(squares);
    }
    const std::vector<double> s = linalg::singular_values(std::move(columns), w);
    return s.front() <= 1e8 * s.back();
}

/// Draws W walkers (W x D, one per row) around a point: `centre` + `sd` times a standard normal, coordinate by
/// coordinate.
/// Randomness: W D normals. Errors: std::invalid_argument when the sizes differ, or a number is NaN or infinite.
template <generator G>
[[nodiscard]] std::vector<double> ball(std::span<const double> centre, std::span<const double> sd, std::size_t walkers,
                                       G& gen)
{
    require(centre.size() == sd.size(), "ball: centre and sd differ in size");
    for (std::size_t c = 0; c < centre.size(); ++c)
        require(std::isfinite(centre[c]) && std::isfinite(sd[c]), "ball: a centre or sd is NaN or infinite");
    std::vector<double> out;
    out.reserve(walkers * centre.size());
    for (std::size_t k = 0; k < walkers; ++k)
        for (std::size_t c = 0; c < centre.size(); ++c) out.push_back(centre[c] + sd[c] * random::normal(gen));
    return out;
}

}  // namespace tunekit::mcmc
