// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// From conditions to the tree of the rows that fulfil them, without visiting the raw product.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/space/detail/axis.hpp"
#include "tunekit/space/detail/numbering.hpp"

namespace tunekit::space::detail {

// Plain loops and few types throughout, and what is not a loop over rows is cold: whoever builds a product compiles all of
// this (a program with one product: 7.1 units at -O2, 9.4 without).

/// push_back that is compiled once and not once per line.
template <class T>
[[gnu::noinline, gnu::hot]] void push(std::vector<T>& to, std::type_identity_t<T> x)
{
    to.push_back(x);
}

[[noreturn, gnu::cold]] inline void too_many_links()
{
    invalid("space: constraints link too many values to be counted, want them over fewer parameters or values");
}

/// What a space may cost: a combination of values that is looked at counts once, one that is kept, in some 30 bytes, eight times
/// more. It is some 5 s or 0.3 GiB at most, and a number, so that a space that is accepted once always is.
inline constexpr std::uint64_t most_combinations = std::uint64_t{1} << 26;

/// Thrown where a tree would cost more.
struct too_costly {};

/// Whether `x` is among `items`.
[[nodiscard]] inline bool among(std::span<const std::size_t> items, std::size_t x)
{
    for (const std::size_t i : items)
        if (i == x) return true;
    return false;
}

/// A condition on those of its parameters that can vary, which have to be among the variables of a tree.
struct open_condition {
    const condition* of;
    std::vector<std::size_t> scope;
    std::size_t number = 0;  ///< from 1, as given

    /// Whether the row fulfils it. Throws std::invalid_argument, naming the condition, where the predicate throws.
    [[nodiscard]] bool holds(const std::uint16_t* row) const
    {
        try {
            return of->holds(of->context, row);
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& e) {
            if (of->names_itself) throw;
            invalid({"space: constraint ", of->text(of->context), ": its predicate threw '", e.what(),
                     "', want true or false for all values"});
        }
    }
};

/// Tuples of 16-bit ordinals of one length, each kept once and known by its number: the states of a tree while it is built.
class interned {
public:
    explicit interned(std::size_t length) : length_(length) {}

    [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(table_.size()); }
    [[nodiscard]] const std::uint16_t* operator[](std::size_t i) const noexcept { return words_.data() + i * length_; }

    /// The number of the tuple.
    [[gnu::hot]] std::uint32_t add(const std::uint16_t* tuple)
    {
        const std::uint32_t n = size();
        if (n == 0xfffffffeU) too_many_links();
        const auto same = [&](std::uint32_t entry) {
            const std::uint16_t* other = (*this)[entry];
            std::size_t i = 0;
            while (i < length_ && other[i] == tuple[i]) ++i;
            return i == length_;
        };
        const std::uint32_t entry = table_.add(n, hash(tuple), same, [&](std::uint32_t e) { return hash((*this)[e]); });
        if (entry == n) words_.insert(words_.end(), tuple, tuple + length_);
        return entry;
    }

private:
    [[nodiscard]] std::uint64_t hash(const std::uint16_t* tuple) const noexcept
    {
        std::uint64_t h = 0;
        for (std::size_t i = 0; i < length_; ++i) h = core::mixed(h, tuple[i]);
        return h;
    }

    std::size_t length_;
    std::vector<std::uint16_t> words_;
    core::index_table<std::uint32_t> table_;
};

/// What the levels of a tree, one per variable, ask of each other under some conditions.
struct level_order {
    std::vector<std::size_t> variables{};  ///< level by level
    std::vector<std::size_t> needed{};     ///< by level: the last level that asks for its variable
    std::vector<std::size_t> decided{};    ///< by condition: the level of its last variable
    double branches = 0;                   ///< at most so many are looked at

    /// Whether the states of `level` hold the variable of the earlier level `k`.
    [[nodiscard]] bool live(std::size_t k, std::size_t level) const { return needed[k] >= level; }
};

/// Enumerates the rows of a group level by level, forward over states (what later levels must know of earlier values),
/// then backward, counting rows and sharing equal nodes.
/// Cost: each condition is evaluated once per distinct combination of the values that it and later levels ask for.
class solver {
public:
    [[gnu::cold]] solver(std::span<const std::uint16_t> sizes, std::span<const condition> conditions)
        : sizes_(sizes), row_(sizes.size(), 0), leader_(sizes.size())
    {
        for (std::size_t j = 0; j < leader_.size(); ++j) leader_[j] = j;
        std::size_t number = 0;
        for (const condition& c : conditions) {
            open_condition o{&c, {}, ++number};
            for (const std::size_t j : c.scope)
                if (sizes[j] > 1) push(o.scope, j);  // a single value links nothing
            if (!o.scope.empty()) link(o.scope);
            else if (!o.holds(row_.data())) leaves_nothing({&o, 1});
            else continue;
            conditions_.push_back(o);
        }
    }

