// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// From conditions to the trees of the rows that fulfil them, without visiting the raw product.
///
/// An example: a, b, c are 1, 2 or 3, with a * b <= 3 and c <= b.
///
///     level_order.hpp  a, b, c: no order promises fewer branches
///     enumerate.hpp    forward; a state is what later levels must know of the earlier values
///         ()      a = 1, 2, 3 to the states (a = 1), (a = 2), (a = 3)
///         (a = 1) b = 1, 2, 3 to (b = 1), (b = 2), (b = 3);  (a = 2), (a = 3) b = 1 to (b = 1)
///         (b = 1) c = 1;  (b = 2) c = 1, 2;  (b = 3) c = 1, 2, 3: each to the end
///     merge.hpp        backward; a = 2 and a = 3 have equal branches, so they share a node
///         a = 1 ------- b = 1 --+- c = 1          rows 0;  6;  7
///               |       b = 2 --|- c = 1, 2       rows 1, 2
///               |       b = 3 --|- c = 1, 2, 3    rows 3, 4, 5
///         a = 2, 3 ---- b = 1 --+

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/space/detail/axis.hpp"
#include "tunekit/space/detail/enumerate.hpp"
#include "tunekit/space/detail/level_order.hpp"
#include "tunekit/space/detail/merge.hpp"
#include "tunekit/space/detail/numbering.hpp"

namespace tunekit::space::detail {

/// The rows over `variables` that fulfil all conditions. Throws too_costly.
[[nodiscard, gnu::cold]] inline tree tree_of(const core::plain_vector<std::size_t>& variables,
                                             std::span<const open_condition> conditions,
                                             std::span<const std::uint16_t> sizes, std::uint64_t& spent)
{
    core::plain_vector<std::size_t> order = best_order(variables, conditions, sizes);
    tree out = merged(enumerate(order, conditions, sizes, spent));
    out.variables = std::move(order);
    return out;
}

/// Conditions that no row fulfils together, each of them needed for that; or all, where that costs too much to find
/// out.
[[nodiscard, gnu::cold]] inline std::vector<open_condition> culprits(const core::plain_vector<std::size_t>& variables,
                                                                     const std::vector<open_condition>& conditions,
                                                                     std::span<const std::uint16_t> sizes,
                                                                     std::uint64_t& spent)
{
    std::vector<open_condition> out = conditions;
    try {
        std::size_t n = 1;  // the first n leave nothing
        while (n < conditions.size() && tree_of(variables, {conditions.data(), n}, sizes, spent).size > 0) ++n;
        out.resize(n, conditions.front());
        for (std::size_t k = 0; k + 1 < out.size();) {
            std::vector<open_condition> without = out;
            without.erase(without.begin() + static_cast<std::ptrdiff_t>(k));
            if (tree_of(variables, without, sizes, spent).size == 0) out = without;
            else ++k;
        }
    } catch (const too_costly&) {  // no fewer are known to leave nothing
    }
    return out;
}

[[noreturn, gnu::cold]] inline void leaves_nothing(std::span<const open_condition> conditions)
{
    std::string names;
    for (const open_condition& c : conditions) {
        if (!names.empty()) names += ", ";
        names += c.of->text(c.of->context);
        if (conditions.size() > 1) names += " (number " + std::to_string(c.number) + ')';
    }
    if (conditions.size() > 1)
        invalid({"space: constraints ", names, ": leave nothing together, want some values that fulfil them all"});
    invalid({"space: constraint ", names, ": leaves nothing, want one that some values fulfil"});
}

/// The conditions on what can vary; `leader` becomes, by parameter, the least one that they link it to.
/// Throws std::invalid_argument, naming it, where one on what cannot vary fails.
[[nodiscard, gnu::cold]] inline std::vector<open_condition> linked(std::span<const std::uint16_t> sizes,
                                                                   std::span<const condition> conditions,
                                                                   core::plain_vector<std::size_t>& leader)
{
    const core::plain_vector<std::uint16_t> row(sizes.size(), 0);
    for (std::size_t j = 0; j < sizes.size(); ++j) push(leader, j);
    std::vector<open_condition> out;
    std::size_t number = 0;
    for (const condition& c : conditions) {
        open_condition o{&c, {}, ++number};
        for (const std::size_t j : c.scope)
            if (sizes[j] > 1) push(o.scope, j);  // a single value links nothing
        for (const std::size_t j : o.scope) {
            const std::size_t a = leader[j], b = leader[o.scope.front()];
            for (std::size_t& l : leader)
                if (l == a || l == b) l = a < b ? a : b;
        }
        if (!o.scope.empty()) out.push_back(o);
        else if (!o.holds(row.data())) leaves_nothing({&o, 1});
    }
    return out;
}

}  // namespace tunekit::space::detail

#if TUNEKIT_BODIES
namespace tunekit::space::detail {

TUNEKIT_INLINE numbering::numbering(std::span<const std::uint16_t> cardinalities, std::span<const condition> conditions)
{
    core::plain_vector<std::size_t> leader;
    const std::vector<open_condition> all = linked(cardinalities, conditions, leader);
    std::uint64_t spent = 0;
    for (std::size_t j = 0; j < leader.size(); ++j) {
        push(group_of_, leader[j] == j ? static_cast<std::uint32_t>(groups_.size()) : group_of_[leader[j]]);
        if (leader[j] != j) continue;
        group g;
        g.variable = j;
        g.count = cardinalities[j];
        std::vector<open_condition> own;
        for (const open_condition& c : all)
            if (leader[c.scope.front()] == j) own.push_back(c);
        if (!own.empty()) {
            core::plain_vector<std::size_t> members;
            for (std::size_t k = j; k < leader.size(); ++k)
                if (leader[k] == j) push(members, k);
            tree t;
            try {
                t = tree_of(members, own, cardinalities, spent);
            } catch (const too_costly&) {
                too_many_links();
            }
            if (t.size == 0) leaves_nothing(culprits(members, own, cardinalities, spent));
            add(g, t);
        }
        groups_.push_back(g);
    }
    stride();
}

TUNEKIT_INLINE void numbering::add(group& g, const tree& t)
{
    g.count = t.size;
    g.levels = t.variables.size();
    g.first_level = trees_.variables.size();
    g.root = static_cast<std::uint32_t>(trees_.first.size());
    g.end = g.root + static_cast<std::uint32_t>(t.first.size());
    const auto branch = static_cast<std::uint32_t>(trees_.value.size());
    if (trees_.value.size() + t.value.size() >= 0xffffffffU) too_many_links();
    for (const std::size_t v : t.variables) push(trees_.variables, v);
    for (const std::uint32_t f : t.first) push(trees_.first, branch + f);
    for (std::size_t b = 0; b < t.value.size(); ++b) {
        push(trees_.value, t.value[b]);
        push(trees_.child, g.root + t.child[b]);
        push(trees_.before, t.before[b]);
    }
}

}  // namespace tunekit::space::detail
#endif  // TUNEKIT_BODIES
