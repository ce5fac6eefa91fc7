// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Whether a stream is a terminal, and how wide it is.

#include <cstddef>
#include <cstdio>
#include <optional>

#include "tunekit/core/detail/system.hpp"

#if TUNEKIT_ON_WINDOWS
#include <io.h>
#else
#include <sys/ioctl.h>
#include <unistd.h>
#endif

namespace tunekit::system {

/// The characters of a line of the terminal that the stream is; 0 where the system does not say, and nothing where it
/// is no terminal.
[[nodiscard]] inline std::optional<std::size_t> terminal_columns(std::FILE* stream) noexcept
{
#if TUNEKIT_ON_WINDOWS
    if (::_isatty(::_fileno(stream)) == 0) return std::nullopt;
    return 0;
#else
    winsize size{};
    if (::isatty(::fileno(stream)) == 0) return std::nullopt;
    return ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : std::size_t{0};
#endif
}

}  // namespace tunekit::system
