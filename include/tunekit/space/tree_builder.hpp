// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// From conditions to the tree of the rows that fulfil them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/space/tree.hpp"

namespace tunekit::space {

/// A condition on some parameters, known to a grid by their positions. Both pointers are used during construction only.
struct condition {
    std::string text;                ///< what error messages call it
    std::vector<std::size_t> scope;  ///< the positions of the parameters that it depends on
    const void* context = nullptr;
    bool (*holds)(const void* context, const std::uint16_t* row) = nullptr;  ///< row: ordinals by position; those in scope are set
};

/// Enumerates group by group and level by level, forward over states (what later levels must know of earlier values), then backward,
/// counting rows and sharing equal nodes. A template so that nobody pays for it who builds no space.
///
///     tree_builder<condition>::build(variables, cardinalities, conditions, row)
///
/// Cost: each condition is evaluated once per distinct combination of the values that it and later levels still ask about.
template <class Condition>
class tree_builder {
    using conditions_of = std::span<const Condition* const>;
    using sizes_of = std::span<const std::uint16_t>;

public:
    /// The rows over `variables` (positions of parameters, with `sizes` by position) that fulfil all conditions, whose scopes
    /// lie within `variables`. `row` is scratch by position: parameters outside `variables` are read from it as they are.
    [[nodiscard]] static tree build(const std::vector<std::size_t>& variables, sizes_of sizes, conditions_of conditions,
                                    std::vector<std::uint16_t>& row)
    {
        tree out;
        out.variables_ = best_order(variables, sizes, conditions);
        std::vector<level> levels = enumerate(out.variables_, sizes, conditions, row);
        merge(levels, out);
        return out;
    }

private:
    [[noreturn]] static void too_many()
    {
        invalid("space: constraints link too many values to be counted, want smaller groups of parameters");
    }

    /// Tuples of 16-bit ordinals of one length, each kept once and known by its number.
    class interned {
    public:
        explicit interned(std::size_t length) : length_(length) {}

        [[nodiscard]] std::size_t size() const noexcept { return size_; }
        [[nodiscard]] const std::uint16_t* operator[](std::size_t i) const noexcept { return words_.data() + i * length_; }

        /// The number of the tuple.
        std::uint32_t add(const std::uint16_t* tuple)
        {
            if (2 * (size_ + 1) > slots_.size()) grow();
            std::size_t at = hash(tuple) & (slots_.size() - 1);
            for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
                if (std::equal(tuple, tuple + length_, (*this)[slots_[at] - 1])) return slots_[at] - 1;
            if (size_ == 0xfffffffeU) too_many();
            for (std::size_t i = 0; i < length_; ++i) words_.push_back(tuple[i]);
            slots_[at] = static_cast<std::uint32_t>(++size_);
            return slots_[at] - 1;
        }

    private:
        [[nodiscard]] std::size_t hash(const std::uint16_t* tuple) const noexcept
        {
            std::uint64_t h = 0;
            for (std::size_t i = 0; i < length_; ++i) {
                h = (h ^ tuple[i]) * 0x9E3779B97F4A7C15U;
                h ^= h >> 32;
            }
            return static_cast<std::size_t>(h);
        }

        void grow()
        {
            slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), 0);
            for (std::size_t i = 0; i < size_; ++i) {
                std::size_t at = hash((*this)[i]) & (slots_.size() - 1);
                while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
                slots_[at] = static_cast<std::uint32_t>(i + 1);
            }
        }

