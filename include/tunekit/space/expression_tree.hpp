// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What an expression's text means.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/core/error.hpp"

namespace tunekit::space::detail {

/// What a node does.
enum class operation : std::uint8_t {
    constant, name, negate, invert, both, either, add, subtract, multiply, divide, floor_divide, modulo,
    equal, not_equal, less, less_equal, greater, greater_equal, chain
};

/// A node of the tree. `chain`: comparisons children[0] op children[1] op ..., the operators in `compares`.
struct expression_node {
    operation what;
    std::size_t column;  ///< from 0
    std::int64_t value = 0;
    std::vector<std::size_t> children{};
    std::vector<operation> compares{};
};

/// An expression taken apart.
struct expression_tree {
    std::string text;
    std::vector<expression_node> nodes{};
    std::vector<std::size_t> names_used{};  ///< positions, ascending
    std::size_t root = 0;

    [[noreturn]] void fail(std::size_t column, std::string_view what) const
    {
        invalid("space: constraint '" + text + "': column " + std::to_string(column + 1) + ": " + std::string(what));
    }
};

}  // namespace tunekit::space::detail
