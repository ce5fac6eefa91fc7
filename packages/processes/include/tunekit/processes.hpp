// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Child processes that measure: kernels that may crash, programs, builders, pools of workers, and `tune(space, kernel,
/// budget)`, which needs them. For who measures on a POSIX system.

#include "tunekit/processes/front_door.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/processes/program/finished_run.hpp"
#include "tunekit/processes/program/program.hpp"
#include "tunekit/processes/program/program_options.hpp"
#include "tunekit/processes/program/readings.hpp"
#include "tunekit/processes/stop_on_signal.hpp"
#include "tunekit/processes/tune_kernel.hpp"

#if defined(TUNEKIT_PROCESSES_BODIES)  // in one source file of a program that links no library
#include "tunekit/processes/processes.cpp"
#endif
