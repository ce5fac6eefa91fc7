// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Numbers for the rows of ordinals that fulfil some conditions.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/detail/axis.hpp"

namespace tunekit::space::detail {

/// The most configurations that a space may have.
inline constexpr index most_configurations = index{1} << 63;

/// No row.
inline constexpr index nowhere = ~index{0};

/// One parameter takes another ordinal.
struct change {
    std::size_t parameter = 0;
    std::uint16_t ordinal = 0;
};

/// Division by a constant as a multiplication.
/// Source: Granlund, Montgomery (1994), Division by Invariant Integers using Multiplication, PLDI, theorem 4.2, here
///         for 63 bits: divisor <= 2^shift < 2 divisor.
class reciprocal {
public:
    reciprocal() = default;  ///< of 1

    /// Precondition: 0 < divisor <= 2^63.
    explicit reciprocal(index divisor)
    {
        __extension__ using wide = unsigned __int128;
        while (index{1} << shift_ < divisor) ++shift_;
        factor_ = static_cast<index>(((wide{1} << (63 + shift_)) + divisor - 1) / divisor);
    }

    /// i / divisor. Precondition: i < 2^63.
    [[nodiscard]] index quotient(index i) const noexcept
    {
        __extension__ using wide = unsigned __int128;
        return static_cast<index>(wide{i << 1} * factor_ >> 64) >> shift_;
    }

private:
    index factor_ = index{1} << 63;
    unsigned shift_ = 0;
};

/// The valid rows of parameters that constrain each other as a decision diagram: one level per parameter, equal
/// sub-trees once, the number of rows below each branch known. Rows are numbered in lexicographic order of the levels.
/// `tree_of` makes it.
///
/// Source: Rasch, Schulze, Gorlatch (2021), Efficient Auto-Tuning of Parallel Programs with Interdependent Tuning
///         Parameters via ATF, ACM TACO 18 (chain of trees).
/// Departures: sub-trees are shared, so that a tree is as large as its dependences and not as its rows; the order of
///             the levels is chosen.
struct tree {
    core::plain_vector<std::size_t> variables;  ///< the positions of the parameters, level by level
    core::plain_vector<std::uint32_t> first;    ///< nodes + 1: where a node's branches begin; the root is node 0
    core::plain_vector<std::uint16_t> value;    ///< by branch: the ordinal, ascending within a node
    core::plain_vector<std::uint32_t> child;    ///< by branch: the node of the next level
    core::plain_vector<index> before;           ///< by branch: rows below the node's earlier branches
    index size = 0;                             ///< rows; all ones where more than most_configurations
};

/// The rows of ordinals that fulfil some conditions, numbered as `product` says: a mixed-radix number of groups of
/// parameters that share conditions. The trees of all groups lie one after another in the same arrays.
/// Cost: a row takes one multiplication per group, and a row or its number one binary search per parameter that
///       conditions link.
class numbering {
public:
    /// No rows.
    numbering() = default;

    /// Throws: std::invalid_argument naming the conditions that leave nothing, or the size beyond 2^63.
    [[gnu::cold]] numbering(std::span<const std::uint16_t> cardinalities, std::span<const condition> conditions);

    /// The same without conditions.
    [[gnu::cold]] explicit numbering(std::span<const std::uint16_t> cardinalities);

    [[nodiscard]] index size() const noexcept { return size_; }

    /// Writes the ordinals of row number `i`. Precondition: i < size().
    void row(index i, std::uint16_t* out) const;

    /// The number of a row; `nowhere` where it is not among them.
    [[nodiscard]] index rank(const std::uint16_t* in) const;

    /// The number that row `i`, whose ordinals are `row`, gets by a change; `nowhere` if that is not one of these rows.
    [[nodiscard]] index changed(index i, std::uint16_t* row, change c) const;

    /// The number that row `i` gets when a parameter that no condition links goes `steps` values on, from the last to
    /// the first; `nowhere` where one links it. It needs no ordinals. Precondition: steps < the parameter's values.
    [[nodiscard]] index advanced(index i, std::size_t parameter, std::uint64_t steps) const
    {
        const std::size_t k = group_of_[parameter];
        const group& g = groups_[k];
        if (g.levels != 0) return nowhere;
        const index here = k == 0 ? i : groups_[k - 1].next_stride.quotient(i);
        const index old = here - g.next_stride.quotient(i) * g.count, to = old + steps;  // to < 2 count
        return i + ((to < g.count ? to : to - g.count) - old) * g.stride;  // modulo 2^64, right in the end
    }

    /// The same as `changed` by changes of two parameters.
    [[nodiscard]] index changed(index i, std::uint16_t* row, change c, change d) const;

    /// Feeds `mix(number)` everything that decides which number means which row.
    template <class Mix>
    void describe(const Mix& mix) const
    {
        for (std::size_t k = 0; k < groups_.size(); ++k) {
            const group& g = groups_[k];
            mix(g.count);
            mix(g.variable);
            if (g.levels == 0) continue;
            const std::uint32_t branch = trees_.first[g.root];
            for (std::size_t level = 0; level < g.levels; ++level) mix(trees_.variables[g.first_level + level]);
            for (std::uint32_t node = g.root; node < g.end; ++node) mix(trees_.first[node] - branch);
            for (std::uint32_t b = branch; b < trees_.first[g.end - 1]; ++b)
                mix(std::uint64_t{trees_.child[b] - g.root} << 16 | trees_.value[b]);
        }
    }

private:
    /// Parameters that depend on each other: one parameter without conditions, or some levels of `trees_`.
    struct group {
        index stride = 1;
        index count = 0;
        reciprocal next_stride;    // of stride * count
        std::size_t variable = 0;  // the parameter, or the first of several
        std::size_t first_level = 0;
        std::size_t levels = 0;  // 0: not linked
        std::uint32_t root = 0;  // its nodes: [root, end), of which the last is the end of every row
        std::uint32_t end = 0;
    };

