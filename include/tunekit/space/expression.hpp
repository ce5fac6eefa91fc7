// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Constraints as text: integer expressions with Python's precedence and arithmetic.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"

namespace tunekit::space {

/// An expression over named integers, parsed once and evaluated for many values.
///
///     const std::vector<std::string> names{"tile", "threads"};
///     const space::expression fits("tile * threads <= 1024 and tile % 2 == 0", names);
///     fits.holds(values);      // values of the names, in their order
///
/// Grammar, loosest first: or; and; not; chained == != < <= > >=; + -; * / // %; unary + -; integers, names, parentheses.
/// Semantics are Python's: `/` is the true quotient, `//` and `%` round down, `and` and `or` give one of their operands and skip the
/// other, `a < b < c` means `a < b and b < c`, comparisons give 0 or 1, comparing an integer with a quotient is exact.
///
/// Throws:     std::invalid_argument naming the expression, the column (from 1) and what was expected there, from the constructor;
///             from an evaluation where a division by zero happens or an integer leaves 64 bits.
/// Departures: integers are 64 bits wide, not unlimited; a true quotient takes integers up to 2^53 in magnitude, beyond which it is refused.
/// Threads:    const calls are safe.
class expression {
public:
    expression(std::string text, std::span<const std::string> names) : text_(std::move(text))
    {
        parser p{*this, names, 0, 0};
        root_ = p.parse();
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// Positions of the names that occur, ascending.
    [[nodiscard]] const std::vector<std::size_t>& names_used() const noexcept { return used_; }

    /// Whether the expression is true (not zero); `value(j)` is the value of name j.
    template <class Value>
    [[nodiscard]] bool holds(const Value& value) const
    {
        return evaluate(root_, value).truth();
    }

private:
    /// A Python int or float.
    struct number {
        std::int64_t whole = 0;
        double real = 0;
        bool is_real = false;

        [[nodiscard]] bool truth() const noexcept { return is_real ? real != 0 : whole != 0; }
        [[nodiscard]] double as_real() const noexcept { return is_real ? real : static_cast<double>(whole); }
    };

    enum class kind : std::uint8_t {
        constant, name, negate, invert, both, either, add, subtract, multiply, divide, floor_divide, modulo,
        equal, not_equal, less, less_equal, greater, greater_equal, chain
    };

    /// A node of the tree. `chain`: comparisons children[0] op children[1] op ..., the operators in `compares`.
    struct node {
        kind what;
        std::size_t column;  // from 0
        std::int64_t value = 0;
        std::vector<std::size_t> children{};
        std::vector<kind> compares{};
    };

    [[noreturn]] void fail(std::size_t column, std::string_view what) const
    {
        invalid("space: constraint '" + text_ + "': column " + std::to_string(column + 1) + ": " + std::string(what));
    }

    /// Recursive descent, one function per level of precedence.
    struct parser {
        expression& e;
        std::span<const std::string> names;
        std::size_t at;
        int depth;

        std::size_t parse()
        {
            const std::size_t root = disjunction();
            skip();
            if (at != e.text_.size()) e.fail(at, "found " + found() + ", want an operator or the end");
            return root;
        }

        void skip()
        {
            while (at < e.text_.size() && (e.text_[at] == ' ' || e.text_[at] == '\t')) ++at;
        }

        static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
        static bool digit(char c) { return c >= '0' && c <= '9'; }

        [[nodiscard]] std::string_view word() const
        {
            std::size_t end = at;
            if (end < e.text_.size() && letter(e.text_[end]))
                while (end < e.text_.size() && (letter(e.text_[end]) || digit(e.text_[end]))) ++end;
            return std::string_view(e.text_).substr(at, end - at);
        }

        /// What stands here, for messages.
        [[nodiscard]] std::string found() const
        {
            if (at >= e.text_.size()) return "the end";
            const std::string_view w = word();
            if (!w.empty()) return "'" + std::string(w) + "'";
            return "'" + e.text_.substr(at, e.text_.compare(at, 2, "**") == 0 ? 2 : 1) + "'";
        }

        /// Steps over the operator `op`; not where it is only the start of a longer one.
        bool take(std::string_view op)
        {
            skip();
            if (letter(op[0])) {
                if (word() != op) return false;
            } else {
                if (std::string_view(e.text_).substr(at, op.size()) != op) return false;
                const char next = at + op.size() < e.text_.size() ? e.text_[at + op.size()] : ' ';
                if ((op == "/" && next == '/') || (op == "*" && next == '*') || ((op == "<" || op == ">") && next == '=')) return false;
            }
            at += op.size();
            return true;
        }

        std::size_t add(node n)
        {
            e.nodes_.push_back(std::move(n));
            return e.nodes_.size() - 1;
        }

        std::size_t disjunction()
        {
            if (++depth > 200) e.fail(at, "nested more than 200 deep, want a simpler expression");
            std::size_t left = conjunction();
            for (std::size_t column = (skip(), at); take("or"); column = (skip(), at)) {
                const std::size_t right = conjunction();
                left = add({kind::either, column, 0, {left, right}});
            }
            --depth;
            return left;
        }

        std::size_t conjunction()
        {
            std::size_t left = inversion();
            for (std::size_t column = (skip(), at); take("and"); column = (skip(), at)) {
                const std::size_t right = inversion();
                left = add({kind::both, column, 0, {left, right}});
            }
            return left;
        }

        std::size_t inversion()
        {
            skip();
            const std::size_t column = at;
            if (!take("not")) return comparison();
            if (++depth > 200) e.fail(at, "nested more than 200 deep, want a simpler expression");
            const std::size_t inner = inversion();
            --depth;
            return add({kind::invert, column, 0, {inner}});
        }

        std::size_t comparison()
        {
            const std::size_t first = sum();
            node chain{kind::chain, at, 0, {first}, {}};
            for (;;) {
                kind op = kind::chain;
                for (const auto& [text, what] : {std::pair{"==", kind::equal}, {"!=", kind::not_equal}, {"<=", kind::less_equal},
                                                 {">=", kind::greater_equal}, {"<", kind::less}, {">", kind::greater}})
                    if (op == kind::chain && take(text)) op = what;
                if (op == kind::chain) break;
                chain.compares.push_back(op);
                chain.children.push_back(sum());
            }
            return chain.compares.empty() ? first : add(std::move(chain));
        }

        std::size_t sum()
        {
            std::size_t left = term();
            for (;;) {
                skip();
                const std::size_t column = at;
                const kind op = take("+") ? kind::add : take("-") ? kind::subtract : kind::chain;
                if (op == kind::chain) return left;
                const std::size_t right = term();
                left = add({op, column, 0, {left, right}});
            }
        }

        std::size_t term()
        {
            std::size_t left = factor();
            for (;;) {
                skip();
                const std::size_t column = at;
                const kind op = take("*")    ? kind::multiply
                                : take("//") ? kind::floor_divide
                                : take("/")  ? kind::divide
                                : take("%")  ? kind::modulo
                                             : kind::chain;
                if (op == kind::chain) return left;
                const std::size_t right = factor();
                left = add({op, column, 0, {left, right}});
            }
        }

        std::size_t factor()
        {
            skip();
            const std::size_t column = at;
            if (take("+") || take("-")) {
                const bool minus = e.text_[at - 1] == '-';
                if (++depth > 200) e.fail(at, "nested more than 200 deep, want a simpler expression");
                const std::size_t inner = factor();
                --depth;
                return add({minus ? kind::negate : kind::add, column, 0, {inner}});
            }
            return atom();
        }

        std::size_t atom()
        {
            skip();
            const std::size_t column = at;
            if (take("(")) {
                const std::size_t inner = disjunction();
                skip();
                if (at >= e.text_.size() || e.text_[at] != ')') e.fail(at, "found " + found() + ", want an operator or ')'");
                ++at;
                return inner;
            }
            if (at < e.text_.size() && digit(e.text_[at])) return literal(column);
            const std::string_view w = word();
            if (w.empty() || w == "and" || w == "or" || w == "not")
                e.fail(at, "found " + found() + ", want an integer, a parameter or '('");
            const auto j = static_cast<std::size_t>(std::find(names.begin(), names.end(), w) - names.begin());
            if (j == names.size()) e.fail(at, "no parameter is called " + found() + ", want one of " + known());
            at += w.size();
            const auto place = std::lower_bound(e.used_.begin(), e.used_.end(), j);
            if (place == e.used_.end() || *place != j) e.used_.insert(place, j);
            return add({kind::name, column, static_cast<std::int64_t>(j)});
        }

        std::size_t literal(std::size_t column)
        {
            std::int64_t value = 0;
            for (; at < e.text_.size() && digit(e.text_[at]); ++at)
                if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, e.text_[at] - '0', &value))
                    e.fail(column, "the integer is too large, want at most 2^63 - 1");
            if (at < e.text_.size() && (letter(e.text_[at]) || e.text_[at] == '.'))
                e.fail(at, "found '" + e.text_.substr(at, 1) + "' in a number, want an integer");
            return add({kind::constant, column, value});
        }

