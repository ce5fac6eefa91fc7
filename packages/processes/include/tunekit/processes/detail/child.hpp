// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A child process: how a program is started, how its words are gathered, and how it ends with its process group.

#include "tunekit/processes/detail/system/processes.hpp"  // first: it says what is wanted where a system forks nothing

#include <sys/resource.h>
#include <sys/types.h>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/processes/detail/process.hpp"

namespace tunekit::measure::detail {

/// Throws tunekit::error where this process runs other threads, of which a fork keeps one. `want` is the remedy.
void refuse_threads(const char* who, const char* want);

/// What is started, and where. No shell sees any of it.
struct command_line {
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment{};  ///< in addition to the present variables
    std::string directory{};                                         ///< empty: where this process runs
    std::string input{};                                             ///< what it reads; empty: the null device
};

/// The arguments and the environment of a command line in the form that exec takes, and the path of its program.
class exec_words {
public:
    /// In `room`, which outlives it and may be shared with forks that have no heap, or on the heap where there is none.
    explicit exec_words(const command_line& what, std::string_view path = {}, std::span<char> room = {});

    [[nodiscard]] char* const* arguments() const noexcept { return arguments_; }
    [[nodiscard]] char** environment() const noexcept { return environment_; }
    [[nodiscard]] const char* path() const noexcept { return path_; }
    /// Whether they have found room; else exec would not take them either.
    [[nodiscard]] bool fit() const noexcept { return path_ != nullptr; }

private:
    std::unique_ptr<char[]> own_;
    char **arguments_ = nullptr, **environment_ = nullptr;
    const char* path_ = nullptr;
};

/// The first and the last part of a text that may be much longer than what is kept.
class bounded_text {
public:
    explicit bounded_text(std::size_t bytes) : half_(bytes / 2 + 1) {}

    void add(std::string_view more);
    [[nodiscard]] bool cut() const noexcept { return total_ > half_; }
    [[nodiscard]] std::string text() const;

private:
    std::size_t half_;
    std::size_t total_ = 0;  ///< bytes beyond the head
    std::string head_;
    std::string tail_;
};

/// A pipe with numbers above those that a child needs for itself; both ends empty, with errno, where the system gives
/// none.
std::pair<descriptor, descriptor> pipe_for_child() noexcept;

/// What a child writes into a pipe: its beginning and its end, in bounded memory. Move-only.
class heard_text {
public:
    /// Keeps that many bytes.
    explicit heard_text(std::size_t bytes) : text_(bytes) {}

    /// Opens the pipe and returns the child's end; an empty one, with errno, where the system gives none. `roomy`: a
    /// child that is heard now and then may have much to say, and need not wait.
    [[nodiscard]] descriptor open(bool roomy = false) noexcept;

    /// Reads what there is: 4 MiB at most, because a child may write forever.
    void hear();

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
        std::swap(used_, other.used_);
        return *this;
    }
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    ~child() { end(); }

    /// Its number; else -1, or none any more.
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    /// The status, as waitpid gives it, once it has ended. It is 0 where this program reaps children itself.
    [[nodiscard]] int status() const noexcept { return status_; }
    /// What it and the children that it waited for have used, once it has ended.
    [[nodiscard]] const rusage& used() const noexcept { return used_; }

    /// Whether it has ended, or was never started. What its group still has ends with it.
    bool ended() noexcept;

    /// Kills it and waits for its end.
    void end() noexcept;

    /// Wakes it, where something has stopped it, and waits for its end; after `seconds` kills it with all its
    /// descendants.
    void end_within(double seconds) noexcept;

    void kill(int signal) const noexcept;

private:
    bool reaped(int flags) noexcept;

    pid_t pid_ = -1;
    reach whom_ = reach::group;
    int status_ = 0;
    rusage used_{};
};

/// Starts a program by posix_spawn: it leads a process group, no signal is blocked or ignored, descriptor k is a copy
/// of `given[k]` (-1: the null device), and it has those of this process that exec does not close. Returns 0 and its
/// number in `pid`, or the error.
[[nodiscard]] int spawn(pid_t& pid, const char* path, exec_words& words, std::span<const int> given) noexcept;

}  // namespace tunekit::measure::detail
