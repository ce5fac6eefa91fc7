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

/// An error outside the caller's parameters: a log that does not fit, a child that cannot be started.
struct error : std::runtime_error {
    /// Makes an error. `what` is a sentence without the library's name, which is put before it.
    explicit error(std::string_view what) : std::runtime_error("tunekit: " + std::string(what)) {}
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

TUNEKIT_INLINE void invalid(std::string_view what) { throw std::invalid_argument("tunekit: " + std::string(what)); }

TUNEKIT_INLINE void invalid(std::initializer_list<std::string_view> parts)
{
    std::string what = "tunekit: ";
    for (const std::string_view part : parts) what += part;
    throw std::invalid_argument(what);
}

}  // namespace tunekit
#endif  // TUNEKIT_BODIES