        [[nodiscard]] std::string known() const
        {
            std::string out;
            for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
            return out;
        }
    };

    template <class Value>
    [[nodiscard]] number evaluate(std::size_t at, const Value& value) const
    {
        const node& n = nodes_[at];
        switch (n.what) {
            case kind::constant: return {n.value};
            case kind::name: return {static_cast<std::int64_t>(value(static_cast<std::size_t>(n.value)))};
            case kind::invert: return {!evaluate(n.children[0], value).truth()};
            case kind::both: {
                const number left = evaluate(n.children[0], value);
                return left.truth() ? evaluate(n.children[1], value) : left;
            }
            case kind::either: {
                const number left = evaluate(n.children[0], value);
                return left.truth() ? left : evaluate(n.children[1], value);
            }
            case kind::chain: {
                number left = evaluate(n.children[0], value);
                for (std::size_t i = 0; i < n.compares.size(); ++i) {
                    const number right = evaluate(n.children[i + 1], value);
                    if (!compares(n.compares[i], left, right)) return {0};
                    left = right;
                }
                return {1};
            }
            case kind::negate: return arithmetic(kind::subtract, {0}, evaluate(n.children[0], value), n.column);
            default: break;
        }
        if (n.children.size() == 1) return evaluate(n.children[0], value);  // unary plus
        const number left = evaluate(n.children[0], value);
        return arithmetic(n.what, left, evaluate(n.children[1], value), n.column);
    }

