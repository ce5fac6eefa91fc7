// SPDX-License-Identifier: MIT

// All of the package's library in one file, for programs that are compiled by hand: one more source file, or included
// by tunekit/processes.hpp where TUNEKIT_PROCESSES_BODIES is defined.
#include "tunekit/processes/share_cores.cpp"
