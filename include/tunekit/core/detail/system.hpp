// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Which system this is, and what it can do. The parts beside it, in the folder of this header's name, do what differs:
/// each includes the system's own headers for one matter (files, processes, memory, ...), so that a program pays for
/// those alone that it uses. Nothing else in the library asks for a system: other headers ask for what it can do.

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
#error "tunekit: knows Linux, macOS and Windows; another system needs its lines in tunekit/processes/system/"
#endif

/// Whether the system forks processes, without which nothing is isolated. A macro, because what forks cannot be
/// declared elsewhere.
#define TUNEKIT_FORKS (!TUNEKIT_ON_WINDOWS)

namespace tunekit::core::detail {

/// Whether the system holds a process to a limit of its address space. macOS takes the limit and does not.
inline constexpr bool limits_address_space = TUNEKIT_ON_LINUX;

/// Whether a sanitizer is compiled in. It reserves address space, and may have a thread of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace tunekit::core::detail
