// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// From the levels of states to the tree that has equal sub-trees once.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/space/detail/enumerate.hpp"
#include "tunekit/space/detail/numbering.hpp"

namespace tunekit::space::detail {

/// The nodes of a tree from the last level up; node 0 is the end of every row.
struct upward {
    core::plain_vector<std::uint32_t> first{0, 0};  ///< node n has the branches [first[n], first[n + 1])
    core::plain_vector<index> rows{1};              ///< below node n; all ones where more than most_configurations
    core::plain_vector<std::uint16_t> value{};      ///< by branch: the ordinal
    core::plain_vector<std::uint32_t> child{};      ///< by branch: the node below

    [[nodiscard]] bool equal(std::uint32_t a, std::uint32_t b) const
    {
        if (first[a + 1] - first[a] != first[b + 1] - first[b]) return false;
        for (std::uint32_t i = first[a], j = first[b]; i < first[a + 1]; ++i, ++j)
            if (value[i] != value[j] || child[i] != child[j]) return false;
        return true;
    }
    [[nodiscard]] std::uint64_t hash(std::uint32_t n) const
    {
        std::uint64_t h = 0;
        for (std::uint32_t b = first[n]; b < first[n + 1]; ++b)
            h = core::mixed(h, std::uint64_t{child[b]} << 16 | value[b]);
        return h;
    }
};

/// Adds the nodes of a level above those of the states below, and returns that of each state. A branch that leads to no
/// row is left out, and a state without branches has no node: `dead`.
inline constexpr std::uint32_t dead = 0xffffffffU;
[[nodiscard, gnu::hot]] inline core::plain_vector<std::uint32_t> add_level(upward& to, const level& here,
                                                                           std::span<const std::uint32_t> below)
{
    core::plain_vector<std::uint32_t> mine;
    core::index_table<std::uint32_t> nodes;  // of this level
    const auto hash = [&](std::uint32_t n) { return to.hash(n); };
    for (std::size_t s = 0; s + 1 < here.first.size(); ++s) {
        const auto node = static_cast<std::uint32_t>(to.rows.size());
        index sum = 0;
        for (std::uint32_t b = here.first[s]; b < here.first[s + 1]; ++b) {
            const std::uint32_t child = below[here.target[b]];
            if (child == dead) continue;
            push(to.value, here.value[b]);
            push(to.child, child);
            const index more = sum + to.rows[child];
            sum = more < sum || more > most_configurations ? nowhere : more;
        }
        const std::uint32_t begin = to.first.back();
        if (begin == to.value.size()) {
            push(mine, dead);
            continue;
        }
        push(to.first, static_cast<std::uint32_t>(to.value.size()));
        push(mine, nodes.add(node, hash(node), [&](std::uint32_t n) { return to.equal(n, node); }, hash));
        if (mine.back() == node) {
            push(to.rows, sum);
            continue;
        }
        to.first.pop_back();
        to.value.resize(begin);
        to.child.resize(begin);
    }
    return mine;
}

/// The tree of some levels, without its variables.
[[nodiscard, gnu::hot]] inline tree merged(std::vector<level> levels)
{
    upward all;
    core::plain_vector<std::uint32_t> below{0};  // by state of the level below
    for (; !levels.empty(); levels.pop_back()) below = add_level(all, levels.back(), below);
    tree out;
    if (below[0] == dead) return out;
    out.size = all.rows[below[0]];

    // Turned round: the root comes first and the end last.
    const auto last = static_cast<std::uint32_t>(all.rows.size()) - 1;
    for (std::uint32_t n = last; n > 0; --n) {
        push(out.first, static_cast<std::uint32_t>(out.value.size()));
        index sum = 0;
        for (std::uint32_t b = all.first[n]; b < all.first[n + 1]; ++b) {
            push(out.value, all.value[b]);
            push(out.child, last - all.child[b]);
            push(out.before, sum);
            sum += all.rows[all.child[b]];
        }
    }
    push(out.first, static_cast<std::uint32_t>(out.value.size()));
    return out;
}

}  // namespace tunekit::space::detail
