// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The state of a process that a candidate can change unnoticed.

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cfenv>
#include <climits>

#include "tunekit/processes/detail/process.hpp"

namespace tunekit::measure::detail {

/// The state in which every candidate finds its worker: that of this process when this object was made. Signals do what
/// they do in a new process, except those that nobody sends here.
class process_state {
public:
    process_state() noexcept
    {
        std::fegetenv(&arithmetic_);
        if (::getcwd(directory_, sizeof directory_) == nullptr) directory_[0] = '\0';
        mask_ = ::umask(077);
        ::umask(mask_);
        nice_ = priority();
    }

    /// Restores rounding, flushing to zero and traps; signals and timers; working directory and umask.
    void restore() const noexcept
    {
        std::fesetenv(&arithmetic_);
        unblock_signals();
        for (const int s : disturbing) plain_signal(s);
        const itimerval never{};
        for (const auto timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) ::setitimer(timer, &never, nullptr);
        if (directory_[0] != '\0' && ::chdir(directory_) != 0) return;  // the directory does not exist any more
        ::umask(mask_);
    }

    /// Whether something changed that is not restored: children, the priority or class of scheduling, processors. Also
    /// true in a child of the process in which this object was made: a candidate that forks may return in both.
    [[nodiscard]] bool changed() const noexcept
    {
        siginfo_t info{};
        const bool childless =
            ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | system::detail::all_children) != 0;
        return !childless || ::getpid() != self_ || priority() != nice_ || place_.differs(system::detail::placement());
    }

private:
    /// Signals that a process gets for its own actions, or may send to itself. No timer is left that could send others.
    static constexpr int disturbing[] = {SIGILL,  SIGTRAP, SIGABRT, SIGBUS,  SIGFPE, SIGSEGV, SIGSYS,
                                         SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2, SIGINT, SIGTERM, SIGXCPU};

    static int priority() noexcept { return ::getpriority(PRIO_PROCESS, 0); }

    pid_t self_ = ::getpid();
    std::fenv_t arithmetic_{};
    char directory_[PATH_MAX];
    mode_t mask_ = 0;
    int nice_ = 0;
    system::detail::placement place_;
};

}  // namespace tunekit::measure::detail
