#!/bin/sh
# SPDX-License-Identifier: MIT
# once.sh ROOT: what has one mechanism has no second one: files are written by io::write_text and io::log_file (processes/detail/file_writer.hpp), processes
# are started by the files of processes that say so, and doubles are read by core/text.hpp. An exception has its reason in its line below.
set -eu
cd "$1"
files=$(find include packages tools python/src python/pytunekit \( -name '*.hpp' -o -name '*.cpp' -o -name '*.py' \) ! -path '*/tests/*' ! -path '*/examples/*')
bad=0
# one WHAT PATTERN EXCEPTIONS: no line has the pattern but in files whose names have one of the exceptions, a regular expression.
one() {
    # shellcheck disable=SC2086 # file names without blanks
    if grep -nE "$2" $files | grep -vE "^[^:]*:[0-9]+:[[:space:]]*(//|\*|#[^i])" | grep -vE "^($3):"; then
        echo "$1"
        bad=1
    fi
}

# processes/system/files.cpp opens for io. processes/detail/{child, command_run, keeper, process}.cpp write to /proc and /dev/null, and process.cpp sources
# into a folder that nobody else may enter; program_build.cpp opens a lock; packages/mpi/.../code_folder.hpp writes what another rank built into such a folder;
# devices/detail/kernel_worker.hpp maps arrays in a folder of its own; tools/support/streams.hpp gives what nobody reads to /dev/null; python/pytunekit/_call.py writes to its pipe,
# _kernel/cache.py behind what others wrote into a cache of Kernel Tuner, _kernel/problem.py a script into a folder of its own.
one 'these open a file for writing: want io::write_text, or io::log_file' \
    '\bo?fstream\b|open\(.*"([wax]|r\+)|\bO_(WRONLY|RDWR|CREAT|TRUNC)\b|\bcreat\(|\bmkstemp|\btmpfile|\b[Pp]ath(\(.*\))?\.write_(text|bytes)\(' \
    'packages/processes/include/tunekit/processes/detail/(system/files|(child|command_run|keeper|process|program_build))\.cpp|packages/mpi/include/tunekit/mpi/code_folder\.hpp|packages/devices/include/tunekit/devices/detail/kernel_worker\.hpp|tools/support/streams\.hpp|python/pytunekit/(_call|_kernel/(cache|problem))\.py'
# What is opened for reading is looked at first, as a pipe is waited for and a device never ends. Others read /proc or folders of ours; run_failure.cpp and
# own_files.cpp look, too.
one 'these open a file for reading: want io::read_text, or io::read_regular_file' '\bifstream\b|\b(f|gz)open\(|\bO_RDONLY\b' \
    'packages/processes/include/tunekit/processes/((detail/(system/files|system/processes|command_run|descent|run_failure)|build/compiler|machine|share_cores|system/own_files)\.cpp)|packages/mpi/include/tunekit/mpi/code_folder\.hpp'
# The store of built things gives a file its name when it is whole.
one 'these rename a file: want io::write_text' '\brename\(' \
    'packages/processes/include/tunekit/processes/(detail/system/files|build/store)\.cpp'
# Who starts a process ends it with all its children: processes/detail/child.cpp does. The others fork without starting a program: a builder's function, the
# keeper that outlives the tuner, the zygote of kernels, the run's own reaper, the carrier of a program, a call of Python's.
one 'these start a process: want measure::program, measure::isolated or measure::child_process' \
    '[^A-Za-z_0-9]::fork\(|\bvfork\(|posix_spawnp?\(|\bpopen\(|std::system\(' \
    'packages/processes/include/tunekit/processes/(detail/(system/processes|child|command_run|fork_zygote|keeper)|build/child_process|program/program)\.cpp|python/src/child\.cpp'
# program/readings.cpp reads numbers that are too large or too small for a double as the C library does.
one 'these read doubles: want core::number or core::leading_number' '\b(strto(d|f|ld)|sto(d|f|ld)|atof)\(|plain_strtod\(' \
    'include/tunekit/core/(detail/numbers|text)\.hpp|packages/processes/include/tunekit/processes/program/readings\.cpp'
# The time of day may jump, so it measures nothing. Files have their age by it, results, T4 files and rows of Kernel Tuner their date.
one 'these look at the time of day: want measure::wall_clock where a duration is meant' \
    '\b(system|file|utc|high_resolution)_clock\b|\btime\((nullptr|NULL|0)\)|\bCLOCK_REALTIME\b|\bgettimeofday\b|\bMPI_Wtime\b|\btime\.time(_ns)?\(|\bdatetime\b' \
    'packages/processes/include/tunekit/processes/(detail/file_writer|system/own_files)\.cpp|tools/(support/command_report\.hpp|tune_shapes\.cpp)|python/pytunekit/_kernel/results\.py'
exit $bad
