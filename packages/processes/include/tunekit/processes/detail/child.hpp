// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A child process: how a program is started, how its words are gathered, and how it ends with its process group.

#include "tunekit/processes/detail/system/processes.hpp"  // first: it says what is wanted where a system forks nothing

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/detail/system.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/descent.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/system/memory.hpp"

namespace tunekit::measure::detail {

/// Throws tunekit::error where this process runs other threads, of which a fork keeps one. `want` is the remedy.
inline void refuse_threads(const char* who, const char* want)
{
    const int threads = sanitized ? 1 : thread_count();
    if (threads > 1)
        throw error(std::string(who) + ": this process runs " + std::to_string(threads) +
                    " threads, of which a fork keeps one; " + want);
}

/// What is started, and where. No shell sees any of it.
struct command_line {
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment{};  ///< in addition to the present variables
    std::string directory{};                                         ///< empty: where this process runs
};

/// The arguments and the environment of a command line in the form that exec takes. It refers to the arguments.
class exec_words {
public:
    explicit exec_words(const command_line& what)
    {
        for (const std::string& a : what.arguments)
            arguments_.push_back(const_cast<char*>(a.c_str()));  // exec does not write there
        arguments_.push_back(nullptr);
        for (const auto& [name, value] : what.environment) own_.push_back(name + '=' + value);
        for (std::string& e : own_) environment_.push_back(e.data());
        for (char** e = system::detail::environment(); e != nullptr && *e != nullptr; ++e) {
            const bool replaced = std::any_of(
                what.environment.begin(), what.environment.end(), [now = std::string_view(*e)](const auto& v) {
                    return now.starts_with(v.first) && now.substr(v.first.size()).starts_with('=');
                });
            if (!replaced) environment_.push_back(*e);
        }
        environment_.push_back(nullptr);
    }
    exec_words(const exec_words&) = delete;
    exec_words& operator=(const exec_words&) = delete;
    ~exec_words() = default;

    [[nodiscard]] char* const* arguments() const noexcept { return arguments_.data(); }
    [[nodiscard]] char** environment() noexcept { return environment_.data(); }

private:
    std::vector<std::string> own_;
    core::plain_vector<char*> arguments_, environment_;
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

/// A pipe with numbers above those that a child needs for itself; both ends empty, with errno, where the system gives
/// none.
inline std::pair<descriptor, descriptor> pipe_for_child() noexcept
{
    auto ends = system::detail::make_pipe();
    for (descriptor* const end : {&ends.first, &ends.second})
        if (*end && end->get() < 4) *end = descriptor(::fcntl(end->get(), F_DUPFD_CLOEXEC, 4));
    if (!ends.first || !ends.second) return {};
    return ends;
}

/// What a child writes into a pipe: its beginning and its end, in bounded memory. Move-only.
class heard_text {
public:
    /// Keeps that many bytes.
    explicit heard_text(std::size_t bytes) : text_(bytes) {}

    /// Opens the pipe and returns the child's end; an empty one, with errno, where the system gives none. `roomy`: a
    /// child that is heard now and then may have much to say, and need not wait.
    [[nodiscard]] descriptor open(bool roomy = false) noexcept
    {
        auto [ours, theirs] = pipe_for_child();
        from_ = std::move(ours);
        if (!from_) return {};
        ::fcntl(from_.get(), F_SETFL, O_NONBLOCK);
#ifdef F_SETPIPE_SZ
        if (roomy) ::fcntl(from_.get(), F_SETPIPE_SZ, 1 << 20);
#else
        (void)roomy;
#endif
        return std::move(theirs);
    }

    /// Reads what there is: 4 MiB at most, because a child may write forever.
    void hear()
    {
        char some[16384];
        for (std::size_t heard = 0; from_ && heard < (std::size_t{1} << 22);) {
            const std::ptrdiff_t got = ::read(from_.get(), some, sizeof some);
            if (got > 0) {
                text_.add({some, static_cast<std::size_t>(got)});
                heard += static_cast<std::size_t>(got);
            } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
                from_.reset();
            } else if (errno == EAGAIN) {
                return;
            }
        }
    }

    /// The descriptor to poll for more; -1 where the child has closed its end.
    [[nodiscard]] int news() const noexcept { return from_.get(); }
    [[nodiscard]] bool cut() const noexcept { return text_.cut(); }
    [[nodiscard]] std::string text() const { return text_.text(); }

private:
    descriptor from_;
    bounded_text text_;
};

/// Owns a child of this process: it is waited for once, and ends with its owner. Move-only; an assignment exchanges.
class child {
public:
    /// Who is killed: the child, or the process group that it leads.
    enum class reach : bool { alone, group };

