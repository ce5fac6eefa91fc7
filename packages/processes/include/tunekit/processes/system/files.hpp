// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files and folders as the system sees them, where text files and logs (processes/files/) do not suffice.

#include <string>

#include "tunekit/processes/detail/system/files.hpp"

namespace tunekit::system {

/// What is at `path`, behind links, such as its size; empty where that cannot be looked at.
using detail::state_of;

/// Calls `with` for the name of everything in `folder`; nothing where that cannot be listed.
using detail::each_name_in;

/// Waits for the lock of the folder of a file, and holds it. It locks nothing where a file system has no locks, or
/// where another process has held the lock for ten seconds: that is stopped. Windows locks no folder, so it is a file
/// PATH.lock there, which stays.
class folder_lock {
public:
    /// Waits for it, at most ten seconds. `path` is that of the file.
    explicit folder_lock(const std::string& path) : fd_(detail::lock_folder_of(path)) {}
    folder_lock(const folder_lock&) = delete;
    folder_lock& operator=(const folder_lock&) = delete;
    ~folder_lock()
    {
        if (fd_ >= 0) detail::close_file(fd_);
    }

private:
    int fd_;
};

/// Whether the file system of this file or folder is mounted noexec.
using detail::runs_nothing;

/// The moment of a file's last change, in seconds and nanoseconds.
using detail::time_of_change;

}  // namespace tunekit::system
