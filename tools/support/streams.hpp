// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Writing to who may read no more: no write waits for ever.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <string_view>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/stop_on_signal.hpp"

namespace programs {

/// Whether the end of this program was asked for.
inline bool end_asked() { return tunekit::stop_on_signal::heard() != 0; }

/// Writes all of `text` to a descriptor. It waits for room there, but not once `ended()`. False, with errno, where not all of it
/// got out: EINTR says that it was ended.
template <std::predicate Ended>
bool put(int to, std::string_view text, Ended&& ended)
{
    constexpr std::size_t piece = 512;  // a pipe that has room has room for so much (POSIX: PIPE_BUF is no less)
    while (!text.empty()) {
        pollfd room{to, POLLOUT, 0};
        if (::poll(&room, 1, 100) <= 0) {
            if (!ended()) continue;
            errno = EINTR;
            return false;
        }
        const ssize_t n = ::write(to, text.data(), (std::min)(text.size(), piece));
        if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
        if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

/// To be called before anything is printed or written. What is printed is collected until `check_output`, so that nothing waits
/// for its reader before. A file that meets a limit of file sizes is told by its write.
inline void prepare_output()
{
    ::signal(SIGXFSZ, SIG_IGN);
    static char room[1 << 20];
    std::setvbuf(stdout, room, _IOFBF, sizeof room);
}

/// Throws tunekit::error where something that was printed did not get out: on a full disk, to a closed descriptor, or since the
/// end was asked for and nobody reads.
inline void check_output()
{
    pollfd room{STDOUT_FILENO, POLLOUT, 0};
    const bool stuck = end_asked() && ::poll(&room, 1, 500) == 0;
    if (!stuck && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
    const int nobody = ::open("/dev/null", O_WRONLY);  // the end of the program tries again, and would wait there
    if (nobody >= 0) ::dup2(nobody, STDOUT_FILENO);
    throw tunekit::error("standard output cannot be written in full, want room for it");
}

/// The same for the result of a run. The exit status where it could not be had, that of a signal or 2, after a line to `say`;
/// else 0. A reader that left needs no line.
template <class Say>
int output_status(Say&& say)
{
    try {
        check_output();
        return 0;
    } catch (const tunekit::error& e) {
        const int signal = tunekit::stop_on_signal::heard();
        if (signal != SIGPIPE) say(e.what());
        return signal != 0 ? tunekit::stop_on_signal::status() : 2;
    }
}

}  // namespace programs
