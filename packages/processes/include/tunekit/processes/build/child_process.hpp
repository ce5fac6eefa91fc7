// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A child process whose output is gathered, and which can be ended: a compiler, or a function that may crash.

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/child.hpp"
#include "tunekit/processes/detail/descent.hpp"

namespace tunekit::measure {

/// A process started from a program or forked for a function, in a process group of its own. It reads nothing. Of its
/// output and messages 1 MiB is kept: of a longer text the first and the last half. Move-only. The destructor ends it.
///
///     child_process child([] { return ask_a_library_that_may_crash(); });
///     if (!child.await(10)) throw error("the library has not answered for 10 s");
///     if (child.status() == 0) use(child.text());
///
/// It ends with this process. Its process group ends with it.
///
/// Errors:     tunekit::error where the system starts no process.
/// Threads:    one object is for one thread at a time. A function needs a process in which no other thread holds what
///             it uses.
class child_process {
public:
    /// Starts `command[0]` with the arguments that follow, on the processors `cores` (empty: any). Its temporary files
    /// go to `scratch`. A shell waits for its end and for the end of this process, with which the whole group ends; no
    /// argument passes through the shell as text.
    child_process(const std::vector<std::string>& command, const std::string& scratch, std::span<const int> cores = {})
    {
        const detail::descriptor theirs = listen();
        auto [until, life] = detail::pipe_for_child();
        if (!until) refuse("no pipe");
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

    /// Forks. `work()` gives the exit status; what it throws is a message and the status 126. The child has no
    /// descriptor of this process but those of its output.
    template <class Work>
    explicit child_process(Work&& work)
        requires std::is_invocable_r_v<int, Work&>
    {
        const detail::descriptor theirs = listen();
        const pid_t self = ::getpid();
        const pid_t pid = ::fork();
        if (pid < 0) refuse("no child process");
        if (pid == 0) run(work, self, theirs.get());
        ::setpgid(pid, pid);  // in both processes, because either may be first
        process_ = detail::child(pid);
    }

    /// Reads the output so far; true once the process has ended.
    bool advance()
    {
        const bool over = process_.ended();  // before reading, so that its last output is read too
        output_.hear();
        return over;
    }

    /// Waits for its end or until `enough()`, at most `seconds`; false where neither has come by then.
    template <class Enough = std::false_type>
    [[nodiscard]] bool await(double seconds, const Enough& enough = {})
    {
        const wall_clock now;
        const double deadline = now() + seconds;
        while (!advance() && !enough()) {
            const double moment = now();
            if (moment >= deadline) return false;
            detail::poll_set events;
            if (news() >= 0) events.add(news());
            events.by(news() >= 0 ? (std::min)(deadline, moment + 0.1) : moment + 1e-3);
            events.wait(moment);
        }
        return true;
    }

    /// Kills it and its group, where it has not ended.
    void end() noexcept { process_.end(); }
    /// Sends it and its group a signal, where it has not ended.
    void signal(int which) const noexcept { process_.kill(which); }

    /// The descriptor to poll for news; -1 where the process has closed its output and only its end is awaited.
    [[nodiscard]] int news() const noexcept { return output_.news(); }
    /// What it has written so far.
    [[nodiscard]] std::string text() const { return output_.text(); }
    /// The status, as waitpid gives it, once it has ended.
    [[nodiscard]] int status() const noexcept { return process_.status(); }

private:
    [[noreturn]] static void refuse(const char* what)
    {
        throw error(std::string("child_process: ") + what + ": " + std::strerror(errno));
    }

    /// Opens the pipe and returns the child's end.
    detail::descriptor listen()
    {
        detail::descriptor theirs = output_.open(true);
        if (!theirs) refuse("no pipe");
        return theirs;
    }

    template <class Work>
    [[noreturn]] static void run(Work& work, pid_t parent, int output) noexcept
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
            status = work();
        } catch (const std::exception& e) {
            ::dprintf(2, "error: %s\n", e.what());
        } catch (...) {
            ::dprintf(2, "error: something other than a std::exception was thrown\n");
        }
        detail::end_descent();
        detail::end_process(status);
    }

    detail::heard_text output_{std::size_t{1} << 20};
    detail::descriptor life_;  ///< the shell waits for the end of this pipe, which ends with this process
    detail::child process_;
};

}  // namespace tunekit::measure
