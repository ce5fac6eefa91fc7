// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Constraints and objectives as text: expressions with Python's precedence and arithmetic.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/space/detail/expression_tree.hpp"

namespace tunekit::space {

/// An expression over named numbers, parsed once and evaluated for many values, which are integers or doubles.
///
///     const std::vector<std::string> names{"tile", "threads"};
///     const space::expression fits("tile * threads <= 1024 and tile % 2 == 0", names);
///     fits.holds([&](std::size_t j) { return values[j]; });      // values[j] is that of names[j]
///
/// Grammar, loosest first: or; and; not; chained == != < <= > >=; + -; * / // %; unary + -; numbers, texts in quotes,
/// names (in backquotes where they have more than letters, digits and `_`), parentheses. Semantics are Python's: `/` is
/// the true quotient. `//` and `%` round down. `and` and `or` give one of their operands and skip the other.
/// `a < b < c` means `a < b and b < c`. Comparisons give 0 or 1. A comparison of an integer with a quotient is exact.
///
/// Throws:     std::invalid_argument. The constructor names the expression, the column (from 1) and what was expected
///             there. An evaluation throws at a division by zero or an integer beyond 64 bits. More than 200 nested
///             brackets, signs or nots, or more than 1000 operators, are refused.
/// Departures: integers are 64 bits wide, not unlimited; a true quotient of integers above 2^53 in magnitude is
///             refused.
/// Threads:    const calls are safe.
class expression {
public:
    /// Parses `text`. `words` are texts that may stand in quotes; see `number_of`.
    expression(std::string text, std::span<const std::string> names, std::span<const std::string> words = {},
               expression_role role = {});

    /// The number that stands for word `k` among the values. No other value equals it.
    [[nodiscard]] static std::int64_t number_of(std::size_t k) noexcept { return detail::number_of_word(k); }

    /// The text that it was parsed from.
    [[nodiscard]] const std::string& text() const noexcept { return tree_.text; }

    /// Positions of the names that occur, ascending.
    [[nodiscard]] const std::vector<std::size_t>& names_used() const noexcept { return tree_.names_used; }

    /// Whether the expression is true (not zero); `value(j)` is the value of name j.
    template <class Value>
    [[nodiscard]] bool holds(const Value& value) const
    {
        return evaluate(tree_.root, value).truth();
    }

    /// The number that the expression gives, as a double; a comparison gives 0 or 1.
    template <class Value>
    [[nodiscard]] double value(const Value& of) const
    {
        return evaluate(tree_.root, of).as_real();
    }

private:
    template <class Value>
    [[nodiscard]] detail::number evaluate(std::size_t at, const Value& value) const
    {
        using detail::operation, detail::number;
        const detail::expression_node& n = tree_.nodes[at];
        switch (n.what) {
            case operation::constant:
                return {n.value, n.real, n.is_real};
            case operation::name:
                return detail::as_number(value(static_cast<std::size_t>(n.value)));
            case operation::invert:
                return {!evaluate(n.children[0], value).truth()};
            case operation::both: {
                const number left = evaluate(n.children[0], value);
                return left.truth() ? evaluate(n.children[1], value) : left;
            }
            case operation::either: {
                const number left = evaluate(n.children[0], value);
                return left.truth() ? left : evaluate(n.children[1], value);
            }
            case operation::chain: {
                number left = evaluate(n.children[0], value);
                for (std::size_t i = 0; i < n.compares.size(); ++i) {
                    const number right = evaluate(n.children[i + 1], value);
                    if (!detail::compares(n.compares[i], left, right)) return {0};
                    left = right;
                }
                return {1};
            }
            case operation::negate:
                return detail::arithmetic(tree_, operation::subtract, {0}, evaluate(n.children[0], value), n.column);
            default:
                break;
        }
        if (n.children.size() == 1) return evaluate(n.children[0], value);  // unary plus
        const number left = evaluate(n.children[0], value);
        return detail::arithmetic(tree_, n.what, left, evaluate(n.children[1], value), n.column);
    }

    detail::expression_tree tree_;
};

}  // namespace tunekit::space

#if TUNEKIT_BODIES
#include "tunekit/space/detail/expression_parser.hpp"

namespace tunekit::space {

TUNEKIT_INLINE expression::expression(std::string text, std::span<const std::string> names,
                                      std::span<const std::string> words, expression_role role)
    : tree_{.text = std::move(text), .role = role}
{
    detail::expression_parser(tree_, names, words);
}

}  // namespace tunekit::space
#endif  // TUNEKIT_BODIES
