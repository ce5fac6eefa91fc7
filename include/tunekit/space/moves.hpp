// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Steps from one row of a numbering to another.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tunekit/random/uniform.hpp"
#include "tunekit/space/axis.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/numbering.hpp"

namespace tunekit::space {

/// How many ways there are from a row to another of the raw product, by kind of neighbourhood and parameter. `rows` and
/// `axes` are those that a grid's moves were made for.
class moves {
public:
    moves() = default;

    /// Adds a parameter.
    void add(const axis& a)
    {
        const auto put = [](std::vector<std::uint64_t>& sums, std::uint64_t n) {
            sums.push_back(sums.empty() ? n : sums.back() + n);
        };
        put(alternatives_, a.texts.size() - 1);
        put(steps_, a.texts.size() > 1 ? 2 : 0);
        put(trades_, a.pairs);
    }

    /// A uniform random neighbour of row `i`; `i` itself where it has none. `row` is scratch for one row.
    /// Randomness: two or three uniform_index per attempt.
    /// Cost: a few attempts, and where 64 of them fail, one enumeration of the neighbourhood.
    template <generator G>
    [[nodiscard]] index draw(const numbering& rows, std::span<const axis> axes, index i, neighbourhood kind,
                             std::uint16_t* row, G& gen) const
    {
        const auto& weights = kind == neighbourhood::adjacent ? steps_
                              : kind == neighbourhood::swap   ? trades_
                                                              : alternatives_;
        const std::uint64_t total = weights.back();
        if (total == 0) return i;
        rows.row(i, row);
        // All candidates are equally likely, so those that are members are too.
        for (int attempt = 0; attempt < 64; ++attempt) {
            std::uint64_t r = random::uniform_index(total, gen);
            const std::size_t j = pick(weights, r);
            std::optional<index> found;
            switch (kind) {
                case neighbourhood::any_value: found = rows.changed<1>(i, row, {other(axes, row, j, r)}); break;
                case neighbourhood::adjacent: {
                    const std::uint32_t to = r == 0 ? row[j] + 1U : row[j] - 1U;  // below 0 wraps to a large number
                    if (to < axes[j].texts.size())
                        found = rows.changed<1>(i, row, {change{j, static_cast<std::uint16_t>(to)}});
                    break;
                }
                case neighbourhood::hamming_2: {
                    std::uint64_t s = random::uniform_index(total, gen);
                    const std::size_t k = pick(weights, s);
                    if (k != j) found = rows.changed<2>(i, row, {other(axes, row, j, r), other(axes, row, k, s)});
                    break;
                }
                case neighbourhood::swap: {
                    const std::uint16_t to = axes[j].swapped[row[j] * axes[j].pairs + r];
                    if (to != row[j]) found = rows.changed<1>(i, row, {change{j, to}});
                    break;
                }
            }
            if (found) return *found;
        }
        const std::vector<index> there = all(rows, axes, i, kind);
        return there.empty() ? i : there[random::uniform_index(there.size(), gen)];
    }

    /// All neighbours of row `i`, ascending, without `i`.
    [[nodiscard]] static std::vector<index> all(const numbering& rows, std::span<const axis> axes, index i,
                                                neighbourhood kind)
    {
        std::vector<std::uint16_t> row(axes.size());
        rows.row(i, row.data());
        std::vector<index> out;
        const auto keep = [&](const std::optional<index>& found) {
            if (found) out.push_back(*found);
        };
        for (std::size_t j = 0; j < axes.size(); ++j) {
            const std::size_t n = axes[j].texts.size();
            switch (kind) {
                case neighbourhood::any_value:
                    for (std::size_t r = 0; r + 1 < n; ++r)
                        keep(rows.changed<1>(i, row.data(), {other(axes, row.data(), j, r)}));
                    break;
                case neighbourhood::adjacent:
                    if (row[j] > 0)
                        keep(rows.changed<1>(i, row.data(), {change{j, static_cast<std::uint16_t>(row[j] - 1)}}));
                    if (row[j] + std::size_t{1} < n)
                        keep(rows.changed<1>(i, row.data(), {change{j, static_cast<std::uint16_t>(row[j] + 1)}}));
                    break;
                case neighbourhood::hamming_2:
                    for (std::size_t r = 0; r + 1 < n; ++r)
                        for (std::size_t k = j + 1; k < axes.size(); ++k)
                            for (std::size_t s = 0; s + 1 < axes[k].texts.size(); ++s)
                                keep(rows.changed<2>(i, row.data(),
                                                     {other(axes, row.data(), j, r), other(axes, row.data(), k, s)}));
                    break;
                case neighbourhood::swap:
                    for (std::size_t p = 0; p < axes[j].pairs; ++p) {
                        const std::uint16_t to = axes[j].swapped[row[j] * axes[j].pairs + p];
                        if (to != row[j]) keep(rows.changed<1>(i, row.data(), {change{j, to}}));
                    }
                    break;
            }
        }
        std::sort(out.begin(), out.end());
        return out;
    }

private:
    /// The parameter within whose share of [0, weights.back()) `r` falls; `r` becomes its place in that share.
    [[nodiscard]] static std::size_t pick(const std::vector<std::uint64_t>& weights, std::uint64_t& r)
    {
        const auto at = std::upper_bound(weights.begin(), weights.end(), r);
        const auto j = static_cast<std::size_t>(at - weights.begin());
        if (j > 0) r -= weights[j - 1];
        return j;
    }

    /// Another ordinal of parameter `j`, the `r`-th after the present one.
    [[nodiscard]] static change other(std::span<const axis> axes, const std::uint16_t* row, std::size_t j,
                                      std::uint64_t r)
    {
        return {j, static_cast<std::uint16_t>((row[j] + 1 + r) % axes[j].texts.size())};
    }

    std::vector<std::uint64_t> alternatives_;  // running sum of cardinality - 1
    std::vector<std::uint64_t> steps_;         // running sum of 2 where there is more than one value
    std::vector<std::uint64_t> trades_;        // running sum of pairs
};

}  // namespace tunekit::space
