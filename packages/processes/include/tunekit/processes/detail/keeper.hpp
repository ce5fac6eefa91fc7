// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parent process of one worker.

#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/processes/detail/worker.hpp"

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
pid_t fork_into(enclosure what, bool confined = false) noexcept;

/// Whether this system gives PID namespaces to this process, and for `confined` also the rest that confines.
bool can_enclose(bool confined = false) noexcept;

/// What a keeper's worker runs, and how it is held.
struct kept_work {
    work_ref work{};
    std::size_t memory_bytes = 0;
    std::span<const canary> own{};  ///< canaries that the parent cannot see
    enclosure inside = enclosure::none;
    bool confined = false;
};

/// Forks one worker and stays its parent, in a process that was forked by `fork_into`. It reports how the worker ended,
/// adopts the processes that it leaves, and ends all of them where its own parent ends. It runs no candidate, and has
/// nothing that a zygote could not replace. So a candidate that kills its keeper ends only itself. The worker uses
/// descriptor `talk`. Notes go to `report`. Precondition: every signal is blocked.
[[noreturn]] void run_keeper(const kept_work& what, pid_t zygote, uid_t user, gid_t group, int talk,
                             int report) noexcept;

/// Stays the parent of `runner`, which runs programs, until it ends: wakes it where a program has stopped it, and
/// adopts what it leaves. All of that ends with the runner, with `tuner`, the parent of this process, and at a SIGTERM.
/// Precondition: adopt_descent() was called before the fork of the runner, and every signal is blocked.
[[noreturn]] void keep_runner(pid_t runner, pid_t tuner) noexcept;

}  // namespace tunekit::measure::detail
