// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include "tunekit/processes/detail/descent.hpp"

namespace support {

/// The parent of this process's parent: for a worker, the zygote.
inline pid_t grandparent()
{
    return tunekit::measure::detail::proc_text("/proc/%d/stat", ::getppid()).state_and_parent().second;
}

}  // namespace support
