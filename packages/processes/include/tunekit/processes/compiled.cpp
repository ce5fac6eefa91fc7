// SPDX-License-Identifier: MIT

// The bodies of the package processes, compiled once: see tunekit/compiled.cpp.

#if !defined(TUNEKIT_COMPILED)
#error "tunekit: compile all of the program, compiled.cpp too, with -DTUNEKIT_COMPILED"
#endif
#define TUNEKIT_PROCESSES_BODIES

#include "tunekit/processes.hpp"
#include "tunekit/processes/build.hpp"
#include "tunekit/processes/files.hpp"
#include "tunekit/processes/powercap.hpp"
