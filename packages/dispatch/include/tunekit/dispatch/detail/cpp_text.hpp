// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parts of a generated header: identifiers, literals, comments.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/core/text_template.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/system/files.hpp"

namespace tunekit::dispatch::detail {

/// The keywords of C++20 and its alternative tokens.
inline constexpr std::string_view cpp_keywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await "
    "co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete "
    "do double "
    "dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace "
    "new noexcept "
    "not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short "
    "signed sizeof "
    "static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename "
    "union "
    "unsigned using virtual void volatile wchar_t while xor xor_eq ";

/// The words that C adds, and the macros of compilers (-std=gnu++17 has linux and unix), of other systems' headers and
/// of the C library: with such a name the header does not compile.
inline constexpr std::string_view other_words =
    " restrict typeof linux unix i386 arm sun sparc mips vax m68k hpux near far small interface min max minor major "
    "makedev assert errno offsetof setjmp signbit isfinite isinf isnan isnormal fpclassify stdin stdout stderr complex "
    "va_arg va_copy va_end va_start NULL EOF NAN INFINITY HUGE_VAL BUFSIZ RAND_MAX TRUE FALSE PPC SIGN ";

/// Throws std::invalid_argument unless all names are identifiers that a program may use, none is `taken`, and none
/// occurs twice.
inline void check_names(const std::vector<std::string>& names, const std::string& what,
                        const std::vector<std::string_view>& taken)
{
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    for (const std::string& n : names) {
        const auto need = [&](bool good, const char* wrong) {
            if (!good)
                invalid("write_header: the " + what + " \"" + n.substr(0, 80) + "\" " + wrong + ", want another name");
        };
        need(!n.empty() && letter(n.front()) &&
                 std::all_of(n.begin(), n.end(),
                             [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; }),
             "is not an identifier of letters, digits and _ that begins with a letter");
        need(n.find("__") == std::string::npos, "has two _ in a row, which C++ keeps for itself");
        need(cpp_keywords.find(' ' + n + ' ') == std::string_view::npos, "is a word of C++");
        need(other_words.find(' ' + n + ' ') == std::string_view::npos, "is a word of C or a macro");
        need(std::find(taken.begin(), taken.end(), n) == taken.end(), "means something in the header");
        need(std::count(names.begin(), names.end(), n) == 1, "occurs twice");
    }
}

/// The C++ type of a parameter's values.
enum class value_type : std::uint8_t { flag, integer, long_integer, number, text };

[[nodiscard]] inline std::string to_text(value_type t)
{
    constexpr std::array names{"bool", "int", "long long", "double", "const char*"};
    return names[static_cast<std::size_t>(t)];
}

/// The narrowest type that holds all of them.
[[nodiscard]] inline value_type type_of(const std::vector<std::string>& texts)
{
    const auto all = [&](auto&& holds) { return std::all_of(texts.begin(), texts.end(), holds); };
    if (all([](const std::string& s) { return s == "true" || s == "false"; })) return value_type::flag;
    if (all([](const std::string& s) {
            const auto x = core::number<std::int64_t>(s);
            return x && *x >= -2147483647 && *x <= 2147483647;
        }))
        return value_type::integer;
    if (all([](const std::string& s) {
            const auto x = core::number<std::int64_t>(s);
            return x && *x > (std::numeric_limits<std::int64_t>::min)();
        }))
        return value_type::long_integer;
    if (all([](const std::string& s) {
            const auto x = core::number<double>(s);
            return x && std::isfinite(*x);
        }))
        return value_type::number;
    return value_type::text;
}

/// The value as a literal of that type. Numbers are written anew, for in C++ "020" is 16. In texts, each character that
/// is not printable ASCII becomes three octal digits, so that a digit behind it cannot join.
[[nodiscard]] inline std::string as_literal(value_type t, const std::string& s)
{
    if (t == value_type::integer || t == value_type::long_integer)
        return std::to_string(*core::number<std::int64_t>(s)) + (t == value_type::integer ? "" : "LL");
    if (t == value_type::number) {
        const std::string out = core::text_of(*core::number<double>(s));
        return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
    }
    if (t != value_type::text) return s;
    std::string out = "\"";
    for (const char c : s) {
        const auto u = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\' || c == '?') {
            out += '\\';
            out += c;
        } else if (u < 0x20 || u >= 0x7f) {
            out += '\\';
            for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + (u >> shift & 7U));
        } else {
            out += c;
        }
    }
    return out += '"';
}

/// The text for a comment of one line. Each character that is not printable ASCII becomes '.', and so does \, which
/// would join the next line.
[[nodiscard]] inline std::string as_comment(std::string s)
{
    for (char& c : s)
        if (const auto u = static_cast<unsigned char>(c); u < 0x20 || u >= 0x7f || c == '\\') c = '.';
    return s.empty() ? "(none)" : s;
}

[[nodiscard]] inline std::string joined_by(const std::vector<std::string>& all, const char* between)
{
    std::string out;
    for (const std::string& s : all) out += (out.empty() ? "" : between) + s;
    return out;
}

/// The text with the value of each `{name}`; blanks separate the names.
template <class... Values>
[[nodiscard]] std::string filled(std::string_view text, std::string_view names, const Values&... values)
{
    return core::text_values("a header's text").set(names, values...).in(text);
}

/// The number with three decimals, such as "0.985".
[[nodiscard]] inline std::string three_digits(double x)
{
    return core::text_of((std::min)(x, 1e12), std::chars_format::fixed, 3);
}

/// Whether the file exists and has exactly this text. One that cannot be read has another: it is replaced.
[[nodiscard]] inline bool holds(const std::string& path, const std::string& text)
{
    try {
        return system::state_of(path) && io::read_text(path) == text;
    } catch (const error&) {
        return false;
    }
}

}  // namespace tunekit::dispatch::detail
