#!/bin/sh
# SPDX-License-Identifier: MIT
# tune.sh FOLDER [OPTION...]: looks for the threads, the schedule, its chunk and the binding that make escape.cpp fast.
# Options are those of tune_command, which must be in the PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
shift
g++ -O2 -fopenmp "$here/escape.cpp" -o escape
OMP_NUM_THREADS=1 ./escape >right
# shellcheck disable=SC1083 # placeholders
tune_command --space "$here/space.json" --cost 'regex:seconds ([0-9.]+)' --check output:right "$@" \
    --env OMP_NUM_THREADS={threads} --env OMP_SCHEDULE={schedule},{chunk} --env OMP_PROC_BIND={bind} --env OMP_WAIT_POLICY={wait} \
    -- ./escape
