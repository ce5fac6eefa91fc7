// SPDX-License-Identifier: MIT

// All of the package's library in one file, for programs that are compiled by hand: one more source file, or included
// by tunekit/processes.hpp where TUNEKIT_PROCESSES_BODIES is defined.
#include "tunekit/processes/build/build_cache.cpp"
#include "tunekit/processes/build/build_pool.cpp"
#include "tunekit/processes/build/builder.cpp"
#include "tunekit/processes/build/child_process.cpp"
#include "tunekit/processes/build/compiler.cpp"
#include "tunekit/processes/build/generated_kernel.cpp"
#include "tunekit/processes/build/pipeline.cpp"
#include "tunekit/processes/build/store.cpp"
#include "tunekit/processes/detail/program_build.cpp"
#include "tunekit/processes/detail/program_plan.cpp"
#include "tunekit/processes/detail/program_runs.cpp"
#include "tunekit/processes/detail/program_texts.cpp"
#include "tunekit/processes/isolated.cpp"
#include "tunekit/processes/isolated_workers.cpp"
#include "tunekit/processes/program/program.cpp"
#include "tunekit/processes/program/program_options.cpp"
#include "tunekit/processes/program/readings.cpp"
#include "tunekit/processes/serve.cpp"
#include "tunekit/processes/share_cores.cpp"
