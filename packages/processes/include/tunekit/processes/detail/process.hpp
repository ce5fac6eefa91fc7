// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The POSIX calls that isolation uses, with their errors handled in one place.

#include "tunekit/processes/detail/system/processes.hpp"  // first: it says what is wanted where a system forks nothing

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit::measure::detail {

using core::detail::sanitized;
using system::detail::adopt_descent;
using system::detail::allowed_cores;
using system::detail::close_from_4;
using system::detail::descriptor;
using system::detail::each_number_in;
using system::detail::end_process;
using system::detail::memory_of;
using system::detail::receive_now;
using system::detail::received;
using system::detail::send_packet;
using system::detail::socket_pair;
using system::detail::thread_count;
using system::detail::use_cores;

/// Whether the errno `why` is no configuration's fault: the system or the disk has no more to give, and the next would
/// fail too.
constexpr bool is_scarcity(int why) noexcept
{
    return why == ENOSPC || why == EDQUOT || why == EROFS || why == EIO || why == EMFILE || why == ENFILE ||
           why == ENOMEM || why == EAGAIN;
}

/// What to do where the system refuses a resource, as the end of a message; empty where nothing helps.
inline const char* remedy_of(int why) noexcept
{
    return why == EMFILE || why == ENFILE   ? "; want more descriptors (ulimit -n)"
           : why == EAGAIN                  ? "; want room for more processes (ulimit -u)"
           : why == ENOMEM                  ? "; want more memory"
           : why == ENOSPC || why == EDQUOT ? "; want room there, or TMPDIR and the folder of builds elsewhere"
                                            : "";
}

/// Writes a file with the content `text`. False, with errno, where it cannot be written whole.
inline bool wrote_file(const std::string& name, std::string_view text, mode_t mode) noexcept
{
    const descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    if (!file) return false;
    while (!text.empty()) {
        const ssize_t put = ::write(file.get(), text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

/// Waits for one packet. Returns its length; 0 at the end of the conversation.
inline std::size_t receive_packet(int from, void* bytes, std::size_t room) noexcept
{
    for (;;) {
        std::size_t size = 0;
        switch (receive_now(from, bytes, room, size, nullptr, true)) {
            case received::packet:
                return size;
            case received::end:
                return 0;
            case received::nothing_yet:
                break;
        }
        pollfd event{from, POLLIN, 0};
        if (::poll(&event, 1, -1) < 0 && errno != EINTR) return 0;
    }
}

/// What several conversations wait for: descriptors with something to read, and a moment.
struct poll_set {
    core::plain_vector<pollfd> events{};
    double until = std::numeric_limits<double>::infinity();

    void add(int fd) { events.push_back({fd, POLLIN, 0}); }
    void by(double moment) { until = (std::min)(until, moment); }

    /// Waits for the first of them. `now` is the time on the clock of the moments.
    void wait(double now)
    {
        const double left = 1e3 * (until - now);
        const int milliseconds = left > 1e9 ? 1000000000 : left > 0 ? static_cast<int>(left) + 1 : 0;
        ::poll(events.data(), static_cast<nfds_t>(events.size()), milliseconds);
    }
};

/// Makes `keep` descriptor 3, makes 0 to 2 the null device, and closes every other one. True on success. Else errno
/// says why, and descriptor 3 is `keep` all the same where that was possible. It needs five descriptors.
inline bool close_all_but(int keep) noexcept
{
    if (::dup2(keep, 3) < 0 || !close_from_4()) return false;
    const int null = ::open("/dev/null", O_RDWR);
    if (null < 0) return false;
    for (const int fd : {0, 1, 2})
        if (::dup2(null, fd) < 0) return false;
    if (null > 3) ::close(null);
    return true;
}

/// Makes `signal` do what it does in a new process.
inline void plain_signal(int signal) noexcept
{
    struct sigaction plain{};
    plain.sa_handler = SIG_DFL;
    ::sigaction(signal, &plain, nullptr);
}

inline void unblock_signals() noexcept
{
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Makes every signal do what it does in a new process, and blocks none.
inline void reset_signals() noexcept
{
    for (int s = 1; s < NSIG; ++s) plain_signal(s);
    unblock_signals();
}

/// Asks the system to send `signal` to this process when the thread that forked it ends, where it can be asked for
/// that. Where `parent` has already ended, this process ends at once.
inline void die_with(pid_t parent, int signal = SIGKILL) noexcept
{
    system::detail::end_with_parent(signal);
    if (::getppid() != parent) end_process(0);
}

/// Forbids core files, and limits the address space to `more` bytes beyond what is mapped now (0: no limit).
inline void limit_memory(std::size_t more) noexcept
{
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const std::size_t now = memory_of(0, 0);  // in a PID namespace, the number of getpid() is another process in /proc
    if (more == 0 || now == 0) return;
    const rlimit space{now + more, now + more};
    ::setrlimit(RLIMIT_AS, &space);
}

/// A number for messages: 0.5, 64, 1e+09.
inline std::string short_number(double x)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
}

/// A signal's name and meaning, such as "SIGSEGV, touched memory that it may not".
inline std::string signal_text(int signal)
{
    switch (signal) {
        case SIGSEGV:
            return "SIGSEGV, touched memory that it may not";
        case SIGBUS:
            return "SIGBUS, touched memory that is not there";
        case SIGFPE:
            return "SIGFPE, arithmetic without a result";
        case SIGILL:
            return "SIGILL, an instruction that this machine does not have";
        case SIGABRT:
            return "SIGABRT, abort or an exception that nobody caught";
        case SIGKILL:
            return "SIGKILL, from outside";
        case SIGTRAP:
            return "SIGTRAP, a trap";
        case SIGXCPU:
            return "SIGXCPU, too much processor time";
        default:
            return "signal " + std::to_string(signal);
    }
}

}  // namespace tunekit::measure::detail
