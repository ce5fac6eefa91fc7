#!/bin/sh
# SPDX-License-Identifier: MIT
# kokkos_ranks.sh PROGRAM CONNECTOR MPIRUN: four ranks of an MPI program share what the connector finds: one tunes, writes and says so, the others
# use it, those of a second run from their first call.
set -eu
connector=$2 mpirun=$3 program=$1
. "$(dirname "$0")/../support/launched.sh"
KOKKOS_TOOLS_TUNEKIT_FILE=$work/tuned KOKKOS_TOOLS_TUNEKIT_EVERY=0.2
export KOKKOS_TOOLS_TUNEKIT_FILE KOKKOS_TOOLS_TUNEKIT_EVERY
for run in 1 2; do
    ranks 4 "$connector" 20000
    succeeds
    [ "$(grep -c '^tunekit: ' "$work/out")" = 1 ] || fail "not one rank says what was found"
    [ "$(grep -vc '^#' "$work/tuned")" = 1 ] || fail "the file has not one line"
    says ': tile 16'
    least=$(sed -n 's/^rank [0-9]*: \([0-9]*\) of .*/\1/p' "$work/out" | sort -n | head -n 1)
    [ "$least" -gt $((19900 * (run - 1))) ] || fail "a rank made $least calls with the fastest in run $run"
done
exit $bad
