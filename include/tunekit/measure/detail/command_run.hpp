// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One run of a command, with limits. Its output is read to the end, and whatever it started ends with it.

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/detail/descent.hpp"
#include "tunekit/measure/detail/process.hpp"
#include "tunekit/measure/program/finished_run.hpp"

namespace tunekit::measure::detail {

/// The error that the system has no resources for a run. It is not the command's fault, and the next run would fail too.
struct no_resources : std::runtime_error {
    no_resources(const char* what, int why)
        : std::runtime_error(std::string("program: ") + what + ": " + std::strerror(why) +
                             (why == EMFILE || why == ENFILE ? "; want more descriptors (ulimit -n)"
                              : why == EAGAIN                ? "; want room for more processes (ulimit -u)"
                              : why == ENOMEM                ? "; want more memory"
                                                             : ""))
    {
    }
};

/// What is started, and where. No shell sees any of it.
struct command_line {
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment{};  ///< in addition to the present variables
    std::string directory{};                                         ///< empty: where this process runs
};

/// The limits of a run.
struct command_limits {
    double wall_seconds = std::numeric_limits<double>::infinity();
    double cpu_seconds = std::numeric_limits<double>::infinity();  ///< of each of its processes
    std::size_t memory_bytes = 0;                     ///< address space of each of its processes; 0: no limit
    std::size_t output_bytes = std::size_t{1} << 20;  ///< kept of each text
};

/// The first and the last part of a text that may be much longer than what is kept.
class bounded_text {
public:
    explicit bounded_text(std::size_t bytes) : half_(bytes / 2 + 1) {}

    void add(std::string_view more)
    {
        const std::size_t first = (std::min)(half_ - head_.size(), more.size());
        head_ += more.substr(0, first);
        more.remove_prefix(first);
        total_ += more.size();
        tail_ += more;
        if (tail_.size() > 4 * half_) tail_.erase(0, tail_.size() - half_);
    }
    [[nodiscard]] bool cut() const noexcept { return total_ > half_; }
    [[nodiscard]] std::string text() const
    {
        if (!cut()) return head_ + tail_;
        return head_ + "\n[" + std::to_string(total_ - half_) + " bytes are left out]\n" +
               tail_.substr(tail_.size() - half_);
    }

private:
    std::size_t half_;
    std::size_t total_ = 0;  ///< bytes beyond the head
    std::string head_;
    std::string tail_;
};

/// Runs commands, one after another. It needs a process that does nothing else, and that process inherits orphaned
/// descendants. So all children of the process are the command's, and all can be ended.
class command_runner {
public:
    /// `started` is set to the command's process while it runs, and to 0 without one.
    explicit command_runner(volatile pid_t* started) : started_(started)
    {
        adopt_descent();
        sigset_t heard;
        sigemptyset(&heard);
        sigaddset(&heard, SIGCHLD);
        sigaddset(&heard, SIGTERM);  // the system sends it where the parent ended
        ::sigprocmask(SIG_BLOCK, &heard, nullptr);
        signals_ = core::detail::system::signal_news::listening();
        if (signals_.fd() < 0) no_signals_ = errno;
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
    }

    /// Runs a command to its end or its limit. Throws no_resources.
    [[nodiscard]] finished_run run(const command_line& what, const command_limits& limits)
    {
        if (signals_.fd() < 0) throw no_resources("no descriptor", no_signals_);
        finished_run out;
        auto [hear_output, say_output] = pipe_ends();
        auto [hear_errors, say_errors] = pipe_ends();
        const wall_clock now;
        const int failed = start_command(what, limits, say_output.get(), say_errors.get());
        const double start = begun_;
        say_output.reset();
        say_errors.reset();
        if (failed != 0) {
            out.how = run_end::not_started;
            out.code = failed;
            return out;
        }
        bounded_text output(limits.output_bytes);
        bounded_text errors(limits.output_bytes);
        const double deadline = start + limits.wall_seconds;
        bool told = false;  // whether it was asked to end, by SIGTERM
        for (;;) {
            if (ended()) break;
            const double moment = now();
            if (moment >= deadline + (told ? grace : 0)) {
                ::kill(-child_, told ? SIGKILL : SIGTERM);  // at SIGTERM mpirun ends what it started on other machines
                if (told) break;
                told = true;
                continue;
            }
            poll_set events;
            events.add(signals_.fd());
            if (hear_output) events.add(hear_output.get());
            if (hear_errors) events.add(hear_errors.get());
            events.by(deadline + (told ? grace : 0));
            events.wait(moment);
            hear(hear_output, output);
            hear(hear_errors, errors);
        }
        out.wall_seconds = now() - start;
        reap(out, told, limits);
        hear(hear_output, output);
        hear(hear_errors, errors);
        end_descent();
        out.output = output.text();
        out.errors = errors.text();
        out.cut = output.cut();
        return out;
    }

private:
    static constexpr double most_cpu_seconds = 1e9;  ///< a limit above this is none
    static constexpr double grace = 0.3;             ///< seconds between SIGTERM and SIGKILL

    static std::pair<descriptor, descriptor> pipe_ends()
    {
        auto ends = core::detail::system::make_pipe();
        if (!ends.first) throw no_resources("no pipe", errno);
        ::fcntl(ends.first.get(), F_SETFL, O_NONBLOCK);
        return ends;
    }

