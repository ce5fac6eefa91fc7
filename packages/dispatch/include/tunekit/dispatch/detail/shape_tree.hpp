// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A small tree from shapes to configurations.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/cost_table.hpp"

namespace tunekit::dispatch::detail {

/// The numbers that nodes may compare: each size, the product and the quotient of each two sizes, and the product of
/// all. Those of `words` are compared by themselves only.
[[nodiscard]] inline std::vector<tree_node> tree_features(std::size_t sizes, std::uint32_t words = 0)
{
    std::vector<tree_node> out;
    const auto bit = [](std::size_t j) { return std::uint32_t{1} << j; };
    const auto number = [&](std::size_t j) { return (words & bit(j)) == 0; };
    for (std::size_t a = 0; a < sizes; ++a) out.push_back({.of = bit(a)});
    for (std::size_t a = 0; a < sizes; ++a)
        for (std::size_t b = a + 1; b < sizes; ++b) {
            if (!number(a) || !number(b)) continue;
            out.push_back({.of = bit(a) | bit(b)});
            out.push_back({.of = bit(a), .less = bit(b)});
        }
    const std::uint32_t all = static_cast<std::uint32_t>((std::uint64_t{1} << sizes) - 1) & ~words;
    if (std::popcount(all) > 2) out.push_back({.of = all});
    return out;
}

/// Grows a tree over rows of a table whose leaves are columns.
///
/// A node takes the split with the least loss whose leaves have `min_rows` rows or more. Afterwards, from below, a
/// subtree is cut off where it gains less than `leaf_penalty` for each leaf beyond the first.
///
/// With `or_untuned` the untuned defaults of the rows are one more column. A leaf then prefers the untuned default
/// unless its column gains more over it than the gain's standard error, on average over the leaf's rows.
///
/// Source: Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees, chapters 2 and 3: minimal
///         cost-complexity pruning.
/// Departures: the loss of whole configurations takes the place of the impurity.
class shape_tree {
public:
    shape_tree(const cost_table& t, std::span<const std::uint32_t> kept, std::size_t min_rows, double leaf_penalty,
               bool or_untuned)
        : table_(t),
          kept_(kept.begin(), kept.end()),
          min_rows_(min_rows),
          penalty_(leaf_penalty),
          or_untuned_(or_untuned)
    {
    }

    /// The answer for the rows of one leaf.
    struct answer {
        std::uint32_t config = 0;  ///< position in `kept` of the column that loses least
        bool untuned = false;
        double loss = 0;  ///< the sum over the rows
    };

    /// The nodes, the root first. Leaves hold positions in `kept`. Precondition: there are rows and columns.
    [[nodiscard]] std::vector<tree_node> grown(std::vector<std::size_t> rows)
    {
        features_ = tree_features(table_.rows[rows.front()].at.size(), table_.words);
        nodes_.clear();
        static_cast<void>(grow(std::move(rows), 0));
        return std::move(nodes_);
    }

    /// The answer for these rows as one leaf. Precondition: there are rows.
    [[nodiscard]] answer leaf(std::span<const std::size_t> rows) const
    {
        answer best{.loss = std::numeric_limits<double>::infinity()};
        for (std::uint32_t c = 0; c < kept_.size(); ++c) {
            double sum = 0;
            for (const std::size_t r : rows) sum += table_.loss(r, kept_[c]);
            if (sum < best.loss) best = {.config = c, .loss = sum};
        }
        if (!or_untuned_ || !table_.knows_untuned(rows)) return best;
        double gain = 0, squares = 0;
        for (const std::size_t r : rows) {
            const double x = table_.untuned_loss(r) - table_.loss(r, kept_[best.config]);
            gain += x;
            squares += x * x;
        }
        const auto n = static_cast<double>(rows.size());
        const double error = std::sqrt((std::max)(0.0, squares - gain * gain / n) * n / (std::max)(1.0, n - 1));
        if (gain > error) return best;  // both are n times the mean
        return {.config = best.config, .untuned = true, .loss = best.loss + gain};
    }

private:
    struct cut {
        tree_node node{};
        double loss = std::numeric_limits<double>::infinity();
    };

