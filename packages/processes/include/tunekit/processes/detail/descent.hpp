// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The descendants of a process: which there are, what a candidate has left, and how they are ended.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "tunekit/core/compiled.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/process.hpp"

namespace tunekit::measure::detail {

/// The content of a small file of /proc.
class proc_text {
public:
    /// Reads the file `name`, which has one %d or two for the numbers.
    proc_text(const char* name, int a, int b = 0) noexcept;
    /// Reads an open file from its beginning.
    explicit proc_text(const descriptor& file) noexcept { read(file); }

    [[nodiscard]] bool known() const noexcept { return size_ >= 0; }
    [[nodiscard]] std::string_view text() const noexcept;

    /// Calls f(number) for each number in a file of numbers.
    template <class F>
    void each_number(F&& f) const
    {
        const char* at = text_.data();
        for (char* end = nullptr;; at = end) {
            const long number = std::strtol(at, &end, 10);
            if (end == at) return;
            f(static_cast<int>(number));
        }
    }

    /// The state's letter and the parent in /proc/PID/stat. The name before them may contain anything, brackets too.
    [[nodiscard]] std::pair<char, pid_t> state_and_parent() const noexcept;

private:
    void read(const descriptor& file) noexcept;

    std::array<char, 4096> text_;
    ssize_t size_ = -1;
};

/// Calls f(pid) for each child of all threads of `parent`; where there are very many, for the first of them.
template <class F>
void each_child_of(pid_t parent, F&& f)
{
    if (system::detail::each_listed_child(parent, f)) return;
    char name[40];
    std::snprintf(name, sizeof name, "/proc/%d/task", static_cast<int>(parent));
    bool listed = false;
    each_number_in(name, [&](int thread, int) {
        const proc_text children("/proc/%d/task/%d/children", static_cast<int>(parent), thread);
        listed = listed || children.known();
        children.each_number(f);
    });
    if (listed) return;
    each_number_in("/proc", [&](int pid, int) {  // a kernel without lists of children
        if (proc_text("/proc/%d/stat", pid).state_and_parent().second == parent) f(pid);
    });
}

/// Sends `signal` to the descendants of `parent`, to parents before their children.
void signal_descent(pid_t parent, int signal, int depth = 0) noexcept;

/// Stops `parent`, a child of this process that does not answer, kills all its descendants, and waits for their end, at
/// most `seconds`. It stays stopped, and what it adopts stays below it, until it is killed.
void end_descent_of(pid_t parent, double seconds = 5) noexcept;

/// Ends all descendants of this process and waits for them, at most `seconds`: a process that waits for a device cannot
/// be killed. True where none is left. Precondition: `adopt_descent` was called.
bool end_descent(double seconds = 5) noexcept;

/// What a worker still has after its answer: processes that have left it, and threads that still run. The worker itself
/// reports its own children.
class leftovers {
public:
    enum class found : std::uint8_t { nothing, running_threads, processes };

    leftovers() = default;
    /// Opens what it needs of a `worker`, below its `keeper`, that has not run anything yet.
    leftovers(pid_t keeper, pid_t worker) noexcept;

    /// `nothing` also where the system does not say.
    [[nodiscard]] found look() const;
    /// Whether the keeper sleeps, as it does where nobody has sent it a signal; true where the system does not say.
    [[nodiscard]] bool keeper_sleeps() const;

private:
    static constexpr nlink_t alone = 3;  ///< links of /proc/PID/task where there is one thread

    static descriptor open(const char* name, pid_t pid) noexcept;

    /// Threads may stay, as those of OpenMP and of CUDA do, but not run.
    [[nodiscard]] found look_at_threads() const;

    pid_t worker_ = -1;
    descriptor adopted_;
    descriptor keeper_;
    descriptor threads_;
};

}  // namespace tunekit::measure::detail