    /// Starts the command. Returns 0, or errno where it cannot be started.
    int start_command(const command_line& what, const command_limits& limits, int output, int errors)
    {
        if (!what.directory.empty() && ::chdir(what.directory.c_str()) != 0) return errno;
        std::vector<char*> arguments;
        for (const std::string& a : what.arguments)
            arguments.push_back(const_cast<char*>(a.c_str()));  // exec does not write there
        arguments.push_back(nullptr);
        std::vector<std::string> own;
        for (const auto& [name, value] : what.environment) own.push_back(name + '=' + value);
        std::vector<char*> environment;
        for (std::string& e : own) environment.push_back(e.data());
        for (char** e = core::detail::system::environment(); e != nullptr && *e != nullptr; ++e) {
            bool replaced = false;
            for (const auto& [name, value] : what.environment)
                replaced = replaced || (std::string_view(*e).starts_with(name) && (*e)[name.size()] == '=');
            if (!replaced) environment.push_back(*e);
        }
        environment.push_back(nullptr);

        // Not posix_spawn: limits must hold before the command begins, because it may start others at once.
        auto [hear_trouble, say_trouble] = pipe_ends();
        const pid_t child = ::fork();
        if (child < 0) throw no_resources("no process", errno);
        if (child == 0) {
            say_trouble = descriptor(::fcntl(say_trouble.get(), F_DUPFD_CLOEXEC, 10));
            *started_ = ::getpid();  // here too: the command may end this process's parent before the parent writes it
            ::setsid();
            reset_signals();
            const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
            if (null >= 0 && ::dup2(null, 0) == 0 && ::dup2(output, 1) == 1 && ::dup2(errors, 2) == 2 && hold(limits))
                core::detail::system::become(arguments.front(), arguments.data(), environment.data());
            const int why = errno;
            static_cast<void>(!::write(say_trouble.get(), &why, sizeof why));
            ::_exit(127);
        }
        begun_ = wall_clock{}();
        child_ = child;
        *started_ = child;
        say_trouble.reset();
        ::fcntl(hear_trouble.get(), F_SETFL, 0);
        int why = 0;  // exec closes the pipe: its end without a number means that the command has started
        if (::read(hear_trouble.get(), &why, sizeof why) != sizeof why) return 0;
        ::waitpid(child, nullptr, 0);
        *started_ = child_ = 0;
        if (why == EMFILE || why == ENFILE || why == EAGAIN) throw no_resources("not started", why);
        return why;
    }

    /// Sets the limits, in the command's process, before exec.
    [[nodiscard]] static bool hold(const command_limits& limits)
    {
        const auto set = [](auto which, rlim_t soft, rlim_t hard) {
            const rlimit to{soft, hard};
            return ::setrlimit(which, &to) == 0;
        };
        if (limits.memory_bytes != 0 && !set(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes)) return false;
        const auto seconds = static_cast<rlim_t>(std::ceil((std::min)(limits.cpu_seconds, most_cpu_seconds)));
        if (limits.cpu_seconds < most_cpu_seconds && !set(RLIMIT_CPU, seconds, seconds + 1)) return false;
        const descriptor file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
        if (file)
            static_cast<void>(!::write(file.get(), "1000", 4));  // else the system may end another process for memory
        return true;
    }

    /// Whether the command's own process has ended.
    bool ended()
    {
        if (signals_.take()) leave();
        siginfo_t info{};
        return ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               info.si_pid == child_;
    }

    void reap(finished_run& out, bool told, const command_limits& limits)
    {
        ::kill(-child_, SIGKILL);  // before wait4, so that no other process has the number
        int status = 0;
        rusage used{};
        while (::wait4(child_, &status, 0, &used) < 0 && errno == EINTR) {
        }
        *started_ = 0;
        const auto seconds = [](const timeval& t) {
            return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
        };
        out.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
        out.how = WIFSIGNALED(status) ? run_end::signalled : run_end::exited;
        out.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
        const bool by_cpu = out.how == run_end::signalled && limits.cpu_seconds < most_cpu_seconds &&
                            (out.code == SIGXCPU || (out.code == SIGKILL && out.cpu_seconds >= limits.cpu_seconds));
        if (told) out.how = run_end::timed_out;
        else if (by_cpu) out.how = run_end::out_of_cpu;
    }

    static void hear(descriptor& from, bounded_text& text)
    {
        char some[16384];
        for (std::size_t heard = 0; from && heard < (std::size_t{1} << 22);) {  // bounded: a command may write forever
            const ssize_t got = ::read(from.get(), some, sizeof some);
            if (got > 0) {
                text.add({some, static_cast<std::size_t>(got)});
                heard += static_cast<std::size_t>(got);
            } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
                from.reset();
            } else if (errno == EAGAIN) {
                return;
            }
        }
    }

    /// Ends the command and this process, because the parent is gone.
    [[noreturn]] void leave()
    {
        if (child_ > 0) ::kill(-child_, SIGKILL);
        end_descent();
        ::_exit(0);
    }

    volatile pid_t* started_;
    core::detail::system::signal_news signals_;
    int no_signals_ = 0;  ///< errno where `signals_` could not be made
    pid_t child_ = 0;
    double begun_ = 0;  ///< when the command was started
};

}  // namespace tunekit::measure::detail
