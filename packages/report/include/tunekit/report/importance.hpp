// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The importance of features: their shares in the variance of a forest.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/report/detail/tree_boxes.hpp"
#include "tunekit/stats/prediction.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tunekit::surrogate {

/// The parts of the variance of a forest. Shares lie in [0, 1]. Mean and sd are over the trees whose predictions vary.
/// The shares of all singles, of all pairs and of all larger sets of features add up to 1.
struct variance_shares {
    /// Options of `importance_of`: predictions beyond a bound count as equal to the bound. For costs, set `.at_most` to
    /// the median to learn what matters in the better half: all slower configurations then count alike. For scores use
    /// `.at_least`.
    struct options {
        double at_least = -std::numeric_limits<double>::infinity();  ///< the lower bound
        double at_most = std::numeric_limits<double>::infinity();    ///< the upper bound
    };

    /// The interaction of two features: their share beyond what each has alone.
    struct interaction {
        std::size_t a = 0, b = 0;   ///< a < b
        stats::prediction share{};  ///< beyond the two singles

        friend bool operator==(const interaction&, const interaction&) = default;
    };

    std::vector<stats::prediction> singles;                 ///< per feature
    std::vector<interaction> pairs;                         ///< (0, 1), (0, 2) ... (1, 2) ...
    std::vector<std::vector<stats::prediction>> marginals;  ///< per feature and value: the mean over all other features
    stats::prediction variance{};  ///< of the predictions over the grid, mean and sd over trees
    std::size_t trees = 0;         ///< number of trees that vary; with none all shares are 0

    /// The k pairs of the largest shares, largest first.
    [[nodiscard]] std::vector<interaction> strongest_pairs(std::size_t k) const
    {
        std::vector<interaction> out = pairs;
        std::stable_sort(out.begin(), out.end(),
                         [](const interaction& x, const interaction& y) { return x.share.mean > y.share.mean; });
        out.resize((std::min)(k, out.size()));
        return out;
    }

    friend bool operator==(const variance_shares&, const variance_shares&) = default;
};

/// The shares of features, and of pairs of them, in the variance of a forest's predictions over a grid: functional
/// analysis of variance.
///
///     const auto shares = surrogate::importance_of(forest, values);        // values[j]: the values of feature j, ascending
///     shares.singles[2].mean;                                              // share of feature 2, sd over the trees beside it
///     surrogate::importance_of(forest, values, {.at_most = median_cost});  // the same among the good half
///
/// f is the prediction of one tree over the grid, where all configurations have the same weight. a_U is the mean of f
/// over all features but U. The share of feature j is Var(a_j) / Var(f), that of a pair (Var(a_ij) - Var(a_i) -
/// Var(a_j)) / Var(f). Leaves are boxes, so all means are exact sums over leaves, not samples.
///
/// Errors:     std::invalid_argument for a forest that is not fitted, another number of lists than features, a list
///             that is empty or does not ascend, or a lower bound above the upper one.
/// Randomness: none.
/// Cost:       O(trees leaves d^2), and for each pair the product of the thresholds that a tree has in both.
/// Source:     Hutter, Hoos, Leyton-Brown (2014), An Efficient Approach for Assessing Hyperparameter Importance, ICML.
/// Departures: the grid is the whole product. For a space with constraints it also holds configurations that the
///             constraints forbid; there the forest extrapolates.
template <core::executor Run>
[[nodiscard]] variance_shares importance_of(const random_forest::state& s, std::span<const std::vector<float>> values,
                                            const variance_shares::options& options, const Run& run)
{
    require(s.fitted(), "importance_of: the forest is not fitted, want fit first");
    require(values.size() == s.dimensions, "importance_of: want one list of values per feature");
    for (const auto& v : values) {
        require(!v.empty(), "importance_of: a feature without values, want >= 1");
        require(std::adjacent_find(v.begin(), v.end(), [](float x, float y) { return !(x < y); }) == v.end(),
                "importance_of: a feature's values do not ascend, want them sorted and distinct");
    }
    require(options.at_least <= options.at_most, "importance_of: at_least is above at_most, want it below");
    const std::size_t d = s.dimensions;
    struct of_tree {
        double variance = 0;
        std::vector<double> singles, pairs;
        std::vector<std::vector<double>> marginals;
    };
    std::vector<of_tree> found(s.trees());
    const auto look = [&](std::size_t b) {
        const detail::tree_boxes boxes(s, b, values, options.at_least, options.at_most);
        of_tree& t = found[b];
        t.variance = boxes.variance();
        for (std::size_t j = 0; j < d; ++j) {
            const auto m = boxes.marginal(j);
            auto& all = t.marginals.emplace_back();
            for (const std::size_t v : boxes.segment_of_values(j)) all.push_back(boxes.mean() + m[v]);
            t.singles.push_back(boxes.variance_of(j));
        }
        for (std::size_t i = 0; i < d; ++i)
            for (std::size_t j = i + 1; j < d; ++j)
                t.pairs.push_back((std::max)(0.0, boxes.variance_of(i, j) - t.singles[i] - t.singles[j]));
    };
    run(s.trees(), look);

    variance_shares out;
    detail::spread_of variance;
    std::vector<detail::spread_of> singles(d), pairs(d * (d - 1) / 2);
    for (const of_tree& t : found) {
        variance.add(t.variance);
        if (!(t.variance > 0)) continue;
        ++out.trees;
        for (std::size_t j = 0; j < d; ++j) singles[j].add((std::min)(1.0, t.singles[j] / t.variance));
        for (std::size_t p = 0; p < pairs.size(); ++p) pairs[p].add((std::min)(1.0, t.pairs[p] / t.variance));
    }
    out.variance = variance.result();
    for (const auto& x : singles) out.singles.push_back(x.result());
    std::size_t p = 0;
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = i + 1; j < d; ++j) out.pairs.push_back({.a = i, .b = j, .share = pairs[p++].result()});
    for (std::size_t j = 0; j < d; ++j) {
        std::vector<detail::spread_of> at(values[j].size());
        for (const of_tree& t : found)
            for (std::size_t v = 0; v < at.size(); ++v) at[v].add(t.marginals[j][v]);
        auto& m = out.marginals.emplace_back();
        for (const auto& x : at) m.push_back(x.result());
    }
    return out;
}

/// The same, on the calling thread.
[[nodiscard]] inline variance_shares importance_of(const random_forest::state& s,
                                                   std::span<const std::vector<float>> values,
                                                   const variance_shares::options& options = {})
{
    return importance_of(s, values, options, core::serial);
}

/// The values of each column of `rows`, ascending: a grid of the rows seen.
template <class T>
[[nodiscard]] std::vector<std::vector<float>> values_of(const rows_of<T>& rows)
{
    std::vector<std::vector<float>> out(rows.dimensions());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < out.size(); ++j) out[j].push_back(static_cast<float>(rows[i][j]));
    for (auto& v : out) {
        std::sort(v.begin(), v.end());
        v.erase(std::unique(v.begin(), v.end()), v.end());
    }
    return out;
}

}  // namespace tunekit::surrogate
