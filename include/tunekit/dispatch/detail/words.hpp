// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The texts of this floor's files: fields without blanks, and a checksum.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tunekit/core/error.hpp"

namespace tunekit::dispatch::detail {

/// A field as it is written: blanks, %, | and what is not printable ASCII become %XX; a field of nothing becomes %.
[[nodiscard]] inline std::string as_word(std::string_view s)
{
    static constexpr char hex[] = "0123456789ABCDEF";
    if (s.empty()) return "%";
    std::string out;
    for (const char c : s) {
        const auto u = static_cast<unsigned char>(c);
        if (u > 0x20 && u < 0x7f && c != '%' && c != '|') {
            out += c;
        } else {
            out += '%';
            out += hex[u >> 4];
            out += hex[u & 15];
        }
    }
    return out;
}

/// What `as_word` was given; empty where nothing could have been.
[[nodiscard]] inline std::optional<std::string> from_word(std::string_view s)
{
    if (s == "%") return std::string();
    std::string out;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] != '%') {
            out += s[i];
            continue;
        }
        const std::string_view two = s.substr(i + 1, 2);
        unsigned value = 0;
        const auto [at, failed] = std::from_chars(two.data(), two.data() + two.size(), value, 16);
        if (two.size() != 2 || failed != std::errc{} || at != two.data() + 2) return std::nullopt;
        out += static_cast<char>(value);
        i += 2;
    }
    return out;
}

[[nodiscard]] inline std::string in_hex(std::uint64_t x)
{
    char buffer[20];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, x, 16).ptr);
}

[[nodiscard]] inline std::optional<std::uint64_t> of_hex(std::string_view s)
{
    std::uint64_t x = 0;
    const auto [at, failed] = std::from_chars(s.data(), s.data() + s.size(), x, 16);
    if (failed != std::errc{} || at != s.data() + s.size()) return std::nullopt;
    return x;
}

/// FNV-1a, 64 bits: tells a file that was cut or edited.
[[nodiscard]] inline std::uint64_t check_of(std::string_view s)
{
    std::uint64_t h = 0xcbf29ce484222325U;
    for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return h;
}

/// `text` with the last line that tells whether it is whole.
[[nodiscard]] inline std::string with_end(std::string text)
{
    const std::string check = in_hex(check_of(text));
    return text += "end " + check + '\n';
}

/// The lines before that last one. Throws tunekit::error, `what` first, where it is missing or of another text.
[[nodiscard]] inline std::string_view without_end(std::string_view text, const std::string& what)
{
    const std::size_t last = text.size() < 2 ? std::string_view::npos : text.rfind('\n', text.size() - 2);
    if (last == std::string_view::npos || !text.ends_with('\n') || !text.substr(last + 1).starts_with("end "))
        throw error(what + ": was cut: its last line is not `end` and a checksum; write it again");
    const std::string_view body = text.substr(0, last + 1);
    const std::string_view check = text.substr(last + 5, text.size() - last - 6);
    if (of_hex(check) != check_of(body))
        throw error(what + ": was changed or damaged: its checksum is another one; write it again");
    return body;
}

}  // namespace tunekit::dispatch::detail