    /// Forms the groups of `out` and counts their rows.
    [[gnu::cold]] void solve(numbering& out)
    {
        out.group_of_.resize(leader_.size());
        for (std::size_t j = 0; j < leader_.size(); ++j) {
            if (leader_[j] != j) {
                out.group_of_[j] = out.group_of_[leader_[j]];
                continue;
            }
            out.group_of_[j] = static_cast<std::uint32_t>(out.groups_.size());
            numbering::group g;
            g.variable = j;
            g.count = sizes_[j];
            std::vector<open_condition> own;
            for (const open_condition& c : conditions_)
                if (leader_[c.scope.front()] == j) own.push_back(c);
            if (!own.empty()) add_tree(out, g, own);
            out.groups_.push_back(g);
        }
    }

private:
    /// One level while building: a state is what later levels must know of the earlier ones' values.
    struct level {
        std::vector<std::uint32_t> first{};  // states + 1; where a state's branches begin
        std::vector<std::uint16_t> value{};
        std::vector<std::uint32_t> target{};  // state of the next level
    };

    /// Puts the parameters of a scope into one group, that of the least of them.
    [[gnu::cold]] void link(std::span<const std::size_t> scope)
    {
        for (const std::size_t j : scope) {
            const std::size_t a = leader_[j], b = leader_[scope.front()];
            for (std::size_t& l : leader_)
                if (l == a || l == b) l = a < b ? a : b;
        }
    }

    [[gnu::cold]] void add_tree(numbering& out, numbering::group& g, std::vector<open_condition>& own)
    {
        std::vector<std::size_t> members;
        for (std::size_t k = g.variable; k < leader_.size(); ++k)
            if (leader_[k] == g.variable) push(members, k);
        tree t;
        try {
            t = build(members, own);
        } catch (const too_costly&) {
            too_many_links();
        }
        if (t.size == 0) leaves_nothing(culprits(members, own));
        tree& all = out.trees_;
        g.count = t.size;
        g.levels = t.variables.size();
        g.first_level = all.variables.size();
        g.root = static_cast<std::uint32_t>(all.first.size());
        g.end = g.root + static_cast<std::uint32_t>(t.first.size());
        const auto branch = static_cast<std::uint32_t>(all.value.size());
        if (all.value.size() + t.value.size() >= 0xffffffffU) too_many_links();
        for (const std::size_t v : t.variables) push(all.variables, v);
        for (const std::uint32_t f : t.first) push(all.first, branch + f);
        for (std::size_t b = 0; b < t.value.size(); ++b) {
            push(all.value, t.value[b]);
            push(all.child, g.root + t.child[b]);
            push(all.before, t.before[b]);
        }
    }

    /// The rows over `variables` that fulfil all conditions.
    [[nodiscard, gnu::cold]] tree build(const std::vector<std::size_t>& variables,
                                        std::span<const open_condition> conditions)
    {
        const level_order order = best_order(variables, conditions);
        std::vector<level> levels = enumerate(order, conditions);
        tree out = merged(levels);
        out.variables = order.variables;
        return out;
    }

    /// Levels in that order.
    [[nodiscard, gnu::cold]] level_order ordered(const std::vector<std::size_t>& variables,
                                                 std::span<const open_condition> conditions) const
    {
        level_order out{variables, std::vector<std::size_t>(variables.size(), 0)};
        for (const open_condition& c : conditions) {
            std::size_t last = 0;
            for (std::size_t k = 0; k < variables.size(); ++k)
                if (among(c.scope, variables[k])) last = k;
            for (std::size_t k = 0; k <= last; ++k)
                if (out.needed[k] < last && among(c.scope, variables[k])) out.needed[k] = last;
            push(out.decided, last);
        }
        for (std::size_t k = 0; k < variables.size(); ++k) {
            double states = 1;
            for (std::size_t j = 0; j < k; ++j)
                if (out.live(j, k)) states *= sizes_[variables[j]];
            out.branches += states * sizes_[variables[k]];
        }
        return out;
    }

