// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Fields of our text files: escapes, hexadecimal numbers, and a checksum.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace tunekit::io {

/// The field as it is written: %, what is not printable ASCII, and the characters of `also` become %XX. Blanks stay unless
/// `also` has them.
[[nodiscard]] inline std::string escaped(std::string_view field, std::string_view also = {})
{
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : field) {
        const auto u = static_cast<unsigned char>(c);
        if (u >= 0x20 && u < 0x7f && c != '%' && also.find(c) == std::string_view::npos) {
            out += c;
        } else {
            out += '%';
            out += digits[u >> 4];
            out += digits[u & 15];
        }
    }
    return out;
}

/// What `escaped` was given; empty where nothing could have been.
[[nodiscard]] inline std::optional<std::string> unescaped(std::string_view written)
{
    std::string out;
    for (std::size_t i = 0; i < written.size(); ++i) {
        if (written[i] != '%') {
            out += written[i];
            continue;
        }
        unsigned value = 0;
        const std::string_view two = written.substr(i + 1, 2);
        const auto [at, failed] = std::from_chars(two.data(), two.data() + two.size(), value, 16);
        if (two.size() != 2 || failed != std::errc{} || at != two.data() + 2) return std::nullopt;
        out += static_cast<char>(value);
        i += 2;
    }
    return out;
}

/// `x` in base 16, without a prefix.
[[nodiscard]] inline std::string in_hex(std::uint64_t x)
{
    char buffer[20];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, x, 16).ptr);
}

/// What `in_hex` was given; empty where the whole of `written` is no such number.
[[nodiscard]] inline std::optional<std::uint64_t> from_hex(std::string_view written)
{
    std::uint64_t x = 0;
    const auto [at, failed] = std::from_chars(written.data(), written.data() + written.size(), x, 16);
    if (failed != std::errc{} || at != written.data() + written.size()) return std::nullopt;
    return x;
}

/// A checksum that tells a text that was cut or edited: FNV-1a with 64 bits.
/// Source: Fowler, Noll, Vo; Eastlake et al. (2019), The FNV Non-Cryptographic Hash Algorithm.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text) noexcept
{
    std::uint64_t h = 0xcbf29ce484222325U;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return h;
}

}  // namespace tunekit::io