#if TUNEKIT_BODIES || defined(TUNEKIT_PROCESSES_BODIES)
namespace tunekit::measure::detail {

TUNEKIT_INLINE proc_text::proc_text(const char* name, int a, int b) noexcept
{
    char path[64];
    std::snprintf(path, sizeof path, name, a, b);
    read(descriptor(::open(path, O_RDONLY | O_CLOEXEC)));
}

TUNEKIT_INLINE std::string_view proc_text::text() const noexcept
{
    return {text_.data(), known() ? static_cast<std::size_t>(size_) : 0};
}

TUNEKIT_INLINE std::pair<char, pid_t> proc_text::state_and_parent() const noexcept
{
    const std::size_t at = text().rfind(')');
    if (at == std::string_view::npos || at + 4 >= text().size()) return {'?', -1};
    return {text()[at + 2], static_cast<pid_t>(std::strtol(text_.data() + at + 4, nullptr, 10))};
}

TUNEKIT_INLINE void proc_text::read(const descriptor& file) noexcept
{
    if (file) size_ = ::pread(file.get(), text_.data(), text_.size() - 1, 0);
    text_[known() ? static_cast<std::size_t>(size_) : 0] = '\0';
}

TUNEKIT_INLINE void signal_descent(pid_t parent, int signal, int depth) noexcept
{
    each_child_of(parent, [&](pid_t child) {
        ::kill(child, signal);
        if (depth < 64) signal_descent(child, signal, depth + 1);
    });
}

/// Whether one of the descendants of `parent` has not ended.
inline bool has_living_descent(pid_t parent, int depth = 0) noexcept
{
    bool out = false;
    each_child_of(parent, [&](pid_t child) {
        out = out || proc_text("/proc/%d/stat", child).state_and_parent().first != 'Z' ||
              (depth < 64 && has_living_descent(child, depth + 1));
    });
    return out;
}

TUNEKIT_INLINE void end_descent_of(pid_t parent, double seconds) noexcept
{
    if (parent <= 0 || ::kill(parent, SIGSTOP) != 0) return;
    const wall_clock now;
    const double deadline = now() + seconds;
    for (unsigned nap = 20; has_living_descent(parent) && now() < deadline; nap = (std::min)(2 * nap, 5000U)) {
        signal_descent(parent, SIGSTOP);
        signal_descent(parent, SIGKILL);
        ::usleep(nap);
    }
}

TUNEKIT_INLINE bool end_descent(double seconds) noexcept
{
    const wall_clock now;
    const double deadline = now() + seconds;
    for (unsigned nap = 20, round = 0;; nap = (std::min)(2 * nap, 5000U), ++round) {
        pid_t ended = 0;
        do ended = ::waitpid(-1, nullptr, WNOHANG | system::detail::all_children);
        while (ended > 0);
        if (ended < 0) return true;
        if (now() >= deadline) return false;
        // Processes that fork without end take the places of killed ones. So they are stopped first: that frees no
        // place.
        for (unsigned again = 0; again < (std::min)(round, 10U); ++again) signal_descent(::getpid(), SIGSTOP);
        signal_descent(::getpid(), SIGKILL);
        ::usleep(nap);
    }
}

TUNEKIT_INLINE leftovers::leftovers(pid_t keeper, pid_t worker) noexcept
    : worker_(worker),
      adopted_(open("/proc/%d/task/%d/children", keeper)),
      keeper_(open("/proc/%d/task/%d/stat", keeper))
{
    if (!sanitized) threads_ = open("/proc/%d/task", worker);  // a sanitizer has a thread of its own, which may run
}

TUNEKIT_INLINE leftovers::found leftovers::look() const
{
    int below = 0;
    proc_text(adopted_).each_number([&below](int) { ++below; });
    if (below > 1) return found::processes;
    struct stat s{};
    if (!threads_ || ::fstat(threads_.get(), &s) != 0 || s.st_nlink <= alone) return found::nothing;
    return look_at_threads();
}

TUNEKIT_INLINE bool leftovers::keeper_sleeps() const
{
    return !keeper_ || proc_text(keeper_).state_and_parent().first == 'S';
}

TUNEKIT_INLINE descriptor leftovers::open(const char* name, pid_t pid) noexcept
{
    char path[64];
    std::snprintf(path, sizeof path, name, static_cast<int>(pid), static_cast<int>(pid));
    return descriptor(::open(path, O_RDONLY | O_CLOEXEC));
}

TUNEKIT_INLINE leftovers::found leftovers::look_at_threads() const
{
    found out = found::nothing;
    char name[40];
    std::snprintf(name, sizeof name, "/proc/%d/task", static_cast<int>(worker_));
    each_number_in(name, [&](int thread, int) {
        if (thread == worker_) return;
        const proc_text stat("/proc/%d/task/%d/stat", static_cast<int>(worker_), thread);
        if (stat.state_and_parent().first == 'R') out = found::running_threads;
    });
    return out;
}

}  // namespace tunekit::measure::detail
#endif  // TUNEKIT_BODIES
