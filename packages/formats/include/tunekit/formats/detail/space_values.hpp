// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Values, names and constraints as the formats of spaces write them in JSON.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/core/text.hpp"
#include "tunekit/records/json/json_fields.hpp"
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
    if (out.empty() || out.find_first_of("{},=\"' \t\n") != std::string::npos)
        from.fail("is not a name, want one without blanks, commas, braces, quotes and '='");
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
        if (quote != 0 || c == '\'' || c == '"') {
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

/// The literals of a Python list, which is how T1 writes values: "[16, 32]", "['a', 'b']", "[True, False]".
[[nodiscard]] inline std::vector<space::value> python_list(const json_fields& from)
{
    const auto text = from.get<std::string>();
    const auto wrong = [&] {
        from.fail("'" + text.substr(0, 80) + "' is not a list of literals, want one such as [16, 32]");
    };
    std::vector<space::value> out;
    std::string_view rest = text;
    const auto skip = [&] {
        while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\n' || rest.front() == '\t'))
            rest.remove_prefix(1);
    };
    const auto take = [&](char c) {
        skip();
        if (rest.empty() || rest.front() != c) return false;
        rest.remove_prefix(1);
        return true;
    };
    if (!take('[') && !take('(')) wrong();
    const char close = text[text.find_first_not_of(" \n\t")] == '[' ? ']' : ')';
    while (!take(close)) {
        skip();
        const std::string_view word = rest.substr(0, rest.find_first_of(std::string{',', close}));
        if (!rest.empty() && (rest.front() == '\'' || rest.front() == '"')) {
            const auto end = rest.find(rest.front(), 1);
            if (end == std::string_view::npos) wrong();
            out.emplace_back(std::string(rest.substr(1, end - 1)));
            rest.remove_prefix(end + 1);
        } else {
            std::string_view bare = word;
            while (!bare.empty() && bare.back() == ' ') bare.remove_suffix(1);
            if (bare == "True" || bare == "true") out.emplace_back(true);
            else if (bare == "False" || bare == "false") out.emplace_back(false);
            else if (const auto whole = core::number<std::int64_t>(bare)) out.emplace_back(*whole);
            else if (const auto real = core::number<double>(bare)) out.emplace_back(*real);
            else wrong();
            rest.remove_prefix(word.size());
        }
        if (!take(',') && (skip(), rest.empty() || rest.front() != close)) wrong();
    }
    skip();
    if (!rest.empty() || out.empty()) wrong();
    return out;
}

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

/// The integer that a number is; none where it has a fraction or digits that a double does not hold.
[[nodiscard]] inline std::optional<std::int64_t> whole_number(double x)
{
    if (!(x > -1e15 && x < 1e15) || x != static_cast<double>(static_cast<std::int64_t>(x))) return std::nullopt;
    return static_cast<std::int64_t>(x);
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
