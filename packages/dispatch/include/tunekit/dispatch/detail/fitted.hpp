// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A choice among the columns of a table, fitted to some of its rows.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/cost_table.hpp"
#include "tunekit/dispatch/detail/cover.hpp"
#include "tunekit/dispatch/detail/shape_tree.hpp"
#include "tunekit/dispatch/fit_options.hpp"
#include "tunekit/dispatch/results.hpp"

namespace tunekit::dispatch::detail {

/// A choice among the columns of a table.
struct fitted {
    std::vector<std::uint32_t> kept;  ///< columns of the table
    std::vector<choice::part> devices;
    std::uint32_t one = 0;  ///< position in `kept`
    bool one_untuned = false;
};

/// The distance of two shapes in powers of two; another word of those of `words` counts as 64 of them.
[[nodiscard]] inline double log2_gap(const shape_sizes& a, const shape_sizes& b, std::uint32_t words = 0)
{
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
        const double gap = static_cast<double>(size_gap(a[j], b[j], (words >> j & 1U) != 0)) / 65536;
        sum += gap * gap;
    }
    return std::sqrt(sum);
}

/// The best kept configuration around row `r` of one device, and whether the untuned default is at least as good.
/// Neighbours have the weight exp(-gap^2), the gap in powers of two.
[[nodiscard]] inline std::pair<std::uint32_t, bool> best_around(const cost_table& t, std::span<const std::size_t> rows,
                                                                std::size_t r, std::span<const std::uint32_t> kept,
                                                                const fit_options& options)
{
    std::vector<double> sums(kept.size(), 0.0);
    double untuned = 0;
    for (const std::size_t other : rows) {
        const double gap = log2_gap(t.rows[r].at, t.rows[other].at, t.words);
        const double weight = other == r ? 1 : std::exp(-gap * gap);
        for (std::size_t c = 0; c < kept.size(); ++c) sums[c] += weight * t.loss(other, kept[c]);
        untuned += weight * t.untuned_loss(other);
    }
    const auto best = std::min_element(sums.begin(), sums.end());
    return {static_cast<std::uint32_t>(best - sums.begin()),
            options.or_untuned && t.knows_untuned(rows) && untuned <= *best};
}

/// The penalty for a leaf, by cross-validation over the rows: the largest one whose loss is within a standard error of
/// the least. Rows are ascending and of one device.
/// Source: Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees, section 3.4.3, the 1 SE rule.
[[nodiscard]] inline double best_penalty(const cost_table& t, std::span<const std::size_t> rows,
                                         std::span<const std::uint32_t> kept, const fit_options& options)
{
    const std::size_t folds = (std::min)(std::size_t{10}, rows.size());
    std::vector<double> penalties, sums;
    std::vector<std::vector<double>> losses;
    for (double p = 4; p >= 0.0625; p /= 2) {
        const shape_tree tree(t, kept, options.min_leaf, p, options.or_untuned);
        losses.emplace_back();
        for (std::size_t fold = 0; fold < folds && folds > 1; ++fold) {
            choice::part d;
            std::vector<std::size_t> in;
            for (std::size_t k = 0; k < rows.size(); ++k)
                if (k % folds != fold) in.push_back(rows[k]);
            shape_tree grower = tree;
            d.tree = grower.grown(std::move(in));
            for (std::size_t k = fold; k < rows.size(); k += folds) {
                const pick got = choice::by_rung(d, rung::tree, t.rows[rows[k]].at);
                losses.back().push_back(got.untuned ? t.untuned_loss(rows[k]) : t.loss(rows[k], kept[got.config]));
            }
        }
        penalties.push_back(p);
        sums.push_back(std::accumulate(losses.back().begin(), losses.back().end(), 0.0));
    }
    const auto least = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
    const auto n = static_cast<double>(losses[least].size());
    for (std::size_t k = 0; k < least; ++k) {
        double squares = 0;
        for (std::size_t i = 0; i < losses[k].size(); ++i) {
            const double gap = losses[k][i] - losses[least][i] - (sums[k] - sums[least]) / n;
            squares += gap * gap;
        }
        if (sums[k] - sums[least] <= std::sqrt(squares * n / (std::max)(1.0, n - 1))) return penalties[k];
    }
    return penalties[least];
}

/// Fits to some rows, in ascending order.
[[nodiscard]] inline fitted fit_rows(const cost_table& t, std::span<const std::size_t> rows, const fit_options& options)
{
    fitted out;
    out.kept = cover(t, rows, known_at(t, rows), options.max_kernels, std::log1p(options.min_gain), options.or_untuned);
    for (std::size_t k = 0; k < rows.size();) {
        std::size_t end = k;
        while (end < rows.size() && t.rows[rows[end]].device == t.rows[rows[k]].device) ++end;
        const auto own = rows.subspan(k, end - k);
        shape_tree tree(t, out.kept, options.min_leaf,
                        options.leaf_penalty ? *options.leaf_penalty : best_penalty(t, own, out.kept, options),
                        options.or_untuned);
        choice::part d{.words = t.words};
        for (const std::size_t r : own) {
            const auto here = tree.leaf({&r, 1});
            const auto [around, untuned] = best_around(t, own, r, out.kept, options);
            d.shapes.push_back({.at = t.rows[r].at,
                                .config = here.config,
                                .around = around,
                                .untuned = here.untuned,
                                .around_untuned = untuned});
        }
        d.tree = tree.grown({own.begin(), own.end()});
        d.device = std::to_string(t.rows[rows[k]].device);
        out.devices.push_back(std::move(d));
        k = end;
    }
    const auto over_all = shape_tree(t, out.kept, options.min_leaf, 0, options.or_untuned).leaf(rows);
    out.one = over_all.config;
    out.one_untuned = over_all.untuned;
    return out;
}

}  // namespace tunekit::dispatch::detail
