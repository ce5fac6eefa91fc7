// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Values, names and constraints as the formats of spaces write them in JSON.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/core/text.hpp"
#include "tunekit/core/text_template.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/records/json/json_fields.hpp"
#include "tunekit/space/expression.hpp"
#include "tunekit/space/value_product.hpp"

namespace tunekit::io::detail {

/// A JSON value as one of a parameter.
[[nodiscard]] inline space::value value_of(const json_fields& from)
{
    const nlohmann::json& v = from.value();
    if (v.is_boolean()) return v.get<bool>();
    if (v.is_number_unsigned() && v.get<std::uint64_t>() > std::uint64_t{0x7fffffffffffffff})
        from.fail("is beyond 64 bits, want a smaller integer");
    if (v.is_number_integer()) return v.get<std::int64_t>();
    if (v.is_number()) return v.get<double>();
    if (v.is_string()) return v.get<std::string>();
    if (!v.is_array()) from.fail("is not a value, want a number, a text, true, false or a list of integers");
    space::entries out;
    for (std::size_t i = 0; i < from.size(); ++i) out.of.push_back(from[i].get<std::int64_t>());
    return out;
}

[[nodiscard]] inline std::vector<space::value> values_of(const json_fields& from)
{
    std::vector<space::value> out;
    for (std::size_t i = 0; i < from.size(); ++i) out.push_back(value_of(from[i]));
    if (out.empty()) from.fail("is empty, want one value or more");
    return out;
}

/// The most bytes of a name, which messages quote.
inline constexpr std::size_t longest_name = 80;

/// A name that placeholders and constraints can have.
[[nodiscard]] inline std::string name_of(const json_fields& from)
{
    auto out = from.get<std::string>();
    if (!core::is_name(out)) from.fail("is not a name, want one without blanks, commas, braces, quotes and '='");
    if (out.size() > longest_name)
        from.fail("is a name of " + std::to_string(out.size()) + " bytes, want at most " +
                  std::to_string(longest_name));
    return out;
}

/// A constraint in C's or NumPy's operators in Python's words: && || ! ~, and & | between parentheses.
[[nodiscard]] inline std::string in_words(const json_fields& from)
{
    const auto text = from.get<std::string>();
    std::string out;
    char quote = 0;
    const auto before = [&] {
        const auto at = out.find_last_not_of(' ');
        return at == std::string::npos ? '(' : out[at];
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const char next = i + 1 < text.size() ? text[i + 1] : ' ';
        if (quote != 0 || c == '\'' || c == '"' || c == '`') {
            quote = quote == 0 ? c : c == quote ? '\0' : quote;
            out += c;
        } else if ((c == '&' || c == '|') && next == c) {
            out += c == '&' ? " and " : " or ";
            ++i;
        } else if (c == '&' || c == '|') {
            const auto after = text.find_first_not_of(' ', i + 1);
            const bool grouped =
                before() == ')' && after != std::string::npos && (text[after] == '(' || text[after] == '~');
            if (!grouped)
                from.fail("has '" + std::string(1, c) + "' between what is not in parentheses, want 'and' or 'or'");
            out += c == '&' ? " and " : " or ";
        } else if ((c == '!' && next != '=') || c == '~') {
            out += " not ";
        } else {
            out += c;
        }
    }
    return out;
}

/// The integer that a number is; none where it has a fraction or digits that a double does not hold.
[[nodiscard]] inline std::optional<std::int64_t> whole_number(double x)
{
    if (!(x > -1e15 && x < 1e15) || x != static_cast<double>(static_cast<std::int64_t>(x))) return std::nullopt;
    return static_cast<std::int64_t>(x);
}

/// The values that an expression of Python lists, which is how T1 writes them: "[16, 32]", "['a', 'b']", "list(range(1,
/// 9))", "[1] + [2 * i for i in range(1, 11)]", "[2**i for i in range(6)]".
class python_values {
public:
    /// Throws json_fields::malformed where it is something else.
    explicit python_values(const json_fields& from) : from_(from), text_(from.get<std::string>()), rest_(text_)
    {
        do part();
        while (take('+'));
        skip();
        if (!rest_.empty() || out_.empty()) wrong();
    }

