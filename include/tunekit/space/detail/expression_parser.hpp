// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// From an expression's text to its tree.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/space/detail/expression_tree.hpp"

namespace tunekit::space::detail {

/// Recursive descent, one function per level of precedence.
class expression_parser {
public:
    /// Fills `to` in from its text.
    expression_parser(expression_tree& to, std::span<const std::string> names, std::span<const std::string> words)
        : to_(to), names_(names), words_(words)
    {
        to_.root = disjunction();
        skip();
        if (at_ != text().size()) to_.fail(at_, "found " + found() + ", want an operator or the end");
    }

private:
    [[nodiscard]] const std::string& text() const noexcept { return to_.text; }

    void skip()
    {
        while (at_ < text().size() && (text()[at_] == ' ' || text()[at_] == '\t')) ++at_;
    }

    /// What a name may begin with: beyond ASCII any byte, so any letter in UTF-8.
    static bool letter(char c)
    {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    }
    static bool digit(char c) { return c >= '0' && c <= '9'; }

    [[nodiscard]] std::string_view word() const
    {
        std::size_t end = at_;
        if (end < text().size() && letter(text()[end]))
            while (end < text().size() && (letter(text()[end]) || digit(text()[end]))) ++end;
        return std::string_view(text()).substr(at_, end - at_);
    }

    /// What stands here, for messages.
    [[nodiscard]] std::string found() const
    {
        if (at_ >= text().size()) return "the end";
        const std::string_view w = word();
        if (!w.empty()) return "'" + std::string(w.substr(0, 80)) + "'";
        return "'" + text().substr(at_, text().compare(at_, 2, "**") == 0 ? 2 : 1) + "'";
    }

    /// Steps over the operator `op`; not where it is only the start of a longer one.
    bool take(std::string_view op)
    {
        skip();
        if (letter(op[0])) {
            if (word() != op) return false;
        } else {
            if (std::string_view(text()).substr(at_, op.size()) != op) return false;
            const char next = at_ + op.size() < text().size() ? text()[at_ + op.size()] : ' ';
            if ((op == "/" && next == '/') || (op == "*" && next == '*')) return false;
            if ((op == "<" || op == ">") && next == '=') return false;
        }
        at_ += op.size();
        return true;
    }

    /// An expression is evaluated by a call per level of its tree, and `a + a + ...` has one for each operator.
    std::size_t add(expression_node n)
    {
        for (const std::size_t child : n.children) n.height = (std::max)(n.height, to_.nodes[child].height + 1);
        if (n.height > 1000) to_.fail(n.column, "more than 1000 operators one upon another, want a simpler expression");
        to_.nodes.push_back(std::move(n));
        return to_.nodes.size() - 1;
    }

    std::size_t disjunction()
    {
        if (++depth_ > 200) to_.fail(at_, "nested more than 200 deep, want a simpler expression");
        std::size_t left = conjunction();
        for (std::size_t column = (skip(), at_); take("or"); column = (skip(), at_)) {
            const std::size_t right = conjunction();
            left = add({operation::either, column, 0, {left, right}});
        }
        --depth_;
        return left;
    }

    std::size_t conjunction()
    {
        std::size_t left = inversion();
        for (std::size_t column = (skip(), at_); take("and"); column = (skip(), at_)) {
            const std::size_t right = inversion();
            left = add({operation::both, column, 0, {left, right}});
        }
        return left;
    }

    std::size_t inversion()
    {
        skip();
        const std::size_t column = at_;
        if (!take("not")) return comparison();
        if (++depth_ > 200) to_.fail(at_, "nested more than 200 deep, want a simpler expression");
        const std::size_t inner = inversion();
        --depth_;
        return add({operation::invert, column, 0, {inner}});
    }

    std::size_t comparison()
    {
        const std::size_t first = sum();
        expression_node chain{operation::chain, at_, 0, {first}, {}};
        for (;;) {
            operation op = operation::chain;
            for (const auto& [symbol, what] : {std::pair{"==", operation::equal},
                                               {"!=", operation::not_equal},
                                               {"<=", operation::less_equal},
                                               {">=", operation::greater_equal},
                                               {"<", operation::less},
                                               {">", operation::greater}})
                if (op == operation::chain && take(symbol)) op = what;
            if (op == operation::chain) break;
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
            const std::size_t column = at_;
            const operation op = take("+") ? operation::add : take("-") ? operation::subtract : operation::chain;
            if (op == operation::chain) return left;
            const std::size_t right = term();
            left = add({op, column, 0, {left, right}});
        }
    }

