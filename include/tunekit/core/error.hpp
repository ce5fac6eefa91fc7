// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How tunekit reports what a caller can mend: one line that names the thing and the remedy.

#include <stdexcept>
#include <string>
#include <string_view>

#include "tunekit/core/config.hpp"

namespace tunekit {

/// Something outside the caller's parameters went wrong: a log that does not fit, a child that cannot be started.
struct error : std::runtime_error {
    /// `what` is a sentence without the library's name, which is put before it.
    explicit error(std::string_view what) : std::runtime_error("tunekit: " + std::string(what)) {}
};

/// A computation has no usable answer (a matrix that is not positive definite after the last remedy).
struct numerical_error : error {
    using error::error;
};

/// Throws std::invalid_argument("tunekit: <what>"); `what` reads `<entity>: <what it is>, want <what>`.
[[noreturn]] inline void invalid(std::string_view what)
{
    throw std::invalid_argument("tunekit: " + std::string(what));
}

/// Throws std::invalid_argument("tunekit: <what>") unless `good`.
inline void require(bool good, std::string_view what)
{
    if (!good) invalid(what);
}

}  // namespace tunekit
