// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files and folders as the system sees them, where text files and logs (processes/files/) do not suffice.

#include "tunekit/processes/detail/system/files.hpp"

namespace tunekit::system {

/// What is at a path or behind a descriptor.
using detail::file_state;

/// What is at `path`, behind links; empty where that cannot be looked at.
using detail::state_of;

/// The way in which a file is opened. What appends makes the file where it is not there, and can read it.
using detail::opening;

/// Closes it. False where what was written may be lost.
using detail::close_file;

/// Calls `with` for the name of everything in `folder`; nothing where that cannot be listed.
using detail::each_name_in;

/// Waits for the lock of the folder of `path`. Returns its descriptor, which holds the lock until it is closed; -1
/// where the file system has no locks. Windows locks no folder, so it is a file PATH.lock there, which stays.
using detail::lock_folder_of;

/// Whether the file system of this file or folder is mounted noexec.
using detail::runs_nothing;

/// The moment of a file's last change, in seconds and nanoseconds.
using detail::time_of_change;

}  // namespace tunekit::system
