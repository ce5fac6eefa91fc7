// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What can be read in a kernel's text without a compiler: its language, its function's parameters, and the names in
/// it.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tunekit::measure::detail {

[[nodiscard]] constexpr bool letter(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
[[nodiscard]] constexpr bool word_character(char c) noexcept { return letter(c) || (c >= '0' && c <= '9'); }

/// The text with whole identifiers replaced: `with(identifier)` is empty for one that stays.
template <class With>
[[nodiscard]] std::string with_identifiers(std::string_view text, const With& with)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        if (word_character(text[at]))
            while (end < text.size() && word_character(text[end])) ++end;
        const std::string_view word = text.substr(at, end - at);
        const std::optional<std::string> other = letter(text[at]) ? with(word) : std::nullopt;
        if (other) out += *other;
        else out += word;
        at = end;
    }
    return out;
}

/// The text without comments, texts in quotes, and what they hold.
[[nodiscard]] inline std::string code_alone(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        std::size_t end = at + 1;
        if (rest.starts_with("//")) {
            end = (std::min)(text.find('\n', at), text.size());
        } else if (rest.starts_with("/*")) {
            const std::size_t close = text.find("*/", at + 2);
            end = close == std::string_view::npos ? text.size() : close + 2;
        } else if (text[at] == '"' || (text[at] == '\'' && (at == 0 || !word_character(text[at - 1])))) {
            while (end < text.size() && text[end] != text[at] && text[end] != '\n') end += text[end] == '\\' ? 2U : 1U;
            end = (std::min)(end + 1, text.size());
        } else {
            out += text[at++];
            continue;
        }
        out += ' ';
        at = end;
    }
    return out;
}

/// Whether `word` stands in `code` as a whole identifier; the place of the first one from `from` on.
[[nodiscard]] inline std::size_t find_word(std::string_view code, std::string_view word, std::size_t from = 0)
{
    for (std::size_t at = from; (at = code.find(word, at)) != std::string_view::npos; at += word.size()) {
        const bool begins = at == 0 || !word_character(code[at - 1]);
        const std::size_t end = at + word.size();
        if (begins && (end == code.size() || !word_character(code[end]))) return at;
    }
    return std::string_view::npos;
}

/// The identifier of a function in an expression that names it: "lab::stretch<float, 2>" has "stretch".
[[nodiscard]] inline std::string function_name(std::string_view expression)
{
    std::string_view name = expression.substr(0, expression.find('<'));
    while (!name.empty() && !word_character(name.back())) name.remove_suffix(1);
    std::size_t begin = name.size();
    while (begin > 0 && word_character(name[begin - 1])) --begin;
    return std::string(name.substr(begin));
}

/// A function as its text declares it.
struct kernel_signature {
    std::string returns;                  ///< what stands before its name, from the statement before on
    std::vector<std::string> parameters;  ///< the text of each

    /// Whether the function says its own cost.
    [[nodiscard]] bool says_cost() const
    {
        const std::size_t star = returns.find('*');
        return star == std::string::npos &&
               (find_word(returns, "float") != std::string::npos || find_word(returns, "double") != std::string::npos);
    }
    /// Whether parameter `k` is an array that the function cannot write.
    [[nodiscard]] bool reads_only(std::size_t k) const
    {
        const std::string_view p = parameters[k];
        const std::size_t star = p.find('*');
        return star != p.npos && find_word(p.substr(0, star), "const") != p.npos;
    }
};

/// The signature of the function `name` in `code`, which `code_alone` made: its definition, or a declaration. Empty
/// where there is none that could be read, as where macros make it.
[[nodiscard]] inline std::optional<kernel_signature> signature_of(std::string_view code, std::string_view name)
{
    for (std::size_t at = 0; (at = find_word(code, name, at)) != code.npos; at += name.size()) {
        std::size_t open = at + name.size();
        while (open < code.size() && (code[open] == ' ' || code[open] == '\n' || code[open] == '\t')) ++open;
        if (open == code.size() || code[open] != '(') continue;
        kernel_signature out;
        std::size_t begin = at;
        while (begin > 0 && std::string_view(";}{#").find(code[begin - 1]) == std::string_view::npos) --begin;
        if (begin > 0 && code[begin - 1] == '#') begin = (std::min)(code.find('\n', begin), at);
        out.returns = code.substr(begin, at - begin);
        const auto is_type = [](char c) { return word_character(c) || c == '>' || c == '*' || c == '&' || c == ')'; };
        const std::size_t before = out.returns.find_last_not_of(" \n\t\r");
        if (before == std::string::npos || !is_type(out.returns[before]) ||
            find_word(out.returns, "return") != std::string::npos || out.returns.find('=') != std::string::npos)
            continue;  // a call
        int depth = 0;
        std::string one;
        std::size_t k = open + 1;
        for (; k < code.size() && !(depth == 0 && code[k] == ')'); ++k) {
            const char c = code[k];
            depth += c == '(' || c == '<' || c == '[' || c == '{'   ? 1
                     : c == ')' || c == '>' || c == ']' || c == '}' ? -1
                                                                    : 0;
            if (c == ',' && depth == 0) out.parameters.push_back(std::exchange(one, {}));
            else one += c;
        }
        const bool blank = one.find_first_not_of(" \n\t\r") == std::string::npos;
        if (!(out.parameters.empty() && (blank || (find_word(one, "void") != one.npos && one.find('*') == one.npos))))
            out.parameters.push_back(one);
        const std::size_t after = code.find_first_not_of(" \n\t\r", (std::min)(k + 1, code.size()));
        const bool defines = after != code.npos && (code[after] == '{' || code[after] == ';' || letter(code[after]));
        const bool readable = std::none_of(out.parameters.begin(), out.parameters.end(), [](const std::string& p) {
            return p.find('#') != p.npos || p.find("...") != p.npos || p.find_first_not_of(" \n\t\r") == p.npos;
        });
        if (defines && readable && k < code.size()) return out;
    }
    return std::nullopt;
}

}  // namespace tunekit::measure::detail
