// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The order in which a tree decides its parameters.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/space/detail/axis.hpp"

namespace tunekit::space::detail {

// Plain loops and few types here, in enumerate.hpp, merge.hpp and solver.hpp, and what is not a loop over rows is cold:
// whoever builds a product compiles all of this (a program with one product: 7.1 units at -O2, 9.4 without).

/// push_back that is compiled once and not once per line.
template <class Vector>
[[gnu::noinline, gnu::hot]] void push(Vector& to, typename Vector::value_type x)
{
    to.push_back(x);
}

/// Whether `x` is among `items`.
[[nodiscard]] inline bool among(std::span<const std::size_t> items, std::size_t x)
{
    for (const std::size_t i : items)
        if (i == x) return true;
    return false;
}

/// A condition, and those of its parameters that can vary.
struct open_condition {
    const condition* of;
    core::plain_vector<std::size_t> scope;
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

/// By parameter: whether a condition that awaits another one asks for its value once all of `bound` have values.
[[nodiscard, gnu::cold]] inline core::plain_vector<char> awaited(std::span<const std::size_t> bound,
                                                                 std::span<const open_condition> conditions,
                                                                 std::size_t parameters)
{
    core::plain_vector<char> free(parameters, 1), out(parameters, 0);
    for (const std::size_t v : bound) free[v] = 0;
    for (const open_condition& c : conditions) {
        bool waits = false;
        for (const std::size_t v : c.scope) waits = waits || free[v] != 0;
        for (const std::size_t v : c.scope) out[v] = waits ? 1 : out[v];
    }
    return out;
}

/// How many states there are at most once all of `bound` have values: combinations of those that are asked for.
[[nodiscard, gnu::cold]] inline double most_states(std::span<const std::size_t> bound,
                                                   std::span<const open_condition> conditions,
                                                   std::span<const std::uint16_t> sizes)
{
    const core::plain_vector<char> asked = awaited(bound, conditions, sizes.size());
    double states = 1;
    for (const std::size_t v : bound)
        if (asked[v] != 0) states *= sizes[v];
    return states;
}

/// The order of `variables` that bounds the branches of their tree best: as given, or from each of them as the first,
/// always the next that leaves the fewest states.
[[nodiscard, gnu::cold]] inline core::plain_vector<std::size_t> best_order(
    const core::plain_vector<std::size_t>& variables, std::span<const open_condition> conditions,
    std::span<const std::uint16_t> sizes)
{
    const auto branches = [&](const core::plain_vector<std::size_t>& order) {
        double sum = 0;
        for (std::size_t k = 0; k < order.size(); ++k)
            sum += most_states({order.data(), k}, conditions, sizes) * sizes[order[k]];
        return sum;
    };
    core::plain_vector<std::size_t> best = variables;
    double fewest = branches(best);
    for (const std::size_t start : variables) {
        core::plain_vector<std::size_t> order{start};
        while (order.size() < variables.size()) {
            std::size_t choice = 0;
            double cheapest = -1;
            order.push_back(0);
            for (const std::size_t v : variables) {
                if (among({order.data(), order.size() - 1}, v)) continue;
                order.back() = v;
                const double cost = most_states(order, conditions, sizes);
                if (cheapest >= 0 && cost >= cheapest) continue;
                cheapest = cost;
                choice = v;
            }
            order.back() = choice;
        }
        const double sum = branches(order);
        if (sum >= fewest) continue;
        fewest = sum;
        best = order;
    }
    return best;
}

}  // namespace tunekit::space::detail
