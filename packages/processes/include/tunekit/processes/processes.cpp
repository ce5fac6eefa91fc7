// SPDX-License-Identifier: MIT

// All of the package's library in one file, for programs that are compiled by hand: one more source file, or included
// by tunekit/processes.hpp where TUNEKIT_PROCESSES_BODIES is defined.
#include "tunekit/processes/detail/file_writer.cpp"
#include "tunekit/processes/detail/line_seal.cpp"
#include "tunekit/processes/detail/system/files.cpp"
#include "tunekit/processes/detail/system/memory.cpp"
#include "tunekit/processes/detail/system/signals.cpp"
#include "tunekit/processes/files/log_file.cpp"
#include "tunekit/processes/files/problem.cpp"
#include "tunekit/processes/files/regular_file.cpp"
#include "tunekit/processes/files/sealed_file.cpp"
#include "tunekit/processes/files/text.cpp"
#include "tunekit/processes/guarded_buffer.cpp"
#include "tunekit/processes/machine.cpp"
#include "tunekit/processes/powercap.cpp"
#include "tunekit/processes/stop_on_signal.cpp"

#include "tunekit/core/detail/system.hpp"

#if TUNEKIT_FORKS  // the rest starts processes
#include "tunekit/processes/detail/bad_candidates.cpp"
#include "tunekit/processes/detail/child.cpp"
#include "tunekit/processes/detail/command_run.cpp"
#include "tunekit/processes/detail/descent.cpp"
#include "tunekit/processes/detail/fork_zygote.cpp"
#include "tunekit/processes/detail/keeper.cpp"
#include "tunekit/processes/detail/own_files.cpp"
#include "tunekit/processes/detail/pool_of_workers.cpp"
#include "tunekit/processes/detail/process.cpp"
#include "tunekit/processes/detail/run_failure.cpp"
#include "tunekit/processes/detail/spawned_zygote.cpp"
#include "tunekit/processes/detail/system/confinement.cpp"
#include "tunekit/processes/detail/system/processes.cpp"
#include "tunekit/processes/detail/worker.cpp"
#include "tunekit/processes/detail/worker_link.cpp"
#include "tunekit/processes/detail/zygote.cpp"
#include "tunekit/processes/share_cores.cpp"
#endif
