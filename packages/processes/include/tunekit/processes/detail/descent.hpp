// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The descendants of a process: which there are, what a candidate has left, and how they are ended.

#include <sys/types.h>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <type_traits>
#include <utility>

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

/// Calls f(self, pid) for each child of all threads of `parent`; where there are very many, for the first of them.
void each_child_of(pid_t parent, void* self, void (*f)(void* self, pid_t child));

/// The same with f(pid).
template <class F>
void each_child_of(pid_t parent, F&& f)
{
    each_child_of(parent, &f,
                  [](void* self, pid_t child) { (*static_cast<std::remove_reference_t<F>*>(self))(child); });
}

/// Sends `signal` to the descendants of `parent` `but` one, to parents before their children.
void signal_descent(pid_t parent, int signal, int depth = 0, pid_t but = -1) noexcept;

/// Stops `parent`, a child of this process that does not answer, kills all its descendants, and waits for their end, at
/// most `seconds`. It stays stopped, and what it adopts stays below it, until it is killed.
void end_descent_of(pid_t parent, double seconds = 5) noexcept;

/// Ends all descendants of this process and waits for them, at most `seconds`: a process that waits for a device cannot
/// be killed. True where none is left, `but` one child that stays. Precondition: `adopt_descent` was called.
bool end_descent(double seconds = 5, pid_t but = -1) noexcept;

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
