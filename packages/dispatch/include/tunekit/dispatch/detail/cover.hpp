// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The few configurations that lose least: greedy cover, then swaps.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/dispatch/detail/cost_table.hpp"

namespace tunekit::dispatch::detail {

/// What rows lose before any configuration is kept: the loss of their untuned defaults where those may be chosen, and
/// +inf otherwise.
[[nodiscard]] inline std::vector<double> cover_begin(const cost_table& t, std::span<const std::size_t> rows,
                                                     bool or_untuned)
{
    std::vector<double> out;
    for (const std::size_t r : rows)
        out.push_back(or_untuned ? t.untuned_loss(r) : std::numeric_limits<double>::infinity());
    return out;
}

/// At most `max_kept` of `candidates` whose loss is small: the sum over the rows of the least loss among them. First
/// the configuration that gains most is added, again and again, while that gains at least `min_gain` a row. Then one is
/// replaced by another, the pair that gains most first, until no pair gains. So no better pair remains, but a better
/// set may. The result is ascending and has at least one column. With `or_untuned` each row may also use its untuned
/// default, which takes no place.
///
/// Cost: O(max_kept x candidates x rows) for each pass; a pass gains at least 1e-9.
/// Source: the greedy step is Nemhauser, Wolsey, Fisher (1978) for submodular cover, within 1 - 1/e of the largest
///         gain. The swaps are Teitz, Bart (1968), for p-medians.
[[nodiscard]] inline std::vector<std::uint32_t> cover(const cost_table& t, std::span<const std::size_t> rows,
                                                      std::span<const std::uint32_t> candidates, std::size_t max_kept,
                                                      double min_gain, bool or_untuned = false)
{
    constexpr double infinite = std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t> kept;
    const std::vector<double> begin = cover_begin(t, rows, or_untuned);
    std::vector<double> least = begin;
    double loss = infinite;
    while (kept.size() < (std::min)(max_kept, candidates.size())) {
        double best = infinite;
        std::uint32_t which = no_config;
        for (const std::uint32_t c : candidates) {
            double sum = 0;
            for (std::size_t k = 0; k < rows.size(); ++k) sum += (std::min)(least[k], t.loss(rows[k], c));
            if (sum < best) {
                best = sum;
                which = c;
            }
        }
        if (!(loss - best > min_gain * static_cast<double>(rows.size()))) break;
        loss = best;
        kept.push_back(which);
        for (std::size_t k = 0; k < rows.size(); ++k) least[k] = (std::min)(least[k], t.loss(rows[k], which));
    }
    for (bool better = true; better;) {
        better = false;
        std::pair<std::size_t, std::uint32_t> swap{};
        double best = loss;
        for (std::size_t out = 0; out < kept.size(); ++out) {
            for (std::size_t k = 0; k < rows.size(); ++k) {
                least[k] = begin[k];
                for (std::size_t j = 0; j < kept.size(); ++j)
                    if (j != out) least[k] = (std::min)(least[k], t.loss(rows[k], kept[j]));
            }
            for (const std::uint32_t c : candidates) {
                double sum = 0;
                for (std::size_t k = 0; k < rows.size(); ++k) sum += (std::min)(least[k], t.loss(rows[k], c));
                if (sum < best - 1e-9) {
                    best = sum;
                    swap = {out, c};
                    better = true;
                }
            }
        }
        if (better) {
            kept[swap.first] = swap.second;
            loss = best;
        }
    }
    std::sort(kept.begin(), kept.end());
    return kept;
}

}  // namespace tunekit::dispatch::detail
