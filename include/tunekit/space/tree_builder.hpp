// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// From conditions to the tree of the rows that fulfil them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/space/condition.hpp"
#include "tunekit/space/interned.hpp"
#include "tunekit/space/level_plan.hpp"
#include "tunekit/space/tree.hpp"

namespace tunekit::space {

/// Enumerates group by group and level by level, forward over states (what later levels must know of earlier values),
/// then backward, counting rows and sharing equal nodes. A template so that nobody pays for it who builds no space.
///
///     tree_builder<condition>::build(variables, cardinalities, conditions, row)
///
/// Cost: each condition is evaluated once per distinct combination of the values that it and later levels ask for.
template <class Condition>
class tree_builder {
    using conditions_of = std::span<const Condition* const>;
    using sizes_of = std::span<const std::uint16_t>;
    using plan = detail::level_plan<Condition>;

public:
    /// The rows over `variables` (positions of parameters, with `sizes` by position) that fulfil all conditions, whose
    /// scopes lie within `variables`. `row` is scratch by position: parameters outside `variables` are read from it as
    /// they are.
    [[nodiscard]] static tree build(const std::vector<std::size_t>& variables, sizes_of sizes, conditions_of conditions,
                                    std::vector<std::uint16_t>& row)
    {
        tree out;
        out.variables_ = plan::best_order(variables, sizes, conditions);
        std::vector<level> levels = enumerate(out.variables_, sizes, conditions, row);
        merge(levels, out);
        return out;
    }

private:
    /// One level while building: a state is what later levels must know of the earlier ones' values.
    struct level {
        std::vector<std::uint32_t> first;   // states + 1; where a state's branches begin
        std::vector<std::uint16_t> value;
        std::vector<std::uint32_t> target;  // state of the next level
    };

    /// Forward: which states there are, and where each value leads.
    [[nodiscard]] static std::vector<level> enumerate(const std::vector<std::size_t>& variables, sizes_of sizes,
                                                      conditions_of conditions, std::vector<std::uint16_t>& row)
    {
        const plan p = plan::of(variables, sizes, conditions);
        const std::size_t depth = variables.size();
        std::vector<level> levels(depth);
        detail::interned states(0);
        states.add(row.data());  // the one empty tuple
        std::vector<std::uint16_t> tuple(depth);
        for (std::size_t k = 0; k < depth; ++k) {
            const std::size_t variable = variables[k];
            detail::interned next(p.live[k + 1].size());
            level& here = levels[k];
            for (std::size_t s = 0; s < states.size(); ++s) {
                here.first.push_back(static_cast<std::uint32_t>(here.value.size()));
                for (std::size_t i = 0; i < p.live[k].size(); ++i) row[p.live[k][i]] = states[s][i];
                for (std::uint32_t v = 0; v < sizes[variable]; ++v) {
                    row[variable] = static_cast<std::uint16_t>(v);
                    bool good = true;
                    for (const Condition* c : p.decided[k]) good = good && c->holds(c->context, row.data());
                    if (!good) continue;
                    for (std::size_t i = 0; i < p.live[k + 1].size(); ++i) tuple[i] = row[p.live[k + 1][i]];
                    here.value.push_back(static_cast<std::uint16_t>(v));
                    here.target.push_back(next.add(tuple.data()));
                }
                if (here.value.size() >= 0xffffffffU) detail::too_many_links();
            }
            here.first.push_back(static_cast<std::uint32_t>(here.value.size()));
            states = std::move(next);
        }
        return levels;
    }

