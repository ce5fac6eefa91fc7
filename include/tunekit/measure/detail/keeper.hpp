// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parent of one worker: what a candidate finds above itself.

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

#include "tunekit/measure/detail/confinement.hpp"
#include "tunekit/measure/detail/descent.hpp"
#include "tunekit/measure/detail/process.hpp"
#include "tunekit/measure/detail/worker.hpp"
#include "tunekit/measure/guarded_buffer.hpp"

namespace tunekit::measure::detail {

/// What a keeper says to its zygote.
struct keeper_note {
    enum class what : std::uint8_t { begun, failed, ended };
    what news = what::begun;
    pid_t worker = -1;  ///< as the keeper sees it
    int value = 0;      ///< errno, or the status that waitpid gives
};

/// How a keeper sees the system.
enum class enclosure : std::uint8_t {
    none,            ///< as its zygote does
    namespaced,      ///< as the first process of a PID namespace: nothing outside can be named, and all ends with it
    user_namespaced  ///< the same, in a user namespace, for who is not root
};

/// Forks, into a PID namespace where that is asked for, and one without a network where it is to be `confined`, too. As fork.
inline pid_t fork_into(enclosure what, bool confined = false) noexcept
{
    if (what == enclosure::none) return ::fork();
    constexpr unsigned long new_user = 0x10000000;  // CLONE_NEWUSER and others: in <sched.h> for GNU alone
    constexpr unsigned long new_pid = 0x20000000, new_net = 0x40000000;
    const unsigned long flags =
        new_pid | (what == enclosure::user_namespaced ? new_user : 0) | (confined ? new_net : 0) | SIGCHLD;
    return static_cast<pid_t>(::syscall(SYS_clone, flags, 0UL, 0UL, 0UL, 0UL));
}

/// Has this process, the first of a user namespace, be who it was outside.
inline bool stay_who_it_is(uid_t user, gid_t group) noexcept
{
    const auto put = [](const char* name, const char* format, unsigned id) {
        const descriptor file(::open(name, O_WRONLY | O_CLOEXEC));
        return file && ::dprintf(file.get(), format, id, id) > 0;
    };
    return put("/proc/self/setgroups", "deny", 0) && put("/proc/self/uid_map", "%u %u 1", user) &&
           put("/proc/self/gid_map", "%u %u 1", group);
}

/// Whether this system gives PID namespaces to this process, and all that confines besides.
inline bool can_enclose(bool confined = false) noexcept
{
    for (const enclosure what : {enclosure::namespaced, enclosure::user_namespaced}) {
        const pid_t child = fork_into(what, confined);
        if (child == 0) end_process(confined && !refuse_calls() ? 1 : 0);
        if (child < 0) continue;
        int status = 0;
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        return status == 0;
    }
    return false;
}

/// Forks one worker and stays its parent: says how it ended, adopts what it leaves, and takes all of it along where its own
/// parent goes. It runs no candidate, and holds nothing that a zygote could not replace, so a candidate that kills it has
/// ended itself alone.
class keeper {
public:
    /// `own`: canaries that the parent cannot see.
    keeper(work_ref work, std::size_t memory_bytes, std::span<const canary> own, enclosure inside,
           bool confined) noexcept
        : work_(work), memory_bytes_(memory_bytes), own_(own), inside_(inside), confined_(confined)
    {
    }

    /// In a process that was forked by `fork_into`. The worker talks on descriptor `talk`; notes go to `report`. Every
    /// signal is blocked.
    [[noreturn]] void run(pid_t zygote, uid_t user, gid_t group, int talk, int report)
    {
        adopt_descent();
        if (inside_ == enclosure::none) {
            die_with(zygote, SIGTERM);
        } else {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // and the namespace with it
        }
        const bool held =
            (inside_ != enclosure::user_namespaced || stay_who_it_is(user, group)) && (!confined_ || refuse_calls());
        const pid_t self = ::getpid();
        const pid_t child = held ? ::fork() : -1;
        if (child == 0) {
            ::setpgid(0, 0);
            die_with(self);
            reset_signals();
            if (!close_all_but(talk)) end_process(status_unheard);
            limit_memory(memory_bytes_);
            obey(work_, own_);
        }
        keeper_note note{.news = child < 0 ? keeper_note::what::failed : keeper_note::what::begun,
                         .worker = child,
                         .value = child < 0 ? errno : 0};
        if (child > 0) ::setpgid(child, child);
        if (!send_packet(report, &note, sizeof note) || child < 0 || !close_all_but(report)) leave();
        sigset_t heard;
        ::sigemptyset(&heard);
        ::sigaddset(&heard, SIGCHLD);
        ::sigaddset(&heard, SIGTERM);  // sent by the system where the zygote ended; of anybody else it says nothing
        for (;;) {
            for (;;) {
                int status = 0;
                const pid_t ended = ::waitpid(-1, &status, WNOHANG | __WALL);
                if (ended <= 0) break;
                if (ended != child) continue;
                note = {.news = keeper_note::what::ended, .worker = child, .value = status};
                if (!send_packet(3, &note, sizeof note)) leave();
            }
            if (inside_ == enclosure::none && ::getppid() != zygote) leave();
            ::sigwaitinfo(&heard, nullptr);
        }
    }

private:
    [[noreturn]] static void leave()
    {
        end_descent();
        end_process(0);
    }

    work_ref work_;
    std::size_t memory_bytes_;
    std::span<const canary> own_;
    enclosure inside_;
    bool confined_;
};

}  // namespace tunekit::measure::detail