    [[nodiscard]] double loss_of(std::size_t row, std::size_t c) const
    {
        return c < kept_.size() ? table_.loss(row, kept_[c]) : table_.untuned_loss(row);
    }

    /// Appends the subtree of the rows to the nodes. Returns its loss, with the penalties of all leaves but one.
    double grow(std::vector<std::size_t> rows, int depth)
    {
        const auto [config, untuned, loss] = leaf(rows);
        const std::size_t at = nodes_.size();
        nodes_.push_back({.config = config, .untuned = untuned});
        if (depth == 12 || rows.size() < 2 * min_rows_) return loss;
        const cut split = best_cut(rows);
        if (split.node.of == 0) return loss;
        std::vector<std::size_t> yes, no;
        for (const std::size_t r : rows)
            (split.node.feature(table_.rows[r].at) <= split.node.at_most ? yes : no).push_back(r);
        tree_node inside = split.node;
        inside.yes = static_cast<std::uint32_t>(nodes_.size());
        double below = grow(std::move(yes), depth + 1) + penalty_;
        inside.no = static_cast<std::uint32_t>(nodes_.size());
        below += grow(std::move(no), depth + 1);
        if (below >= loss) {
            nodes_.resize(at + 1);
            return loss;
        }
        nodes_[at] = inside;
        return below;
    }

    [[nodiscard]] cut best_cut(std::span<const std::size_t> rows) const
    {
        cut best;
        std::vector<std::pair<std::int64_t, std::size_t>> order(rows.size());
        const std::size_t columns = kept_.size() + (or_untuned_ ? 1 : 0);
        std::vector<double> left(columns), all(columns, 0.0);
        for (std::size_t c = 0; c < columns; ++c)
            for (const std::size_t r : rows) all[c] += loss_of(r, c);
        for (const tree_node& f : features_) {
            for (std::size_t k = 0; k < rows.size(); ++k) order[k] = {f.feature(table_.rows[rows[k]].at), rows[k]};
            std::sort(order.begin(), order.end());
            std::fill(left.begin(), left.end(), 0.0);
            for (std::size_t k = 0; k + 1 < order.size(); ++k) {
                double low = std::numeric_limits<double>::infinity(), high = low;
                for (std::size_t c = 0; c < columns; ++c) {
                    left[c] += loss_of(order[k].second, c);
                    low = (std::min)(low, left[c]);
                    high = (std::min)(high, all[c] - left[c]);
                }
                if (order[k].first == order[k + 1].first || k + 1 < min_rows_ || order.size() - k - 1 < min_rows_)
                    continue;
                if (low + high >= best.loss - 1e-12) continue;
                best.loss = low + high;
                best.node = f;
                best.node.at_most = between(f, order[k].first, order[k + 1].first);
            }
        }
        return best;
    }

    /// A threshold from `low` to below `high`: half way, and for a size itself half way between the logarithms.
    [[nodiscard]] static std::int64_t between(const tree_node& f, std::int64_t low, std::int64_t high)
    {
        if (f.less != 0 || (f.of & (f.of - 1)) != 0) return std::midpoint(low, high);
        const std::int64_t half = std::midpoint(log2_steps(low), log2_steps(high));
        const std::int64_t power = std::int64_t{1} << (half >> 16);
        return std::clamp(power + static_cast<std::int64_t>(static_cast<double>(power) *
                                                            (static_cast<double>(half & 0xffff) / 65536)),
                          low, high - 1);
    }

    const cost_table& table_;
    std::vector<std::uint32_t> kept_;
    std::size_t min_rows_;
    double penalty_;
    bool or_untuned_;
    std::vector<tree_node> features_;
    std::vector<tree_node> nodes_;
};

}  // namespace tunekit::dispatch::detail
