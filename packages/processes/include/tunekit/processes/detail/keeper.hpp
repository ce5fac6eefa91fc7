// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parent process of one worker.

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

#include "tunekit/processes/detail/descent.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/system/confinement.hpp"
#include "tunekit/processes/detail/worker.hpp"
#include "tunekit/processes/guarded_buffer.hpp"

namespace tunekit::measure::detail {

/// A message from a keeper to its zygote.
struct keeper_note {
    enum class what : std::uint8_t { begun, failed, ended };
    what news = what::begun;
    pid_t worker = -1;  ///< its number for the keeper
    int value = 0;      ///< errno, or the status that waitpid gives
};

/// The namespaces of a keeper.
enum class enclosure : std::uint8_t {
    none,        ///< those of its zygote
    namespaced,  ///< a PID namespace of its own: nothing outside can be addressed, and all in it ends with the keeper
    user_namespaced  ///< the same, in a user namespace, for users other than root
};

/// Forks, into a PID namespace where `what` says so, and into a namespace without a network where it is `confined`.
/// Returns what fork returns.
inline pid_t fork_into(enclosure what, bool confined = false) noexcept
{
    if (what == enclosure::none) return system::detail::fork_into(0);
    constexpr unsigned long new_user = 0x10000000;  // CLONE_NEWUSER and others: in <sched.h> for GNU alone
    constexpr unsigned long new_pid = 0x20000000, new_net = 0x40000000;
    return system::detail::fork_into(new_pid | (what == enclosure::user_namespaced ? new_user : 0) |
                                     (confined ? new_net : 0));
}

/// Gives this process, the first of a user namespace, the user and group that it had outside.
inline bool stay_who_it_is(uid_t user, gid_t group) noexcept
{
    const auto put = [](const char* name, const char* format, unsigned id) {
        const descriptor file(::open(name, O_WRONLY | O_CLOEXEC));
        return file && ::dprintf(file.get(), format, id, id) > 0;
    };
    return put("/proc/self/setgroups", "deny", 0) && put("/proc/self/uid_map", "%u %u 1", user) &&
           put("/proc/self/gid_map", "%u %u 1", group);
}

/// Whether this system gives PID namespaces to this process, and for `confined` also the rest that confines.
inline bool can_enclose(bool confined = false) noexcept
{
    for (const enclosure what : {enclosure::namespaced, enclosure::user_namespaced}) {
        const pid_t child = fork_into(what, confined);
        if (child == 0) end_process(confined && !system::detail::refuse_calls() ? 1 : 0);
        if (child < 0) continue;
        int status = 0;
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        return status == 0;
    }
    return false;
}

/// Forks one worker and stays its parent. It reports how the worker ended, adopts the processes that it leaves, and
/// ends all of them where its own parent ends. It runs no candidate, and has nothing that a zygote could not replace.
/// So a candidate that kills its keeper ends only itself.
class keeper {
public:
    /// `own` are canaries that the parent cannot see.
    keeper(work_ref work, std::size_t memory_bytes, std::span<const canary> own, enclosure inside,
           bool confined) noexcept
        : work_(work), memory_bytes_(memory_bytes), own_(own), inside_(inside), confined_(confined)
    {
    }

    /// Runs in a process that was forked by `fork_into`. The worker uses descriptor `talk`. Notes go to `report`.
    /// Precondition: every signal is blocked.
    [[noreturn]] void run(pid_t zygote, uid_t user, gid_t group, int talk, int report) noexcept
    {
        adopt_descent();
        if (inside_ == enclosure::none) {
            die_with(zygote, SIGCONT);  // which a stopped process hears, too
        } else {
            system::detail::end_with_parent(SIGKILL);  // the namespace ends with this process
        }
        const bool held = (inside_ != enclosure::user_namespaced || stay_who_it_is(user, group)) &&
                          (!confined_ || system::detail::refuse_calls());
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
        system::detail::awaited_signals news;  // of the zygote's end, too; a SIGTERM is ignored
        for (;;) {
            for (;;) {
                int status = 0;
                const pid_t ended = ::waitpid(-1, &status, WNOHANG | system::detail::all_children);
                if (ended <= 0) break;
                if (WIFSTOPPED(status)) {  // it asked to be traced; whoever is not gets the signal itself
                    system::detail::go_on_untraced(ended, WSTOPSIG(status));
                    continue;
                }
                if (ended != child) continue;
                note = {.news = keeper_note::what::ended, .worker = child, .value = status};
                if (!send_packet(3, &note, sizeof note)) leave();
            }
            if (inside_ == enclosure::none && ::getppid() != zygote) leave();
            news.await();
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

/// Stays the parent of `runner`, which runs programs, until it ends: wakes it where a program has stopped it, and
/// adopts what it leaves. All of that ends with the runner, with `tuner`, the parent of this process, and at a SIGTERM.
/// Precondition: adopt_descent() was called before the fork of the runner, and every signal is blocked.
[[noreturn]] inline void keep_runner(pid_t runner, pid_t tuner) noexcept
{
    constexpr int most_stops = 50;  // a program that stops its runner again and again holds up the tuner
    system::detail::awaited_signals news;
    for (int stops = 0;;) {
        siginfo_t info{};
        if (::waitid(P_PID, static_cast<id_t>(runner), &info, WEXITED | WSTOPPED | WNOHANG) == 0 &&
            info.si_pid == runner) {
            if (info.si_code != CLD_STOPPED || ++stops > most_stops) break;
            ::kill(runner, SIGCONT);
            continue;
        }
        if (::getppid() != tuner || news.await()) break;
    }
    end_descent();
    end_process(0);
}

}  // namespace tunekit::measure::detail
