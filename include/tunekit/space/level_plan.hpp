// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The order of a tree's levels, and what has to be known at each of them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tunekit::space::detail {

/// What the levels of a tree, one per variable, ask of each other under some conditions.
template <class Condition>
struct level_plan {
    using conditions_of = std::span<const Condition* const>;
    using sizes_of = std::span<const std::uint16_t>;

    std::vector<std::vector<std::size_t>> live;          ///< by level, and one more: variables that make its states
    std::vector<std::vector<const Condition*>> decided;  ///< by level: conditions whose last variable it is
    double branches = 0;                                 ///< at most so many are looked at

    /// The plan with the levels in that order.
    [[nodiscard]] static level_plan of(const std::vector<std::size_t>& order, sizes_of sizes, conditions_of conditions)
    {
        level_plan out;
        out.live.resize(order.size() + 1);
        out.decided.resize(order.size());
        std::vector<std::size_t> needed(order.size(), 0);  // by level: the last level that asks for its variable
        for (const Condition* c : conditions) {
            std::size_t last = 0;
            for (std::size_t k = 0; k < order.size(); ++k)
                if (asks_for(*c, order[k])) last = k;
            for (std::size_t k = 0; k <= last; ++k)
                if (asks_for(*c, order[k])) needed[k] = (std::max)(needed[k], last);
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

    /// The order of levels that bounds the branches best: from each variable as the first, always the next that keeps
    /// the sum smallest.
    [[nodiscard]] static std::vector<std::size_t> best_order(const std::vector<std::size_t>& variables, sizes_of sizes,
                                                             conditions_of conditions)
    {
        std::vector<std::size_t> best = variables;
        double least = of(best, sizes, conditions).branches;
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
            const double cost = of(order, sizes, conditions).branches;
            if (cost < least) {
                least = cost;
                best = order;
            }
        }
        return best;
    }

private:
    [[nodiscard]] static bool asks_for(const Condition& c, std::size_t variable)
    {
        return std::find(c.scope.begin(), c.scope.end(), variable) != c.scope.end();
    }

    /// How many states there are at most after binding `order`: values of its variables that a condition still awaits.
    [[nodiscard]] static double frontier(const std::vector<std::size_t>& order, sizes_of sizes,
                                         conditions_of conditions)
    {
        double states = 1;
        const auto bound = [&](std::size_t u) { return std::find(order.begin(), order.end(), u) != order.end(); };
        for (const std::size_t v : order) {
            const bool awaited = std::any_of(conditions.begin(), conditions.end(), [&](const Condition* c) {
                return asks_for(*c, v) && !std::all_of(c->scope.begin(), c->scope.end(), bound);
            });
            if (awaited) states *= sizes[v];
        }
        return states;
    }
};

}  // namespace tunekit::space::detail