    std::size_t term()
    {
        std::size_t left = factor();
        for (;;) {
            skip();
            const std::size_t column = at_;
            const operation op = take("*")    ? operation::multiply
                                 : take("//") ? operation::floor_divide
                                 : take("/")  ? operation::divide
                                 : take("%")  ? operation::modulo
                                              : operation::chain;
            if (op == operation::chain) return left;
            const std::size_t right = factor();
            left = add({op, column, 0, {left, right}});
        }
    }

    std::size_t factor()
    {
        skip();
        const std::size_t column = at_;
        if (take("+") || take("-")) {
            const bool minus = text()[at_ - 1] == '-';
            if (++depth_ > 200) to_.fail(at_, "nested more than 200 deep, want a simpler expression");
            const std::size_t inner = factor();
            --depth_;
            return add({minus ? operation::negate : operation::add, column, 0, {inner}});
        }
        return atom();
    }

    std::size_t atom()
    {
        skip();
        const std::size_t column = at_;
        if (take("(")) {
            const std::size_t inner = disjunction();
            skip();
            if (at_ >= text().size() || text()[at_] != ')')
                to_.fail(at_, "found " + found() + ", want an operator or ')'");
            ++at_;
            return inner;
        }
        if (at_ < text().size() && digit(text()[at_])) return literal(column);
        if (at_ < text().size() && (text()[at_] == '\'' || text()[at_] == '"')) return quoted(column);
        const bool ticked = at_ < text().size() && text()[at_] == '`';
        const std::size_t end = ticked ? text().find('`', at_ + 1) : 0;
        if (end == std::string::npos) to_.fail(column, "a name without an end, want a closing `");
        const std::string_view w = ticked ? std::string_view(text()).substr(at_ + 1, end - at_ - 1) : word();
        if (!ticked && (w.empty() || w == "and" || w == "or" || w == "not"))
            to_.fail(at_, "found " + found() + ", want a number, the name of a " + to_.role.name + " or '('");
        const auto j = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), w) - names_.begin());
        if (j == names_.size())
            to_.fail(at_, std::string("no ") + to_.role.name + " is called '" + std::string(w.substr(0, 80)) +
                              "', want " + core::wanted_name(w, names_));
        at_ += w.size() + (ticked ? 2 : 0);
        const auto place = std::lower_bound(to_.names_used.begin(), to_.names_used.end(), j);
        if (place == to_.names_used.end() || *place != j) to_.names_used.insert(place, j);
        return add({operation::name, column, static_cast<std::int64_t>(j)});
    }

    std::size_t literal(std::size_t column)
    {
        std::size_t end = at_;
        while (end < text().size() && (digit(text()[end]) || text()[end] == '.')) ++end;
        const bool power = end < text().size() && (text()[end] == 'e' || text()[end] == 'E');
        const bool real = power || text().find('.', at_) < end;
        expression_node out{operation::constant, column};
        if (real) {
            const auto found = core::leading_number<double>(std::string_view(text()).substr(at_));
            if (!found.fits) to_.fail(column, "the number is out of range, want one of a double");
            out.real = found.value;
            out.is_real = true;
            at_ += found.length;
        } else {
            for (; at_ < text().size() && digit(text()[at_]); ++at_)
                if (__builtin_mul_overflow(out.value, 10, &out.value) ||
                    __builtin_add_overflow(out.value, text()[at_] - '0', &out.value))
                    to_.fail(column, "the integer is too large, want at most 2^63 - 1");
        }
        if (at_ < text().size() && (letter(text()[at_]) || text()[at_] == '.'))
            to_.fail(at_, "found '" + text().substr(at_, 1) + "' in a number, want a number");
        return add(std::move(out));
    }

    std::size_t quoted(std::size_t column)
    {
        const std::size_t end = text().find(text()[at_], at_ + 1);
        if (end == std::string::npos) to_.fail(column, "a text without an end, want a closing quote");
        const std::string word = text().substr(at_ + 1, end - at_ - 1);
        const auto k = std::find(words_.begin(), words_.end(), word) - words_.begin();
        if (k == std::ssize(words_))
            to_.fail(column, "no parameter has the value '" + word.substr(0, 80) + "', want one that a parameter has");
        at_ = end + 1;
        return add({operation::constant, column, number_of_word(static_cast<std::size_t>(k))});
    }

    expression_tree& to_;
    std::span<const std::string> names_;
    std::span<const std::string> words_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace tunekit::space::detail
