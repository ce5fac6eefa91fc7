// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The valid combinations of parameters that constrain each other, counted and numbered without visiting the raw product.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tunekit/space/concepts.hpp"

namespace tunekit::space {

/// The most configurations that a space may have.
inline constexpr index most_configurations = index{1} << 63;

/// a * b, or all ones where that is more than most_configurations.
[[nodiscard]] constexpr index checked_product(index a, index b) noexcept
{
    if (a == 0 || b == 0) return 0;
    return a > most_configurations / b ? ~index{0} : a * b;
}

/// A set of rows of ordinals as a decision diagram: one level per parameter, equal sub-trees once, the number of rows below each
/// branch known. Rows are numbered in lexicographic order of the levels.
///
/// Built by tree_builder.
/// Cost:   `row` and `rank` take one binary search per level.
/// Source: Rasch, Schulze, Gorlatch (2021), Efficient Auto-Tuning of Parallel Programs with Interdependent Tuning Parameters via
///         ATF, ACM TACO 18 (chain of trees).
/// Departures: sub-trees are shared, so that a tree is as large as its dependences and not as its rows; the order of
///             the levels is chosen.
class tree {
public:
    /// No rows.
    tree() = default;

    /// How many rows there are; all ones where more than most_configurations.
    [[nodiscard]] index size() const noexcept { return size_; }

    /// The positions of the parameters, level by level.
    [[nodiscard]] std::span<const std::size_t> variables() const noexcept { return variables_; }

    /// Writes the ordinals of row number `r` by position. Precondition: r < size().
    void row(index r, std::uint16_t* out) const
    {
        std::uint32_t node = 0;
        for (const std::size_t variable : variables_) {
            const auto begin = before_.begin() + first_[node];
            const auto at = std::upper_bound(begin + 1, before_.begin() + first_[node + 1], r) - 1;
            const auto branch = static_cast<std::size_t>(at - before_.begin());
            r -= *at;
            out[variable] = value_[branch];
            node = child_[branch];
        }
    }

    /// The number of the row with these ordinals (by position); empty where it is not in the set.
    [[nodiscard]] std::optional<index> rank(const std::uint16_t* in) const
    {
        if (size_ == 0) return std::nullopt;
        index r = 0;
        std::uint32_t node = 0;
        for (const std::size_t variable : variables_) {
            const auto end = value_.begin() + first_[node + 1];
            const auto at = std::lower_bound(value_.begin() + first_[node], end, in[variable]);
            if (at == end || *at != in[variable]) return std::nullopt;
            const auto branch = static_cast<std::size_t>(at - value_.begin());
            r += before_[branch];
            node = child_[branch];
        }
        return r;
    }

    /// Feeds `mix(number)` everything that decides which number means which row.
    template <class Mix>
    void describe(Mix&& mix) const
    {
        for (const std::size_t v : variables_) mix(v);
        for (const std::uint32_t f : first_) mix(f);
        for (std::size_t i = 0; i < value_.size(); ++i) mix(std::uint64_t{child_[i]} << 16 | value_[i]);
    }

private:
    template <class Condition>
    friend class tree_builder;

    std::vector<std::size_t> variables_;
    std::vector<std::uint32_t> first_;   // nodes + 1: where a node's branches begin; the root is node 0
    std::vector<std::uint16_t> value_;   // by branch: the ordinal, ascending within a node
    std::vector<std::uint32_t> child_;   // by branch: the node of the next level
    std::vector<index> before_;          // by branch: rows below the node's earlier branches
    index size_ = 0;
};

}  // namespace tunekit::space
