// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How a program is started beside this one: its descriptors, and signals and a process group as in a new process.

#include <spawn.h>
#include <sys/types.h>
#include <csignal>

namespace tunekit::measure::detail {

/// What posix_spawn is told of a child that leads a process group of its own, with no signal blocked or ignored. Its
/// descriptors are those that it is given, and all others of this process that are not closed by exec.
class spawn_settings {
public:
    spawn_settings() noexcept
    {
        ::posix_spawn_file_actions_init(&files_);
        ::posix_spawnattr_init(&how_);
        sigset_t signals;
        ::sigemptyset(&signals);
        ::posix_spawnattr_setsigmask(&how_, &signals);
        ::sigfillset(&signals);
        ::posix_spawnattr_setsigdefault(&how_, &signals);
        ::posix_spawnattr_setpgroup(&how_, 0);
        ::posix_spawnattr_setflags(&how_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    spawn_settings(const spawn_settings&) = delete;
    spawn_settings& operator=(const spawn_settings&) = delete;
    ~spawn_settings()
    {
        ::posix_spawnattr_destroy(&how_);
        ::posix_spawn_file_actions_destroy(&files_);
    }

    /// Descriptor `fd` of the child is the null device.
    void silence(int fd, int flags) noexcept
    {
        keep_first(::posix_spawn_file_actions_addopen(&files_, fd, "/dev/null", flags, 0));
    }
    /// Descriptor `fd` of the child is `ours`.
    void give(int fd, int ours) noexcept { keep_first(::posix_spawn_file_actions_adddup2(&files_, ours, fd)); }

    /// Starts a program. 0 and its number in `child`, or the error.
    [[nodiscard]] int start(pid_t& child, const char* path, char* const* arguments,
                            char* const* environment) const noexcept
    {
        if (failed_ != 0) return failed_;
        return ::posix_spawn(&child, path, &files_, &how_, arguments, environment);
    }

private:
    void keep_first(int failed) noexcept
    {
        if (failed_ == 0) failed_ = failed;
    }

    posix_spawn_file_actions_t files_;
    posix_spawnattr_t how_;
    int failed_ = 0;
};

}  // namespace tunekit::measure::detail
