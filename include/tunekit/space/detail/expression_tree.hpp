// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What an expression's text means.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/core/error.hpp"

namespace tunekit::space::detail {

/// What a node does.
enum class operation : std::uint8_t {
    constant,
    name,
    negate,
    invert,
    both,
    either,
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    chain
};

/// A node of the tree. `chain`: comparisons children[0] op children[1] op ..., the operators in `compares`.
struct expression_node {
    operation what;
    std::size_t column;  ///< from 0
    std::int64_t value = 0;
    std::vector<std::size_t> children{};
    std::vector<operation> compares{};
    double real = 0;         ///< of a constant that is no integer
    bool is_real = false;    ///< it is one
    std::size_t height = 0;  ///< levels below it
};

/// What word number `k` is in an expression: equal to itself alone, and to no number that a parameter would have.
[[nodiscard]] constexpr std::int64_t number_of_word(std::size_t k) noexcept
{
    return (std::numeric_limits<std::int64_t>::min)() + 1 + static_cast<std::int64_t>(k);
}

/// An expression taken apart.
struct expression_tree {
    std::string text;
    std::vector<expression_node> nodes{};
    std::vector<std::size_t> names_used{};  ///< positions, ascending
    std::size_t root = 0;

    [[noreturn]] void fail(std::size_t column, std::string_view what) const
    {
        constexpr std::size_t shown = 400;
        const std::string quoted = text.size() <= shown ? text : text.substr(0, shown) + "...";
        invalid("space: constraint '" + quoted + "': column " + std::to_string(column + 1) + ": " + std::string(what));
    }
};

}  // namespace tunekit::space::detail
