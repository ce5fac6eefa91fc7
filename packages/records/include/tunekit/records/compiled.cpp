// SPDX-License-Identifier: MIT

// The bodies of the package records, compiled once: see tunekit/compiled.cpp.

#if !defined(TUNEKIT_COMPILED)
#error "tunekit: compile all of the program, compiled.cpp too, with -DTUNEKIT_COMPILED"
#endif
#define TUNEKIT_RECORDS_BODIES

#include "tunekit/records.hpp"