    /// How many states there are at most after binding `variables`: values that a condition still awaits.
    [[nodiscard, gnu::cold]] double frontier(std::span<const std::size_t> variables,
                                             std::span<const open_condition> conditions) const
    {
        const auto awaited = [&](std::size_t v) {
            for (const open_condition& c : conditions) {
                if (!among(c.scope, v)) continue;
                for (const std::size_t u : c.scope)
                    if (!among(variables, u)) return true;
            }
            return false;
        };
        double states = 1;
        for (const std::size_t v : variables)
            if (awaited(v)) states *= sizes_[v];
        return states;
    }

    /// The order of levels that bounds the branches best: from each variable as the first, always the next that keeps
    /// the sum smallest.
    [[nodiscard, gnu::cold]] level_order best_order(const std::vector<std::size_t>& variables,
                                                    std::span<const open_condition> conditions) const
    {
        level_order best = ordered(variables, conditions);
        for (const std::size_t start : variables) {
            std::vector<std::size_t> order{start};
            while (order.size() < variables.size()) {
                std::size_t choice = 0;
                double cheapest = -1;
                order.push_back(0);
                for (const std::size_t v : variables) {
                    if (among({order.data(), order.size() - 1}, v)) continue;
                    order.back() = v;
                    const double cost = frontier(order, conditions);
                    if (cheapest >= 0 && cost >= cheapest) continue;
                    cheapest = cost;
                    choice = v;
                }
                order.back() = choice;
            }
            level_order next = ordered(order, conditions);
            if (next.branches < best.branches) best = next;
        }
        return best;
    }

    /// Forward: which states there are, and where each value leads.
    [[nodiscard, gnu::hot]] std::vector<level> enumerate(const level_order& order,
                                                         std::span<const open_condition> conditions)
    {
        const std::size_t depth = order.variables.size();
        std::vector<level> levels(depth);
        std::vector<std::size_t> known;  // variables that make the states of this level, and of the next
        std::vector<std::size_t> kept;
        std::vector<const open_condition*> decided;
        std::vector<std::uint16_t> tuple(depth);
        interned states(0);
        states.add(tuple.data());  // the one empty tuple
        for (std::size_t k = 0; k < depth; ++k) {
            const std::size_t variable = order.variables[k];
            kept.clear();
            for (std::size_t j = 0; j <= k; ++j)
                if (order.live(j, k + 1)) push(kept, order.variables[j]);
            decided.clear();
            for (std::size_t c = 0; c < conditions.size(); ++c)
                if (order.decided[c] == k) push(decided, &conditions[c]);
            interned next(kept.size());
            level& here = levels[k];
            for (std::uint32_t s = 0; s < states.size(); ++s) {
                const std::size_t before = here.value.size();
                push(here.first, static_cast<std::uint32_t>(before));
                for (std::size_t i = 0; i < known.size(); ++i) row_[known[i]] = states[s][i];
                for (std::uint32_t v = 0; v < sizes_[variable]; ++v) {
                    row_[variable] = static_cast<std::uint16_t>(v);
                    bool good = true;
                    for (const open_condition* c : decided) good = good && c->holds(row_.data());
                    if (!good) continue;
                    for (std::size_t i = 0; i < kept.size(); ++i) tuple[i] = row_[kept[i]];
                    push(here.value, row_[variable]);
                    push(here.target, next.add(tuple.data()));
                }
                combinations_ += sizes_[variable] + 8 * (here.value.size() - before);
                if (combinations_ > most_combinations) throw too_costly();
            }
            push(here.first, static_cast<std::uint32_t>(here.value.size()));
            states = std::move(next);
            known.swap(kept);
        }
        return levels;
    }