    [[nodiscard]] std::vector<space::value> values() && { return std::move(out_); }

private:
    [[noreturn]] void wrong() const
    {
        from_.fail("'" + text_.substr(0, 80) +
                   "' is not a list of literals, a range or [... for i in range(...)], want one such as [16, 32]");
    }
    void skip()
    {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t'))
            rest_.remove_prefix(1);
    }
    bool take(char c)
    {
        skip();
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool take(std::string_view word)
    {
        skip();
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    void part()
    {
        if (take("list")) {
            if (!take('(')) wrong();
            part();
            if (!take(')')) wrong();
        } else if (take("range")) {
            for (const std::int64_t i : range()) out_.emplace_back(i);
        } else {
            const char close = take('[') ? ']' : take('(') ? ')' : '\0';
            if (close == 0) wrong();
            const std::string_view inside = rest_.substr(0, rest_.find(']'));
            const bool quotes = inside.find_first_of("'\"") != std::string_view::npos;
            if (close == ']' && !quotes && inside.find(" for ") != std::string_view::npos) each();
            else literals(close);
        }
    }

    /// EXPRESSION for NAME in range(...)], or ... if CONDITION]
    void each()
    {
        const auto at = rest_.find(" for ");
        std::string expression(rest_.substr(0, at));
        rest_.remove_prefix(at + 5);
        skip();
        const std::string name(rest_.substr(0, rest_.find(' ')));
        rest_.remove_prefix(name.size());
        if (!take("in") || !take("range")) wrong();
        // a**b, of which each is the name or an integer, is a name of its own: expressions have no powers
        std::vector<std::string> names{name}, bases, exponents;
        for (std::size_t k = 0; (k = expression.find("**", k)) != std::string::npos;) {
            const auto word = [](char c) {
                return core::is_name({&c, 1}) && std::string_view("+-*/%()").find(c) == std::string_view::npos;
            };
            std::size_t begin = k, end = k + 2;
            while (begin > 0 && expression[begin - 1] == ' ') --begin;
            const std::size_t base_end = begin;
            while (begin > 0 && word(expression[begin - 1])) --begin;
            while (end < expression.size() && expression[end] == ' ') ++end;
            const std::size_t exponent = end;
            while (end < expression.size() && word(expression[end])) ++end;
            bases.push_back(expression.substr(begin, base_end - begin));
            exponents.push_back(expression.substr(exponent, end - exponent));
            names.push_back("power_" + std::to_string(bases.size()));
            expression.replace(begin, end - begin, names.back());
            k = begin;
        }
        const bool real = expression.find('.') != std::string::npos ||
                          (expression.find('/') != std::string::npos && expression.find("//") == std::string::npos);
        const std::vector<std::int64_t> all = range();
        std::optional<space::expression> kept;
        if (take("if")) {
            const std::string_view condition = rest_.substr(0, rest_.find(']'));
            try {
                kept.emplace(std::string(condition), std::span(&name, 1));
            } catch (const std::invalid_argument&) {
                wrong();
            }
            rest_.remove_prefix(condition.size());
        }
        for (const std::int64_t i : all) {
            if (kept && !kept->holds([i](std::size_t) { return i; })) continue;
            std::vector<double> given{static_cast<double>(i)};
            const auto operand = [&](const std::string& of) { return of == name ? given[0] : number(of, {}, {}); };
            for (std::size_t k = 0; k < bases.size(); ++k)
                given.push_back(std::pow(operand(bases[k]), operand(exponents[k])));
            const double x = number(expression, names, given);
            const auto whole = real ? std::nullopt : whole_number(x);
            if (whole) out_.emplace_back(*whole);
            else out_.emplace_back(x);
        }
        if (!take(']')) wrong();
    }

    /// (LAST), (FIRST, LAST) or (FIRST, LAST, STEP)
    [[nodiscard]] std::vector<std::int64_t> range()
    {
        if (!take('(')) wrong();
        const std::string_view inside = rest_.substr(0, rest_.find(')'));
        rest_.remove_prefix(inside.size());
        if (!take(')')) wrong();
        std::vector<std::int64_t> of;
        for (const std::string_view text : split(inside, ',')) {
            const auto x = whole_number(number(std::string(text), {}, {}));
            if (!x) wrong();
            of.push_back(*x);
        }
        if (of.empty() || of.size() > 3) wrong();
        const std::int64_t first = of.size() > 1 ? of[0] : 0, last = of[of.size() > 1 ? 1 : 0],
                           step = of.size() > 2 ? of[2] : 1;
        constexpr std::size_t most = 65536;
        std::vector<std::int64_t> out;
        if (step == 0) wrong();
        for (std::int64_t x = first; (step > 0 ? x < last : x > last) && out.size() < most; x += step) out.push_back(x);
        return out;
    }

    [[nodiscard]] double number(const std::string& text, std::span<const std::string> names,
                                std::span<const double> values) const
    {
        try {
            return space::expression(text, names).value([&](std::size_t j) { return values[j]; });
        } catch (const std::invalid_argument&) {
            wrong();
        }
    }

    void literals(char close)
    {
        while (!take(close)) {
            skip();
            const std::string_view word = rest_.substr(0, rest_.find_first_of(std::string{',', close}));
            if (!rest_.empty() && (rest_.front() == '\'' || rest_.front() == '"')) {
                const auto end = rest_.find(rest_.front(), 1);
                if (end == std::string_view::npos) wrong();
                out_.emplace_back(std::string(rest_.substr(1, end - 1)));
                rest_.remove_prefix(end + 1);
            } else {
                std::string_view bare = word;
                while (!bare.empty() && bare.back() == ' ') bare.remove_suffix(1);
                if (bare == "True" || bare == "true") out_.emplace_back(true);
                else if (bare == "False" || bare == "false") out_.emplace_back(false);
                else if (const auto whole = core::number<std::int64_t>(bare)) out_.emplace_back(*whole);
                else if (const auto real = core::number<double>(bare)) out_.emplace_back(*real);
                else wrong();
                rest_.remove_prefix(word.size());
            }
            if (!take(',') && (skip(), rest_.empty() || rest_.front() != close)) wrong();
        }
    }

    const json_fields& from_;
    std::string text_;
    std::string_view rest_;
    std::vector<space::value> out_{};
};

/// All orders of 0 ... n - 1.
[[nodiscard]] inline std::vector<space::value> orders_of(const json_fields& from, std::uint64_t n)
{
    if (n == 0 || n > 8) from.fail("is a permutation of " + std::to_string(n) + " entries, want 1 to 8");
    space::entries order;
    for (std::uint64_t k = 0; k < n; ++k) order.of.push_back(static_cast<std::int64_t>(k));
    std::vector<space::value> out;
    do out.emplace_back(order);
    while (std::next_permutation(order.of.begin(), order.of.end()));
    return out;
}

/// The values of one parameter of a scenario, in BaCO's order.
[[nodiscard]] inline std::vector<space::value> scenario_values(const json_fields& p)
{
    const auto type = p.at("parameter_type").get<std::string>();
    const auto values = p.at("values");
    if (type == "permutation") return orders_of(values[0], values[0].get<std::uint64_t>());
    if (type == "integer") {
        const auto low = values[0].get<std::int64_t>(), high = values[1].get<std::int64_t>();
        if (low > high || high / 2 - low / 2 > 40000)
            values.fail("are the bounds of no or too many integers, want at most 65535");
        std::vector<space::value> out;
        for (std::int64_t v = low;; ++v) {
            out.emplace_back(v);
            if (v == high) return out;
        }
    }
    if (type == "categorical") return values_of(values);
    if (type == "real" && !p.value().contains("preferred_discretization"))
        p.fail("is real, want its preferred_discretization: the values to choose from");
    if (type != "ordinal" && type != "real")
        p.at("parameter_type")
            .fail("'" + type.substr(0, 80) + "' is unknown, want ordinal, integer, categorical, permutation or real");
    const auto list = type == "real" ? p.at("preferred_discretization") : values;
    std::vector<double> numbers;
    for (std::size_t i = 0; i < list.size(); ++i) numbers.push_back(list[i].get<double>());
    if (numbers.empty()) list.fail("is empty, want one value or more");
    std::sort(numbers.begin(), numbers.end());
    const bool whole =
        std::all_of(numbers.begin(), numbers.end(), [](double x) { return whole_number(x).has_value(); });
    std::vector<space::value> out;
    for (const double x : numbers)
        if (whole) out.emplace_back(*whole_number(x));
        else out.emplace_back(x);
    return out;
}

}  // namespace tunekit::io::detail
