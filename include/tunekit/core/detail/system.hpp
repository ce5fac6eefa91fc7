// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Which system this is, and what it can do. The parts beside it, in the folder of this header's name, do what differs: each
/// includes the system's own headers for one matter (files, processes, memory, ...), so that a program pays for those alone
/// that it uses. Nothing else in the library asks for a system: other headers ask for what it can do.

#include "tunekit/core/config.hpp"

// Exactly one of these is 1. They are for the parts alone.
#if defined(__linux__)
#define TUNEKIT_ON_LINUX 1
#define TUNEKIT_ON_APPLE 0
#define TUNEKIT_ON_WINDOWS 0
#elif defined(__APPLE__)
#define TUNEKIT_ON_LINUX 0
#define TUNEKIT_ON_APPLE 1
#define TUNEKIT_ON_WINDOWS 0
#elif defined(_WIN32)
#define TUNEKIT_ON_LINUX 0
#define TUNEKIT_ON_APPLE 0
#define TUNEKIT_ON_WINDOWS 1
#else
#error "tunekit: knows Linux, macOS and Windows; another system needs its lines in tunekit/core/detail/system/"
#endif

/// Whether the system forks processes, without which nothing is isolated. A macro, because what forks cannot be declared
/// elsewhere.
#define TUNEKIT_FORKS (!TUNEKIT_ON_WINDOWS)

namespace tunekit::core::system {

/// Whether everything that a candidate starts ends with the run, and limits of the address space hold. Elsewhere a process
/// that leaves its group and its parent outlives the run, and the parent looks after memory.
inline constexpr bool keeps_descent = TUNEKIT_ON_LINUX;

}  // namespace tunekit::core::system
