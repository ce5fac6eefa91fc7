// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Numbers from text and to text, the same digits in every locale and from every standard library; and the known name
/// that is near to an unknown one.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/config.hpp"
#include "tunekit/core/detail/numbers.hpp"
#include "tunekit/version.hpp"

namespace tunekit::core {

namespace detail {

/// "3 rounds", "1 round"
[[nodiscard]] inline std::string counted(std::uint64_t n, const char* what)
{
    return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

/// The number with which a text begins.
template <class T>
struct leading {
    T value{};               ///< the nearest number of the type; else 0 or it does not fit
    std::size_t length = 0;  ///< characters of the text that are it; 0: the text begins with no number
    bool fits = true;        ///< whether the type holds it: 1e999 does not, nor does 1e-999
};

/// Whether the standard library reads a `T`. libc++ before 20 reads integers only.
template <class T>
concept read_by_library = requires(const char* text, T& x) { std::from_chars(text, text, x); };

/// The number of characters of `text`, from `at` on, that are decimal digits.
[[nodiscard]] inline std::size_t digits(std::string_view text, std::size_t at) noexcept
{
    std::size_t n = 0;
    while (at + n < text.size() && text[at + n] >= '0' && text[at + n] <= '9') ++n;
    return n;
}

/// The characters of "inf", "infinity", "nan" or "nan(word)" at the beginning of `text`, in any case; 0: none of them.
[[nodiscard]] inline std::size_t unusual(std::string_view text) noexcept
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    const auto begins = [&](std::string_view word) {
        for (std::size_t i = 0; i < word.size(); ++i)
            if (i >= text.size() || lower(text[i]) != word[i]) return false;
        return true;
    };
    if (begins("infinity")) return 8;
    if (begins("inf")) return 3;
    if (!begins("nan")) return 0;
    std::size_t end = 4;
    const auto letter = [&](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
    };
    while (end < text.size() && letter(text[end])) ++end;
    return text.size() > 3 && text[3] == '(' && end < text.size() && text[end] == ')' ? end + 1 : 3;
}

/// What std::from_chars finds, for libraries without it: the characters of a number are found here, because `strtod`
/// accepts more, and the number is that of the C library, in its locale "C".
[[nodiscard]] inline leading<double> leading_double(std::string_view text)
{
    leading<double> out;
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    const std::size_t word = unusual(text.substr(sign));
    bool zero = false;  // as written
    if (word != 0) {
        out.length = sign + word;
    } else {
        const std::size_t whole = digits(text, sign);
        std::size_t end = sign + whole;
        if (end < text.size() && text[end] == '.') {
            const std::size_t part = digits(text, end + 1);
            if (whole + part == 0) return out;
            end += 1 + part;
        } else if (whole == 0) {
            return out;
        }
        zero = text.substr(sign, end - sign).find_first_of("123456789") == std::string_view::npos;
        if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
            const bool signs = end + 1 < text.size() && (text[end + 1] == '-' || text[end + 1] == '+');
            const std::size_t from = end + 1 + (signs ? 1 : 0), power = digits(text, from);
            if (power != 0) end = from + power;
        }
        out.length = end;
    }
    out.value = detail::plain_strtod(std::string(text.substr(0, out.length)).c_str());
    constexpr double most = (std::numeric_limits<double>::max)();
    out.fits = word != 0 || (out.value >= -most && out.value <= most && (out.value != 0 || zero));
    if (!out.fits) out.value = 0;
    return out;
}

}  // namespace detail

/// The number with which `text` begins, as std::from_chars reads it: no blank, no '+', a point whatever the locale.
/// Decimal; doubles are rounded to the nearest.
/// Cost:       some 20 ns; ten times that where the standard library does not read doubles (libc++ before 20).
template <class T>
[[nodiscard]] detail::leading<T> leading_number(std::string_view text)
{
    if constexpr (detail::read_by_library<T>) {
        detail::leading<T> out;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out.value);
        out.length = static_cast<std::size_t>(end - text.data());
        out.fits = failed != std::errc::result_out_of_range;
        return out;
    } else {
        return detail::leading_double(text);
    }
}

/// The whole of `text` as a number; empty where it is not one or does not fit `T`.
template <class T>
[[nodiscard]] std::optional<T> number(std::string_view text)
{
    const detail::leading<T> out = leading_number<T>(text);
    if (!out.fits || out.length == 0 || out.length != text.size()) return std::nullopt;
    return out.value;
}

/// The shortest text that reads back as `value`.
template <class T>
[[nodiscard]] std::string text_of(T value)
{
    char buffer[40];
    const auto [end, failed] = std::to_chars(buffer, buffer + sizeof buffer, value);
    return failed == std::errc{} ? std::string(buffer, end) : std::string();
}

/// The version of tunekit, such as "1.2.3".
[[nodiscard]] inline std::string version_text()
{
    return text_of(TUNEKIT_VERSION_MAJOR) + '.' + text_of(TUNEKIT_VERSION_MINOR) + '.' + text_of(TUNEKIT_VERSION_PATCH);
}

/// `x` as printf writes it for "%.*f" (fixed), "%.*e" (scientific) or "%.*g" (general), with a point whatever the
/// locale: for files, pictures and generated code. Precondition: `digits` is 0 to 60.
/// Cost:       some 100 ns.
[[nodiscard]] inline std::string text_of(double x, std::chars_format how, int digits)
{
    char buffer[400];  // 309 digits before the point, 60 after it
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x, how, digits).ptr};
}

/// The known name that differs from `word` in the fewest letters, at most two and less than half of the word's: left
/// out, put in, or another. Empty if no name is near.
/// Source: Wagner, Fischer (1974), The string-to-string correction problem.
[[nodiscard, gnu::cold]] std::string near_name(std::string_view word, std::span<const std::string> known);

/// What to want in place of `word`: "tile" where that is near, else "one of tile, mode, on", the first 16.
[[nodiscard, gnu::cold]] std::string wanted_name(std::string_view word, std::span<const std::string> known);

}  // namespace tunekit::core

#if TUNEKIT_BODIES
namespace tunekit::core {

TUNEKIT_INLINE std::string near_name(std::string_view word, std::span<const std::string> known)
{
    std::string out;
    std::size_t least = (std::min)(std::size_t{3}, (word.size() + 1) / 2);
    for (const std::string& name : known) {
        if (name.size() >= word.size() + 3 || word.size() >= name.size() + 3) continue;  // a word may be of any length
        std::vector<std::size_t> row(name.size() + 1);
        for (std::size_t k = 0; k < row.size(); ++k) row[k] = k;
        for (std::size_t i = 0; i < word.size(); ++i) {
            std::size_t corner = std::exchange(row[0], i + 1);
            for (std::size_t k = 0; k < name.size(); ++k) {
                const std::size_t other = corner + (word[i] == name[k] ? 0 : 1);
                corner = row[k + 1];
                row[k + 1] = (std::min)((std::min)(other, corner + 1), row[k] + 1);
            }
        }
        if (row.back() < least) least = row.back(), out = name;
    }
    return out;
}

TUNEKIT_INLINE std::string wanted_name(std::string_view word, std::span<const std::string> known)
{
    std::string out = near_name(word, known);
    if (!out.empty()) return out;
    constexpr std::size_t most = 16;
    for (std::size_t k = 0; k < known.size() && k < most; ++k)
        (out += k == 0 ? "one of " : ", ") += known[k].substr(0, 80);
    return known.size() > most ? out + ", ..." : out;
}

}  // namespace tunekit::core
#endif  // TUNEKIT_BODIES