    /// Gives `g` the rows of a tree of its own.
    [[gnu::cold]] void add(group& g, const tree& t);

    /// Gives the groups their strides, once they have their counts. Throws as the constructor.
    [[gnu::cold]] void stride();

    [[nodiscard]] index rank(const group& g, const std::uint16_t* in) const;

    /// The number of row `i` after its part within `g` became that of `row`.
    [[nodiscard]] index moved(index i, const std::uint16_t* row, const group& g) const;

    core::plain_vector<group> groups_;
    core::plain_vector<std::uint32_t> group_of_;  // by parameter
    tree trees_;
    index size_ = 0;
};

}  // namespace tunekit::space::detail

#if TUNEKIT_BODIES
namespace tunekit::space::detail {

TUNEKIT_INLINE numbering::numbering(std::span<const std::uint16_t> cardinalities)
{
    for (std::size_t j = 0; j < cardinalities.size(); ++j) {
        group_of_.push_back(static_cast<std::uint32_t>(j));
        group g;
        g.variable = j;
        g.count = cardinalities[j];
        groups_.push_back(g);
    }
    stride();
}

TUNEKIT_INLINE void numbering::stride()
{
    size_ = 1;
    for (group& g : groups_) {
        g.stride = size_;
        if (g.count > most_configurations / size_)
            invalid("space: has more than 2^63 configurations, want fewer parameters or values");
        size_ *= g.count;
        g.next_stride = reciprocal(size_);
    }
}

TUNEKIT_INLINE void numbering::row(index i, std::uint16_t* out) const
{
    assert(i < size_);
    index here = i;  // i / stride; the quotients do not wait for each other
    for (const group& g : groups_) {
        const index next = g.next_stride.quotient(i);
        index r = here - next * g.count;
        here = next;
        if (g.levels == 0) {
            out[g.variable] = static_cast<std::uint16_t>(r);
            continue;
        }
        const std::size_t* variable = trees_.variables.data() + g.first_level;
        std::uint32_t node = g.root;
        for (std::size_t level = 0; level < g.levels; ++level) {
            std::size_t low = trees_.first[node];  // the last branch with no more than r rows before it
            for (std::size_t n = trees_.first[node + 1] - low; n > 1;) {
                const std::size_t half = n / 2;
                if (trees_.before[low + half] <= r) low += half;
                n -= half;
            }
            r -= trees_.before[low];
            out[variable[level]] = trees_.value[low];
            node = trees_.child[low];
        }
    }
}

TUNEKIT_INLINE index numbering::rank(const std::uint16_t* in) const
{
    index i = 0;
    for (const group& g : groups_) {
        const index r = rank(g, in);
        if (r == nowhere) return nowhere;
        i += r * g.stride;
    }
    return i;
}

TUNEKIT_INLINE index numbering::changed(index i, std::uint16_t* row, change c) const
{
    const group& g = groups_[group_of_[c.parameter]];
    if (g.levels == 0) return c.ordinal < g.count ? i + (index{c.ordinal} - row[c.parameter]) * g.stride : nowhere;
    const std::uint16_t old = std::exchange(row[c.parameter], c.ordinal);
    const index out = moved(i, row, g);
    row[c.parameter] = old;
    return out;
}

TUNEKIT_INLINE index numbering::changed(index i, std::uint16_t* row, change c, change d) const
{
    const std::uint16_t old_c = std::exchange(row[c.parameter], c.ordinal);
    const std::uint16_t old_d = std::exchange(row[d.parameter], d.ordinal);
    index out = moved(i, row, groups_[group_of_[c.parameter]]);
    if (out != nowhere && group_of_[c.parameter] != group_of_[d.parameter])
        out = moved(out, row, groups_[group_of_[d.parameter]]);
    row[c.parameter] = old_c;
    row[d.parameter] = old_d;
    return out;
}

TUNEKIT_INLINE index numbering::rank(const group& g, const std::uint16_t* in) const
{
    if (g.levels == 0) return in[g.variable] < g.count ? in[g.variable] : nowhere;
    const std::size_t* variable = trees_.variables.data() + g.first_level;
    index r = 0;
    std::uint32_t node = g.root;
    for (std::size_t level = 0; level < g.levels; ++level) {
        const std::uint16_t wanted = in[variable[level]];
        std::size_t low = trees_.first[node];  // the last branch of no greater ordinal, or the first one
        for (std::size_t n = trees_.first[node + 1] - low; n > 1;) {
            const std::size_t half = n / 2;
            if (trees_.value[low + half] <= wanted) low += half;
            n -= half;
        }
        if (trees_.value[low] != wanted) return nowhere;
        r += trees_.before[low];
        node = trees_.child[low];
    }
    return r;
}

TUNEKIT_INLINE index numbering::moved(index i, const std::uint16_t* row, const group& g) const
{
    const index r = rank(g, row);
    return r == nowhere ? nowhere : i + (r - i / g.stride % g.count) * g.stride;  // modulo 2^64, right in the end
}

}  // namespace tunekit::space::detail
#endif  // TUNEKIT_BODIES
