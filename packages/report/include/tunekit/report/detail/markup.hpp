// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Text and numbers as a page shows them.

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

#include "tunekit/core/text.hpp"

namespace tunekit::report::detail {

/// The length of the character that `text` begins with where that is a control character, or one that turns the
/// direction of what follows (Unicode 15, UAX #9, section 2); else 0.
[[nodiscard]] inline std::size_t obeyed(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
    if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
    if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;  // U+0080 to U+009F
    if (byte(0) == 0xD8 && byte(1) == 0x9C) return 2;                    // U+061C
    if (byte(0) != 0xE2) return 0;
    if (byte(1) == 0x80) return byte(2) == 0x8E || byte(2) == 0x8F || (byte(2) >= 0xAA && byte(2) <= 0xAE) ? 3 : 0;
    return byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9 ? 3 : 0;  // U+2066 to U+2069
}

/// `text` as HTML and XML take it anywhere, attributes included; bytes that are no UTF-8, and what is `obeyed` but line
/// ends and tabs, become U+FFFD.
[[nodiscard]] inline std::string escaped(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        std::size_t length = c < 0x80                ? 1
                             : c >= 0xC2 && c < 0xE0 ? 2
                             : c >= 0xE0 && c < 0xF0 ? 3
                             : c >= 0xF0 && c < 0xF5 ? 4
                                                     : 0;
        for (std::size_t k = 1; k < length; ++k)
            if (i + k >= text.size() || (static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) length = 0;
        if (length == 3) {  // overlong forms, surrogates and U+FFFE, U+FFFF are no characters
            const auto d = static_cast<unsigned char>(text[i + 1]);
            const auto e = static_cast<unsigned char>(text[i + 2]);
            if ((c == 0xE0 && d < 0xA0) || (c == 0xED && d >= 0xA0) || (c == 0xEF && d == 0xBF && e >= 0xBE))
                length = 0;
        }
        if (length == 4) {
            const auto d = static_cast<unsigned char>(text[i + 1]);
            if ((c == 0xF0 && d < 0x90) || (c == 0xF4 && d >= 0x90)) length = 0;
        }
        if (const std::size_t turns = obeyed(text.substr(i)); length == 0 || (turns > 0 && c != '\n' && c != '\t')) {
            out += "\xEF\xBF\xBD";
            i += length == 0 ? 1 : turns;
            continue;
        }
        if (c == '<') out += "&lt;";
        else if (c == '>') out += "&gt;";
        else if (c == '&') out += "&amp;";
        else if (c == '"') out += "&quot;";
        else if (c == '\'') out += "&#39;";
        else out.append(text.substr(i, length));
        i += length;
    }
    return out;
}

/// An attribute of an element, which has none where the value is empty.
struct attribute {
    std::string_view name;
    std::string value;
};

/// `<tag name="value"`, of HTML and of SVG.
[[nodiscard]] inline std::string opened(std::string_view tag, std::initializer_list<attribute> with)
{
    std::string out(1, '<');
    out += tag;
    for (const attribute& a : with)
        if (!a.value.empty()) (((out += ' ') += a.name) += "=\"") += escaped(a.value) + '"';
    return out;
}

/// An element around markup.
[[nodiscard]] inline std::string element(std::string_view tag, std::initializer_list<attribute> with,
                                         std::string_view inside)
{
    std::string out = opened(tag, with) += '>';
    return (((out += inside) += "</") += tag) += '>';
}

/// An element of that class around words.
[[nodiscard]] inline std::string styled(std::string_view tag, std::string_view style, std::string_view words)
{
    return element(tag, {{"class", std::string(style)}}, escaped(words));
}

/// The number of characters of UTF-8.
[[nodiscard]] inline std::size_t characters_of(std::string_view text)
{
    std::size_t n = 0;
    for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    return n;
}

/// The first `most` characters, with an ellipsis where there are more. Counts characters of UTF-8, not bytes.
[[nodiscard]] inline std::string shortened(std::string_view text, std::size_t most)
{
    std::size_t characters = 0;
    std::size_t cut = text.size();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;
        if (characters + 1 == most) cut = i;
        if (++characters > most) return std::string(text.substr(0, cut)) + "\xE2\x80\xA6";
    }
    return std::string(text);
}

/// `x` with about that many significant digits, without an exponent where it can be read without.
[[nodiscard]] inline std::string number(double x, int digits = 3)
{
    if (!std::isfinite(x)) return std::isnan(x) ? "?" : x > 0 ? "\xE2\x88\x9E" : "-\xE2\x88\x9E";
    const double size = std::abs(x);
    if (size >= 1e7 || (size > 0 && size < 1e-4)) return core::text_of(x, std::chars_format::general, digits);
    const int before = size >= 1  ? static_cast<int>(std::floor(std::log10(size))) + 1
                       : size > 0 ? -static_cast<int>(std::floor(-std::log10(size)))
                                  : 1;
    return core::text_of(x, std::chars_format::fixed, digits > before ? digits - before : 0);
}

/// A unit of time: seconds are divided by `seconds`.
struct time_unit {
    double seconds = 1;
    const char* name = "s";
};

/// The unit in which `seconds` is between 1 and 1000.
[[nodiscard]] inline time_unit unit_of(double seconds)
{
    constexpr std::array<time_unit, 4> units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "\xC2\xB5s"}, {1e-9, "ns"}}};
    for (const auto& u : units)
        if (seconds >= u.seconds) return u;
    return units.back();
}

/// "1.234 ms"
[[nodiscard]] inline std::string time(double seconds, int digits = 4)
{
    const time_unit u = unit_of(seconds);
    return number(seconds / u.seconds, digits) + '\xC2' + '\xA0' + u.name;
}

/// "4.2 s", "3 min 20 s", "2 h 5 min"
[[nodiscard]] inline std::string duration(double seconds)
{
    if (!(seconds >= 120)) return time(seconds, 2);
    char text[40];
    const long s = std::lround(seconds);
    if (s < 7200) std::snprintf(text, sizeof text, "%ld min %ld s", s / 60, s % 60);
    else std::snprintf(text, sizeof text, "%ld h %ld min", s / 3600, s % 3600 / 60);
    return text;
}

[[nodiscard]] inline std::string percent(double share)
{
    return share > 0 && share < 0.001 ? "<0.1\xC2\xA0%" : number(100 * share, share < 0.1 ? 2 : 3) + "\xC2\xA0%";
}

/// 12 345 with thin spaces
[[nodiscard]] inline std::string count(std::size_t n)
{
    std::string digits = std::to_string(n);
    if (digits.size() > 4)
        for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, "\xE2\x80\xAF");
    return digits;
}

/// "1 trial", "2 trials"
[[nodiscard]] inline std::string count_of(std::size_t n, const std::string& what)
{
    return count(n) + ' ' + what + (n == 1 ? "" : "s");
}

/// `build_error` for a person.
[[nodiscard]] inline std::string words_of(std::string_view kind)
{
    std::string out(kind);
    for (char& c : out)
        if (c == '_') c = ' ';
    return out;
}

}  // namespace tunekit::report::detail