    child() = default;
    explicit child(pid_t pid, reach whom = reach::group) noexcept : pid_(pid), whom_(whom) {}
    child(child&& other) noexcept { *this = std::move(other); }
    child& operator=(child&& other) noexcept
    {
        std::swap(pid_, other.pid_);
        std::swap(whom_, other.whom_);
        std::swap(status_, other.status_);
        std::swap(cpu_seconds_, other.cpu_seconds_);
        std::swap(peak_bytes_, other.peak_bytes_);
        return *this;
    }
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    ~child() { end(); }

    /// Its number; else -1, or none any more.
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    /// The status, as waitpid gives it, once it has ended. It is 0 where this program reaps children itself.
    [[nodiscard]] int status() const noexcept { return status_; }
    /// Processor time of it and of the children that it waited for, once it has ended.
    [[nodiscard]] double cpu_seconds() const noexcept { return cpu_seconds_; }
    /// The most memory that it or one of these children had, once it has ended.
    [[nodiscard]] double peak_bytes() const noexcept { return peak_bytes_; }

    /// Whether it has ended, or was never started. What its group still has ends with it.
    bool ended() noexcept { return reaped(WNOHANG); }

    /// Kills it and waits for its end.
    void end() noexcept
    {
        if (pid_ < 0) return;
        kill(SIGKILL);
        reaped(0);
    }

    /// Wakes it, where something has stopped it, and waits for its end; after `seconds` kills it with all its
    /// descendants.
    void end_within(double seconds) noexcept
    {
        const wall_clock now;
        const double deadline = now() + seconds;
        for (int nap = 50; seconds > 0 && now() < deadline; nap = (std::min)(2 * nap, 10000)) {
            if (ended()) return;
            if (nap >= 10000 || nap == 50) kill(SIGCONT);
            ::usleep(static_cast<useconds_t>(nap));
        }
        end_descent_of(pid_);
        end();
    }

    void kill(int signal) const noexcept
    {
        if (pid_ > 0) ::kill(whom_ == reach::group ? -pid_ : pid_, signal);
    }

private:
    bool reaped(int flags) noexcept
    {
        while (pid_ >= 0) {
            siginfo_t info{};
            const int looked = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | flags);
            if (looked != 0 && errno == EINTR) continue;
            if (looked == 0 && info.si_pid == 0) return false;
            if (whom_ == reach::group) ::kill(-pid_, SIGKILL);  // before wait4, so that no other process has the number
            rusage used{};
            while (::wait4(pid_, &status_, 0, &used) < 0 && errno == EINTR) {
            }
            const auto seconds = [](const timeval& t) {
                return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
            };
            cpu_seconds_ = seconds(used.ru_utime) + seconds(used.ru_stime);
            peak_bytes_ = system::detail::resident_unit * static_cast<double>(used.ru_maxrss);
            pid_ = -1;
        }
        return true;
    }

    pid_t pid_ = -1;
    reach whom_ = reach::group;
    int status_ = 0;
    double cpu_seconds_ = 0;
    double peak_bytes_ = 0;
};

/// Starts a program by posix_spawn: it leads a process group, no signal is blocked or ignored, descriptor k is a copy
/// of `given[k]` (-1: the null device), and it has those of this process that exec does not close. Returns 0 and its
/// number in `pid`, or the error.
[[nodiscard]] inline int spawn(pid_t& pid, const char* path, exec_words& words, std::span<const int> given) noexcept
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&how);
    sigset_t signals;
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&how, &signals);
    sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&how, &signals);
    ::posix_spawnattr_setpgroup(&how, 0);
    ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int failed = 0;
    for (int k = 0; k < static_cast<int>(given.size()) && failed == 0; ++k) {
        const int from = given[static_cast<std::size_t>(k)];
        failed = from < 0 ? ::posix_spawn_file_actions_addopen(&files, k, "/dev/null", O_RDWR, 0)
                          : ::posix_spawn_file_actions_adddup2(&files, from, k);
    }
    if (failed == 0) failed = ::posix_spawn(&pid, path, &files, &how, words.arguments(), words.environment());
    ::posix_spawnattr_destroy(&how);
    ::posix_spawn_file_actions_destroy(&files);
    return failed;
}

}  // namespace tunekit::measure::detail
