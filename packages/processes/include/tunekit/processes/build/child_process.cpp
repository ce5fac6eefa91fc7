// SPDX-License-Identifier: MIT
#include "tunekit/processes/build/child_process.hpp"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/descent.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/system/processes.hpp"

namespace tunekit::measure {

namespace {

[[noreturn]] void no_process(const char* what)
{
    throw error(std::string("child_process: ") + what + ": " + std::strerror(errno));
}

/// Runs in the child.
[[noreturn]] void be_child(const void* work, int (*run)(const void*), pid_t parent, int output) noexcept
{
    ::setpgid(0, 0);
    detail::die_with(parent);
    detail::reset_signals();
    if (!detail::close_all_but(output) || ::dup2(3, 1) < 0 || ::dup2(3, 2) < 0) detail::end_process(127);
    ::close(3);
    detail::limit_memory(0);
    detail::adopt_descent();
    system::detail::forget_unwritten(stdout);  // what this process had not printed yet is no word of the child
    int status = 126;
    try {
        status = run(work);
    } catch (const std::exception& e) {
        ::dprintf(2, "error: %s\n", e.what());
    } catch (...) {
        ::dprintf(2, "error: something other than a std::exception was thrown\n");
    }
    detail::end_descent();
    detail::end_process(status);
}

}  // namespace

child_process::child_process(const std::vector<std::string>& command, const std::string& scratch,
                             std::span<const int> cores)
{
    const detail::descriptor theirs = listen();
    auto [until, life] = detail::pipe_for_child();
    if (!until) no_process("no pipe");
    life_ = std::move(life);
    // The shell passes on a signal that ended the program.
    constexpr const char* script =
        R"sh("$@" 3<&- & c=$!; { read -r x; kill -9 0; } <&3 >&- 2>&- & exec 3<&- 2>/dev/null; wait $c; s=$?; )sh"
        R"sh([ $s -le 128 ] || kill -$((s - 128)) $$; exit $s)sh";
    detail::command_line what{.arguments = {"sh", "-c", script, "sh"},
                              .environment = {{"TMPDIR", scratch}, {"LC_ALL", "C"}}};
    what.arguments.insert(what.arguments.end(), command.begin(), command.end());
    detail::exec_words words(what);
    const std::vector<int> before = cores.empty() ? std::vector<int>() : detail::allowed_cores();
    if (!detail::use_cores(cores))
        throw error("child_process: this process may not use these cores, want some that it may");
    pid_t pid = -1;
    const int failed =
        detail::spawn(pid, "/bin/sh", words, std::vector<int>{-1, theirs.get(), theirs.get(), until.get()});
    detail::use_cores(before);  // posix_spawn cannot set them, so the child inherited those of this thread
    if (failed != 0) throw error(std::string("child_process: cannot start /bin/sh: ") + std::strerror(failed));
    process_ = detail::child(pid);
}

child_process::child_process(const void* work, int (*run)(const void* work))
{
    const detail::descriptor theirs = listen();
    const pid_t self = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) no_process("no child process");
    if (pid == 0) be_child(work, run, self, theirs.get());
    ::setpgid(pid, pid);  // in both processes, because either may be first
    process_ = detail::child(pid);
}

bool child_process::advance()
{
    const bool over = process_.ended();  // before reading, so that its last output is read too
    output_.hear();
    return over;
}

bool child_process::await(double seconds, const void* condition, bool (*holds)(const void* condition))
{
    const wall_clock now;
    const double deadline = now() + seconds;
    while (!advance() && !holds(condition)) {
        const double moment = now();
        if (moment >= deadline) return false;
        detail::poll_set events;
        if (news() >= 0) events.add(news());
        events.by(news() >= 0 ? (std::min)(deadline, moment + 0.1) : moment + 1e-3);
        events.wait(moment);
    }
    return true;
}

detail::descriptor child_process::listen()
{
    detail::descriptor theirs = output_.open(true);
    if (!theirs) no_process("no pipe");
    return theirs;
}

}  // namespace tunekit::measure
