// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Configurations that spread over the values of every parameter: what to measure while nothing is known.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tunekit/space/concepts.hpp"
#include "tunekit/space/unvisited.hpp"

namespace tunekit::search::detail {

/// Of `among` uniform draws the one whose values are least crowded by those of the `before` configurations, the earliest
/// of equals; empty where all were taken already.
///
///     const auto i = space::least_crowded(space, measured, 64, rest, gen);
///
/// The room of a draw is the sum over parameters of 1 / (1 + c), c the sum over `before` of
///     max(0, 1 - |difference of ordinals| / reach),    reach = 2 / (n + 1) of the parameter's range, n = before.size().
/// So each parameter's values are used alike, as in a Latin hypercube, whatever the constraints; distances between
/// configurations, which send the first ones to the corners, play no part.
///
/// Randomness: one `sample` of `among`.
/// Cost:       O((among + n) d), and among n more for each parameter of more than (n + 1) / 2 + 1 values.
/// Source:     ours; the aim is that of McKay, Beckman, Conover (1979), Technometrics 21.
template <class Space, generator G>
[[nodiscard]] std::optional<index> least_crowded(const Space& space, std::span<const index> before, std::size_t among,
                                                 const space::unvisited& taken, G& gen)
{
    if (space.size() == 0) return std::nullopt;
    const std::vector<index> draws = space.sample(among, gen);
    const std::size_t d = space.dimensions();
    const auto cardinalities = space.cardinalities();
    std::vector<std::uint16_t> known(before.size() * d), rows(draws.size() * d);
    space.ordinals(before, known);
    space.ordinals(draws, rows);
    const double reach = 2 / static_cast<double>(before.size() + 1);
    // Where the reach is not beyond one ordinal, the crowd of a value is how often it was used.
    std::vector<std::vector<double>> used(d);
    for (std::size_t j = 0; j < d; ++j) {
        if (reach * (cardinalities[j] - 1.0) > 1) continue;
        used[j].resize(cardinalities[j]);
        for (std::size_t b = j; b < known.size(); b += d) used[j][known[b]] += 1;
    }
    std::optional<index> best;
    double most = -1;
    for (std::size_t k = 0; k < draws.size(); ++k) {
        if (taken.contains(draws[k])) continue;
        double room = 0;
        for (std::size_t j = 0; j < d; ++j) {
            const double range = reach * (cardinalities[j] - 1.0);
            double crowd = range > 0 && !used[j].empty() ? used[j][rows[k * d + j]] : 0;
            for (std::size_t b = j; range > 1 && b < known.size(); b += d)
                crowd += (std::max)(0.0, 1 - std::abs(static_cast<double>(rows[k * d + j]) - known[b]) / range);
            room += 1 / (1 + crowd);
        }
        if (room > most) {
            most = room;
            best = draws[k];
        }
    }
    return best;
}

}  // namespace tunekit::search::detail
