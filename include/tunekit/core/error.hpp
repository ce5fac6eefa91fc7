// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Errors that a caller can mend: one line that names the thing and the remedy.

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/config.hpp"

namespace tunekit {

namespace detail {

/// What an error says of `what`: on one line behind the library's name, control characters as "\n", "\t" and "\x1b".
[[nodiscard, gnu::cold]] std::string error_text(std::string_view what);

}  // namespace detail

/// An error outside the caller's parameters: a log that does not fit, a child that cannot be started.
struct error : std::runtime_error {
    /// Makes an error. `what` is a sentence without the library's name, which is put before it. Control characters,
    /// which may come from a file that it quotes, are written as escapes.
    explicit error(std::string_view what) : std::runtime_error(detail::error_text(what)) {}
};

/// The error of a computation without a usable answer (a matrix that is not positive definite after the last remedy).
struct numerical_error : error {
    using error::error;
};

/// Throws std::invalid_argument("tunekit: <what>"); `what` reads `<entity>: <what it is>, want <what>`.
[[noreturn, gnu::cold]] void invalid(std::string_view what);

/// The same for a sentence in parts, which are joined only when it throws.
[[noreturn, gnu::cold]] void invalid(std::initializer_list<std::string_view> parts);

/// Throws std::invalid_argument("tunekit: <what>") unless `good`.
inline void require(bool good, std::string_view what)
{
    if (!good) invalid(what);
}

}  // namespace tunekit

#if TUNEKIT_BODIES
namespace tunekit {

namespace detail {

TUNEKIT_INLINE std::string error_text(std::string_view what)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "tunekit: ";
    for (const char c : what) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) out += c;
        else if (c == '\n') out += "\\n";
        else if (c == '\t') out += "\\t";
        else (out += "\\x") += {digits[byte / 16], digits[byte % 16]};
    }
    return out;
}

}  // namespace detail

TUNEKIT_INLINE void invalid(std::string_view what) { throw std::invalid_argument(detail::error_text(what)); }

TUNEKIT_INLINE void invalid(std::initializer_list<std::string_view> parts)
{
    std::string what;
    for (const std::string_view part : parts) what += part;
    invalid(what);
}

}  // namespace tunekit
#endif  // TUNEKIT_BODIES
