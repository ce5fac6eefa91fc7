// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Programs that end well: SIGINT and SIGTERM are noted, and what was found is printed before they take effect.

#include <csignal>

namespace programs {

namespace detail {
inline volatile std::sig_atomic_t noted_signal = 0;
}

/// Has SIGINT and SIGTERM noted once; a second one ends the program at once.
inline void note_stop_signals()
{
    struct sigaction how{};
    how.sa_handler = [](int signal) { detail::noted_signal = signal; };
    how.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigemptyset(&how.sa_mask);
    ::sigaction(SIGINT, &how, nullptr);
    ::sigaction(SIGTERM, &how, nullptr);
}

/// The signal that was noted; 0 for none.
[[nodiscard]] inline int stop_signal() noexcept { return detail::noted_signal; }

}  // namespace programs