    /// Backward: counts rows, drops branches that lead nowhere, keeps equal nodes once. The root becomes node 0.
    static void merge(std::vector<level>& levels, tree& out)
    {
        struct node {
            std::uint32_t begin, end;  // branches, in the order they were made
            index rows;
        };
        constexpr std::uint32_t nowhere = 0xffffffffU;
        std::vector<node> nodes{{0, 0, 1}};  // node 0 is the end of every row
        std::vector<std::uint16_t> value;
        std::vector<std::uint32_t> child;
        std::vector<std::uint32_t> below{0};  // by state of the level below: its node, or nowhere
        for (std::size_t k = levels.size(); k-- > 0;) {
            level here = std::move(levels[k]);
            std::vector<std::uint32_t> mine;
            std::vector<std::uint32_t> slots(16, 0);  // node of this level, 0 is free
            std::size_t kept = 0;
            for (std::size_t s = 0; s + 1 < here.first.size(); ++s) {
                const auto begin = static_cast<std::uint32_t>(value.size());
                std::uint64_t hash = 0;
                index rows = 0;
                for (std::size_t b = here.first[s]; b < here.first[s + 1]; ++b) {
                    const std::uint32_t to = below[here.target[b]];
                    if (to == nowhere) continue;
                    value.push_back(here.value[b]);
                    child.push_back(to);
                    hash = (hash ^ (std::uint64_t{to} << 16 | here.value[b])) * 0x9E3779B97F4A7C15U;
                    hash ^= hash >> 32;
                    const index sum = rows + nodes[to].rows;
                    rows = sum < rows || sum > most_configurations ? ~index{0} : sum;
                }
                const auto end = static_cast<std::uint32_t>(value.size());
                if (begin == end) {
                    mine.push_back(nowhere);
                    continue;
                }
                const auto same = [&](const node& n) {
                    const auto repeats = [&](const auto& of) {
                        return std::equal(of.begin() + n.begin, of.begin() + n.end, of.begin() + begin, of.end());
                    };
                    return repeats(value) && repeats(child);
                };
                std::size_t at = hash & (slots.size() - 1);
                while (slots[at] != 0 && !same(nodes[slots[at]])) at = (at + 1) & (slots.size() - 1);
                if (slots[at] != 0) {
                    value.resize(begin);
                    child.resize(begin);
                    mine.push_back(slots[at]);
                    continue;
                }
                slots[at] = static_cast<std::uint32_t>(nodes.size());
                nodes.push_back({begin, end, rows});
                mine.push_back(slots[at]);
                if (2 * ++kept > slots.size()) rehash(slots, nodes, value, child);
            }
            below = std::move(mine);
        }
        const std::uint32_t root = below[0];
        out.size_ = root == nowhere ? 0 : nodes[root].rows;
        if (out.size_ == 0) return;

        // Nodes are numbered from the last level up: turned round, the root comes first and the end last.
        const auto last = static_cast<std::uint32_t>(nodes.size()) - 1;
        for (std::uint32_t n = last; n > 0; --n) {
            out.first_.push_back(static_cast<std::uint32_t>(out.value_.size()));
            index rows = 0;
            for (std::uint32_t b = nodes[n].begin; b < nodes[n].end; ++b) {
                out.value_.push_back(value[b]);
                out.child_.push_back(last - child[b]);
                out.before_.push_back(rows);
                rows += nodes[child[b]].rows;
            }
        }
        out.first_.push_back(static_cast<std::uint32_t>(out.value_.size()));
    }

    template <class Nodes>
    static void rehash(std::vector<std::uint32_t>& slots, const Nodes& nodes, const std::vector<std::uint16_t>& value,
                       const std::vector<std::uint32_t>& child)
    {
        std::vector<std::uint32_t> old(2 * slots.size(), 0);
        old.swap(slots);
        for (const std::uint32_t n : old) {
            if (n == 0) continue;
            std::uint64_t hash = 0;
            for (std::uint32_t b = nodes[n].begin; b < nodes[n].end; ++b) {
                hash = (hash ^ (std::uint64_t{child[b]} << 16 | value[b])) * 0x9E3779B97F4A7C15U;
                hash ^= hash >> 32;
            }
            std::size_t at = hash & (slots.size() - 1);
            while (slots[at] != 0) at = (at + 1) & (slots.size() - 1);
            slots[at] = n;
        }
    }
};

}  // namespace tunekit::space