    /// Backward: counts rows, drops branches that lead nowhere, keeps equal nodes once. The root becomes node 0.
    [[nodiscard, gnu::hot]] static tree merged(std::vector<level>& levels)
    {
        constexpr std::uint32_t dead = 0xffffffffU;
        // Node n has the branches [first[n], first[n + 1]) and rows[n] below it; node 0 is the end of every row.
        std::vector<std::uint32_t> first{0, 0};
        std::vector<index> rows{1};
        std::vector<std::uint16_t> value;
        std::vector<std::uint32_t> child;
        std::vector<std::uint32_t> below{0};  // by state of the level below: its node, or dead
        const auto hash = [&](std::uint32_t n) {
            std::uint64_t h = 0;
            for (std::uint32_t b = first[n]; b < first[n + 1]; ++b)
                h = core::mixed(h, std::uint64_t{child[b]} << 16 | value[b]);
            return h;
        };
        for (std::size_t k = levels.size(); k-- > 0;) {
            level here;
            std::swap(here, levels[k]);  // and its memory goes when it is done
            std::vector<std::uint32_t> mine;
            core::index_table<std::uint32_t> nodes;  // of this level
            for (std::size_t s = 0; s + 1 < here.first.size(); ++s) {
                const auto node = static_cast<std::uint32_t>(rows.size());
                index sum = 0;
                for (std::uint32_t b = here.first[s]; b < here.first[s + 1]; ++b) {
                    const std::uint32_t to = below[here.target[b]];
                    if (to == dead) continue;
                    push(value, here.value[b]);
                    push(child, to);
                    const index more = sum + rows[to];
                    sum = more < sum || more > most_configurations ? nowhere : more;
                }
                const auto begin = first.back(), end = static_cast<std::uint32_t>(value.size());
                if (begin == end) {
                    push(mine, dead);
                    continue;
                }
                push(first, end);
                const auto same = [&](std::uint32_t n) {
                    if (first[n + 1] - first[n] != end - begin) return false;
                    for (std::uint32_t b = begin, c = first[n]; b < end; ++b, ++c)
                        if (value[b] != value[c] || child[b] != child[c]) return false;
                    return true;
                };
                push(mine, nodes.add(node, hash(node), same, hash));
                if (mine.back() == node) {
                    push(rows, sum);
                    continue;
                }
                first.pop_back();
                value.resize(begin);
                child.resize(begin);
            }
            below = std::move(mine);
        }
        tree out;
        const std::uint32_t root = below[0];
        out.size = root == dead ? 0 : rows[root];
        if (out.size == 0) return out;

        // Nodes are numbered from the last level up: turned round, the root comes first and the end last.
        const auto last = static_cast<std::uint32_t>(rows.size()) - 1;
        for (std::uint32_t n = last; n > 0; --n) {
            push(out.first, static_cast<std::uint32_t>(out.value.size()));
            index sum = 0;
            for (std::uint32_t b = first[n]; b < first[n + 1]; ++b) {
                push(out.value, value[b]);
                push(out.child, last - child[b]);
                push(out.before, sum);
                sum += rows[child[b]];
            }
        }
        push(out.first, static_cast<std::uint32_t>(out.value.size()));
        return out;
    }

    /// Conditions that no row fulfils together, each of them needed for that; or all, where that costs too much to find out.
    [[nodiscard, gnu::cold]] std::vector<open_condition> culprits(const std::vector<std::size_t>& variables,
                                                                  std::vector<open_condition>& conditions)
    {
        std::vector<open_condition> out = conditions;
        try {
            std::size_t n = 1;  // the first n leave nothing
            while (n < conditions.size() && build(variables, {conditions.data(), n}).size > 0) ++n;
            out.resize(n, conditions.front());
            for (std::size_t k = 0; k + 1 < out.size();) {
                std::vector<open_condition> without = out;
                without.erase(without.begin() + static_cast<std::ptrdiff_t>(k));
                if (build(variables, without).size == 0) out = without;
                else ++k;
            }
        } catch (const too_costly&) {  // no fewer are known to leave nothing
        }
        return out;
    }

    [[noreturn, gnu::cold]] static void leaves_nothing(std::span<const open_condition> conditions)
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

    std::span<const std::uint16_t> sizes_;
    std::vector<open_condition> conditions_{};  // on what can vary
    std::vector<std::uint16_t> row_;            // scratch: parameters outside a tree keep their first value
    std::vector<std::size_t> leader_;           // by parameter: the least one that it is linked to
    std::uint64_t combinations_ = 0;            // what was spent of most_combinations
};

}  // namespace tunekit::space::detail

#if TUNEKIT_BODIES
namespace tunekit::space::detail {

TUNEKIT_INLINE numbering::numbering(std::span<const std::uint16_t> cardinalities, std::span<const condition> conditions)
{
    solver(cardinalities, conditions).solve(*this);
    size_ = 1;
    for (group& g : groups_) {
        g.stride = size_;
        if (g.count > most_configurations / size_)
            invalid("space: has more than 2^63 configurations, want fewer parameters or values");
        size_ *= g.count;
        g.next_stride = reciprocal(size_);
    }
}

}  // namespace tunekit::space::detail
#endif  // TUNEKIT_BODIES