    /// The sign of a - b, exact; 2 where one is not a number.
    [[nodiscard]] static int order(const number& a, const number& b)
    {
        if (!a.is_real && !b.is_real) return a.whole < b.whole ? -1 : a.whole > b.whole;
        if (a.is_real && b.is_real) return a.real < b.real ? -1 : a.real > b.real ? 1 : a.real == b.real ? 0 : 2;
        if (a.is_real) {
            const int turned = order(b, a);
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

    [[nodiscard]] static bool compares(kind op, const number& a, const number& b)
    {
        const int sign = order(a, b);
        switch (op) {
            case kind::equal: return sign == 0;
            case kind::not_equal: return sign != 0;
            case kind::less: return sign == -1;
            case kind::less_equal: return sign == -1 || sign == 0;
            case kind::greater: return sign == 1;
            default: return sign == 1 || sign == 0;
        }
    }

    [[nodiscard]] number arithmetic(kind op, const number& a, const number& b, std::size_t column) const
    {
        const bool divides = op == kind::divide || op == kind::floor_divide || op == kind::modulo;
        if (divides && !b.truth()) fail(column, "division by zero for some values, want a constraint that excludes them with 'and' or 'or'");
        if (op == kind::divide) {
            const auto exact = [](const number& x) { return x.is_real || (x.whole <= (1LL << 53) && x.whole >= -(1LL << 53)); };
            if (!exact(a) || !exact(b)) fail(column, "a quotient of integers beyond 2^53 for some values, want '//'");
            return real(a.as_real() / b.as_real());
        }
        return a.is_real || b.is_real ? of_reals(op, a.as_real(), b.as_real()) : of_wholes(op, a.whole, b.whole, column);
    }

    [[nodiscard]] static number real(double x) { return {0, x, true}; }

    [[nodiscard]] static number of_reals(kind op, double a, double b)
    {
        switch (op) {
            case kind::add: return real(a + b);
            case kind::subtract: return real(a - b);
            case kind::multiply: return real(a * b);
            default: break;
        }
        double rest = std::fmod(a, b);  // exact
        double quotient = (a - rest) / b;
        if (rest != 0 && (rest < 0) != (b < 0)) {
            rest += b;
            quotient -= 1;
        }
        if (op == kind::modulo) return real(rest);
        const double down = std::floor(quotient);
        return real(quotient - down > 0.5 ? down + 1 : down);
    }

    [[nodiscard]] number of_wholes(kind op, std::int64_t a, std::int64_t b, std::size_t column) const
    {
        std::int64_t out = 0;
        bool overflow = false;
        switch (op) {
            case kind::add: overflow = __builtin_add_overflow(a, b, &out); break;
            case kind::subtract: overflow = __builtin_sub_overflow(a, b, &out); break;
            case kind::multiply: overflow = __builtin_mul_overflow(a, b, &out); break;
            case kind::floor_divide:
                overflow = b == -1 && a == (-0x7fffffffffffffff - 1);
                if (!overflow) out = a / b - (a % b != 0 && (a % b < 0) != (b < 0));
                break;
            default:
                if (b != -1) out = a % b;
                if (out != 0 && (out < 0) != (b < 0)) out += b;
                break;
        }
        if (overflow) fail(column, "an integer beyond 64 bits for some values, want smaller ones");
        return {out};
    }

    std::string text_;
    std::vector<node> nodes_;
    std::vector<std::size_t> used_;
    std::size_t root_ = 0;
};

}  // namespace tunekit::space
