// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How many workers there may be.

#include <sched.h>

#include <cstddef>
#include <string>

#include "tunekit/core/error.hpp"

namespace programs {

/// Processors that this process may use.
inline std::size_t processors()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set)) : 1;
}

/// Throws std::invalid_argument unless there is a processor for each of `workers`.
inline void check_workers(std::size_t workers)
{
    if (workers > processors())
        tunekit::invalid("--workers " + std::to_string(workers) + " is more than the " + std::to_string(processors()) +
                         " processors that this process may use, want one for each");
}

}  // namespace programs