        std::size_t length_;
        std::size_t size_ = 0;
        std::vector<std::uint16_t> words_;
        std::vector<std::uint32_t> slots_;  // number + 1; 0 is free
    };

    /// One level while building: a state is what later levels must know of the earlier ones' values.
    struct level {
        std::vector<std::uint32_t> first;   // states + 1; where a state's branches begin
        std::vector<std::uint16_t> value;
        std::vector<std::uint32_t> target;  // state of the next level
    };

    struct plan {
        std::vector<std::vector<std::size_t>> live;               // by level, and one more: variables that its states consist of
        std::vector<std::vector<const Condition*>> decided;       // by level: conditions whose last variable it is
        double branches = 0;                                      // at most so many are looked at
    };

    [[nodiscard]] static plan plan_for(const std::vector<std::size_t>& order, sizes_of sizes,
                                       conditions_of conditions)
    {
        plan out;
        out.live.resize(order.size() + 1);
        out.decided.resize(order.size());
        std::vector<std::size_t> needed(order.size(), 0);  // by level: the last level that asks for its variable
        for (const Condition* c : conditions) {
            std::size_t last = 0;
            for (std::size_t k = 0; k < order.size(); ++k)
                if (std::find(c->scope.begin(), c->scope.end(), order[k]) != c->scope.end()) last = k;
            for (std::size_t k = 0; k <= last; ++k)
                if (std::find(c->scope.begin(), c->scope.end(), order[k]) != c->scope.end()) needed[k] = (std::max)(needed[k], last);
            out.decided[last].push_back(c);
        }
        for (std::size_t k = 0; k < order.size(); ++k) {
            double states = 1;
            for (std::size_t j = 0; j < k; ++j)
                if (needed[j] >= k) {
                    out.live[k].push_back(order[j]);
                    states *= sizes[order[j]];
                }
            out.branches += states * sizes[order[k]];
        }
        return out;
    }

    /// The order of levels that bounds the branches best: from each variable as the first, always the next that keeps the sum smallest.
    [[nodiscard]] static std::vector<std::size_t> best_order(const std::vector<std::size_t>& variables,
                                                             sizes_of sizes,
                                                             conditions_of conditions)
    {
        std::vector<std::size_t> best = variables;
        double least = plan_for(best, sizes, conditions).branches;
        for (const std::size_t start : variables) {
            std::vector<std::size_t> order{start};
            while (order.size() < variables.size()) {
                std::size_t choice = 0;
                double cheapest = -1;
                order.push_back(0);
                for (const std::size_t v : variables) {
                    if (std::find(order.begin(), order.end() - 1, v) != order.end() - 1) continue;
                    order.back() = v;
                    const double cost = frontier(order, sizes, conditions);
                    if (cheapest < 0 || cost < cheapest) {
                        cheapest = cost;
                        choice = v;
                    }
                }
                order.back() = choice;
            }
            const double cost = plan_for(order, sizes, conditions).branches;
            if (cost < least) {
                least = cost;
                best = order;
            }
        }
        return best;
    }

    /// How many states there are at most after binding `order`: values of its variables that a condition still waits for.
    [[nodiscard]] static double frontier(const std::vector<std::size_t>& order, sizes_of sizes,
                                         conditions_of conditions)
    {
        double states = 1;
        for (const std::size_t v : order) {
            const bool live = std::any_of(conditions.begin(), conditions.end(), [&](const Condition* c) {
                return std::find(c->scope.begin(), c->scope.end(), v) != c->scope.end() &&
                       !std::all_of(c->scope.begin(), c->scope.end(),
                                    [&](std::size_t u) { return std::find(order.begin(), order.end(), u) != order.end(); });
            });
            if (live) states *= sizes[v];
        }
        return states;
    }

    /// Forward: which states there are, and where each value leads.
    [[nodiscard]] static std::vector<level> enumerate(const std::vector<std::size_t>& variables, sizes_of sizes, conditions_of conditions,
                                                      std::vector<std::uint16_t>& row)
    {
        const plan p = plan_for(variables, sizes, conditions);
        const std::size_t depth = variables.size();
        std::vector<level> levels(depth);
        interned states(0);
        states.add(row.data());  // the one empty tuple
        std::vector<std::uint16_t> tuple(depth);
        for (std::size_t k = 0; k < depth; ++k) {
            const std::size_t variable = variables[k];
            interned next(p.live[k + 1].size());
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
                if (here.value.size() >= 0xffffffffU) too_many();
            }
            here.first.push_back(static_cast<std::uint32_t>(here.value.size()));
            states = std::move(next);
        }
        return levels;
    }

    /// Backward: counts rows, drops branches that lead nowhere, keeps equal nodes once. The root is node 0 of the result.
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
                    return std::equal(value.begin() + n.begin, value.begin() + n.end, value.begin() + begin, value.end()) &&
                           std::equal(child.begin() + n.begin, child.begin() + n.end, child.begin() + begin, child.end());
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
