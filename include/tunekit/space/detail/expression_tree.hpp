// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What an expression's text means, and Python's arithmetic of integers and quotients.

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/core/error.hpp"

namespace tunekit::space {

/// What an expression is, for the lines that say what is wrong with it.
struct expression_role {
    const char* what = "space: constraint";  ///< "space: constraint 'a +': column 4: ..."
    const char* name = "parameter";          ///< "no parameter is called ..."
};

}  // namespace tunekit::space

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
    expression_role role{};

    [[noreturn]] void fail(std::size_t column, std::string_view what) const
    {
        constexpr std::size_t shown = 400;
        const std::string quoted = text.size() <= shown ? text : text.substr(0, shown) + "...";
        invalid(std::string(role.what) + " '" + quoted + "': column " + std::to_string(column + 1) + ": " +
                std::string(what));
    }
};

/// A Python int or float.
struct number {
    std::int64_t whole = 0;
    double real = 0;
    bool is_real = false;

    [[nodiscard]] bool truth() const noexcept { return is_real ? real != 0 : whole != 0; }
    [[nodiscard]] double as_real() const noexcept { return is_real ? real : static_cast<double>(whole); }
};

/// What a name stands for, as an evaluation is given it.
[[nodiscard]] inline number as_number(const number& x) { return x; }
template <std::integral T>
[[nodiscard]] number as_number(T x)
{
    return {static_cast<std::int64_t>(x)};
}
template <std::floating_point T>
[[nodiscard]] number as_number(T x)
{
    return {0, static_cast<double>(x), true};
}

/// The sign of a - b, exact; 2 where one is not a number.
[[nodiscard]] inline int difference_sign(const number& a, const number& b)
{
    if (!a.is_real && !b.is_real) return a.whole < b.whole ? -1 : a.whole > b.whole;
    if (a.is_real && b.is_real) return a.real < b.real ? -1 : a.real > b.real ? 1 : a.real == b.real ? 0 : 2;
    if (a.is_real) {
        const int turned = difference_sign(b, a);
        return turned == 2 ? 2 : -turned;
    }
    if (std::isnan(b.real)) return 2;
    if (b.real >= 0x1p63) return -1;
    if (b.real < -0x1p63) return 1;
    const auto whole = static_cast<std::int64_t>(b.real);
    if (a.whole != whole) return a.whole < whole ? -1 : 1;
    const double rest = b.real - static_cast<double>(whole);
    return rest > 0 ? -1 : rest < 0;
}

[[nodiscard]] inline bool compares(operation op, const number& a, const number& b)
{
    const int sign = difference_sign(a, b);
    switch (op) {
        case operation::equal:
            return sign == 0;
        case operation::not_equal:
            return sign != 0;
        case operation::less:
            return sign == -1;
        case operation::less_equal:
            return sign == -1 || sign == 0;
        case operation::greater:
            return sign == 1;
        default:
            return sign == 1 || sign == 0;
    }
}

[[nodiscard]] inline number real_number(double x) { return {0, x, true}; }

[[nodiscard]] inline number of_reals(operation op, double a, double b)
{
    switch (op) {
        case operation::add:
            return real_number(a + b);
        case operation::subtract:
            return real_number(a - b);
        case operation::multiply:
            return real_number(a * b);
        default:
            break;
    }
    double rest = std::fmod(a, b);  // exact
    double quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) {
        rest += b;
        quotient -= 1;
    }
    if (op == operation::modulo) return real_number(rest);
    const double down = std::floor(quotient);
    return real_number(quotient - down > 0.5 ? down + 1 : down);
}

[[nodiscard]] inline number of_wholes(const expression_tree& in, operation op, std::int64_t a, std::int64_t b,
                                      std::size_t column)
{
    std::int64_t out = 0;
    bool overflow = false;
    switch (op) {
        case operation::add:
            overflow = __builtin_add_overflow(a, b, &out);
            break;
        case operation::subtract:
            overflow = __builtin_sub_overflow(a, b, &out);
            break;
        case operation::multiply:
            overflow = __builtin_mul_overflow(a, b, &out);
            break;
        case operation::floor_divide:
            overflow = b == -1 && a == (-0x7fffffffffffffff - 1);
            if (!overflow) out = a / b - (a % b != 0 && (a % b < 0) != (b < 0));
            break;
        default:
            if (b != -1) out = a % b;
            if (out != 0 && (out < 0) != (b < 0)) out += b;
            break;
    }
    if (overflow) in.fail(column, "an integer beyond 64 bits for some values, want smaller ones");
    return {out};
}

/// a op b. Throws std::invalid_argument, naming the column, where `expression` says so.
[[nodiscard]] inline number arithmetic(const expression_tree& in, operation op, const number& a, const number& b,
                                       std::size_t column)
{
    const bool divides = op == operation::divide || op == operation::floor_divide || op == operation::modulo;
    if (divides && !b.truth())
        in.fail(column, "division by zero for some values, want a constraint that excludes them with 'and' or 'or'");
    if (op == operation::divide) {
        constexpr std::int64_t limit = 1LL << 53;
        const auto exact = [](const number& x) { return x.is_real || (x.whole <= limit && x.whole >= -limit); };
        if (!exact(a) || !exact(b)) in.fail(column, "a quotient of integers beyond 2^53 for some values, want '//'");
        return real_number(a.as_real() / b.as_real());
    }
    return a.is_real || b.is_real ? of_reals(op, a.as_real(), b.as_real())
                                  : of_wholes(in, op, a.whole, b.whole, column);
}

}  // namespace tunekit::space::detail
