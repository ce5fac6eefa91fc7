// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Whether a stream is a terminal, and how wide it is.

#include <cstddef>
#include <cstdio>

#include "tunekit/core/detail/system.hpp"

#if TUNEKIT_ON_WINDOWS
#include <io.h>
#else
#include <sys/ioctl.h>
#include <unistd.h>
#endif

namespace tunekit::system {

/// Whether somebody looks at the stream: it is a terminal.
[[nodiscard]] inline bool is_terminal(std::FILE* stream) noexcept
{
#if TUNEKIT_ON_WINDOWS
    return ::_isatty(::_fileno(stream)) != 0;
#else
    return ::isatty(::fileno(stream)) != 0;
#endif
}

/// The characters of a line; 0 where the system does not say.
[[nodiscard]] inline std::size_t terminal_columns(std::FILE* stream) noexcept
{
#if TUNEKIT_ON_WINDOWS
    (void)stream;
    return 0;
#else
    winsize size{};
    return ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : std::size_t{0};
#endif
}

}  // namespace tunekit::system
