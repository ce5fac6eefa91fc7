// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The settings with which a program is started from this one: its descriptors, its signals and its process group.

#include <spawn.h>
#include <sys/types.h>
#include <csignal>

namespace tunekit::measure::detail {

/// The arguments of posix_spawn for a child that leads a process group of its own, with no signal blocked or ignored. It has
/// the descriptors that it is given, and those of this process that exec does not close.
class spawn_settings {
public:
    spawn_settings() noexcept
    {
        ::posix_spawn_file_actions_init(&files_);
        ::posix_spawnattr_init(&how_);
        sigset_t signals;
        sigemptyset(&signals);
        ::posix_spawnattr_setsigmask(&how_, &signals);
        sigfillset(&signals);
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

    /// Makes descriptor `fd` of the child the null device.
    void silence(int fd, int flags) noexcept
    {
        keep_first(::posix_spawn_file_actions_addopen(&files_, fd, "/dev/null", flags, 0));
    }
    /// Makes descriptor `fd` of the child a copy of `ours`.
    void give(int fd, int ours) noexcept { keep_first(::posix_spawn_file_actions_adddup2(&files_, ours, fd)); }

    /// Starts a program. Returns 0, and its number in `child`; else the error.
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
