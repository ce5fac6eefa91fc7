// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/keeper.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "tunekit/processes/detail/descent.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/system/confinement.hpp"

namespace tunekit::measure::detail {

pid_t fork_into(enclosure what, bool confined) noexcept
{
    if (what == enclosure::none) return system::detail::fork_into(0);
    constexpr unsigned long new_user = 0x10000000;  // CLONE_NEWUSER and others: in <sched.h> for GNU alone
    constexpr unsigned long new_pid = 0x20000000, new_net = 0x40000000;
    return system::detail::fork_into(new_pid | (what == enclosure::user_namespaced ? new_user : 0) |
                                     (confined ? new_net : 0));
}

namespace {

/// Gives this process, the first of a user namespace, the user and group that it had outside.
bool stay_who_it_is(uid_t user, gid_t group) noexcept
{
    const auto put = [](const char* name, const char* format, unsigned id) {
        const descriptor file(::open(name, O_WRONLY | O_CLOEXEC));
        return file && ::dprintf(file.get(), format, id, id) > 0;
    };
    return put("/proc/self/setgroups", "deny", 0) && put("/proc/self/uid_map", "%u %u 1", user) &&
           put("/proc/self/gid_map", "%u %u 1", group);
}

[[noreturn]] void end_kept()
{
    end_descent();
    end_process(0);
}

}  // namespace

bool can_enclose(bool confined) noexcept
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

void run_keeper(const kept_work& what, pid_t zygote, uid_t user, gid_t group, int talk, int report) noexcept
{
    adopt_descent();
    if (what.inside == enclosure::none) {
        die_with(zygote, SIGCONT);  // which a stopped process hears, too
    } else {
        system::detail::end_with_parent(SIGKILL);  // the namespace ends with this process
    }
    const bool held = (what.inside != enclosure::user_namespaced || stay_who_it_is(user, group)) &&
                      (!what.confined || system::detail::refuse_calls());
    const pid_t self = ::getpid();
    const pid_t child = held ? ::fork() : -1;
    if (child == 0) {
        ::setpgid(0, 0);
        die_with(self);
        reset_signals();
        if (!close_all_but(talk)) end_process(status_unheard);
        limit_memory(what.memory_bytes);
        obey(what.work, what.own);
    }
    keeper_note note{.news = child < 0 ? keeper_note::what::failed : keeper_note::what::begun,
                     .worker = child,
                     .value = child < 0 ? errno : 0};
    if (child > 0) ::setpgid(child, child);
    if (!send_packet(report, &note, sizeof note) || child < 0 || !close_all_but(report)) end_kept();
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
            if (!send_packet(3, &note, sizeof note)) end_kept();
        }
        if (what.inside == enclosure::none && ::getppid() != zygote) end_kept();
        news.await();
    }
}

void keep_runner(pid_t runner, pid_t tuner) noexcept
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
    end_kept();
}

}  // namespace tunekit::measure::detail
