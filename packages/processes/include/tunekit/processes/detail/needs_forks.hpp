// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Refuses a system that forks nothing, and says what is wanted there.

#include "tunekit/core/detail/system.hpp"

#if !TUNEKIT_FORKS
#error \
    "tunekit: measuring in other processes (isolated_workers, served_workers, program, build) needs a system that forks; want measure::in_process there, or Linux or macOS"
#endif
