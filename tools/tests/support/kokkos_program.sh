#!/bin/sh
# SPDX-License-Identifier: MIT
# kokkos_program.sh PROGRAM CONNECTOR: a program of Kokkos itself behind the connector. Of a Kokkos that tunes: the program's own variables at two
# sizes, ranges, teams, tiles; of one that does not, such as Debian's: it says so and disturbs nothing.
set -eu
program=$1 connector=$2
. "$(dirname "$0")/../../../tests/support/refuses.sh"
# tuned ARGUMENT...: runs it behind the connector; KOKKOS_PROFILE_LIBRARY is the name up to Kokkos 3.
tuned() {
    status=0
    KOKKOS_TOOLS_LIBS=$connector KOKKOS_PROFILE_LIBRARY=$connector "$program" "$@" >"$work/out" 2>"$work/err" || status=$?
    echo "$*: status $status"
    cat "$work/out" "$work/err"
    [ "$status" = 0 ] || fail "$*: exit status $status, want 0"
}
says() { grep -qF -- "$1" "$work/out" "$work/err" || fail "it did not say '$1'"; }

"$program" about
export KOKKOS_TOOLS_TUNEKIT_FILE="$work/tuned" KOKKOS_TOOLS_TUNEKIT_VERSION=1 OMP_NUM_THREADS=2 OMP_PROC_BIND=false
if "$program" about | grep -q 'tuning off'; then
    for what in range team tiles; do
        tuned $what 100
        says 'was built without Kokkos_ENABLE_TUNING'
    done
    [ ! -e "$work/tuned" ] || fail 'a file was written where nothing is tuned'
    exit $bad
fi

# 2000 calls of two sizes save something, and runs one after the other go on.
tuned own 2000
[ "$(grep -c '^[^#].*layout=' "$work/tuned")" = 2 ] || fail 'a program of 2000 calls saves not a line for each size'
first=$(sed -n 's/^work \([0-9.]*\) .*/\1/p' "$work/out")
for run in 2 3 4 5 6; do tuned own 5000; done
says 'layout blocked, unroll 8, share 0.6'
says 'layout right, unroll 8, share 0.3'
awk -v first="$first" '/^work/ { exit !($2 < first && $6 < 1.3) }' "$work/out" || fail 'six processes in a row did not come near the fastest'
tuned own 40000
[ "$(grep -c ' settled, default' "$work/out")" = 2 ] || fail 'not both sizes settle'

export KOKKOS_TUNE_INTERNALS=1
tuned range 3000
says 'kernel_name=axpy'
tuned team 3000
says 'kernel_name=rows'
# Tiles are not tuned unasked; a Kokkos that counts them wrongly once a tool sets them runs each element many times, and the connector says so.
tuned tiles 20
says 'tiles of MDRangePolicy: '
grep -q 'visited 1 times' "$work/out" || echo 'this Kokkos multiplies the number of tiles by itself once a tool sets them'
unset KOKKOS_TUNE_INTERNALS
tuned tiles 20
says 'visited 1 times a call'
KOKKOS_TOOLS_LIBS=$connector "$program" --kokkos-tools-help about >"$work/out" 2>&1 || true
says 'KOKKOS_TOOLS_TUNEKIT_FILE'
tuned range 10 "--kokkos-tools-args=--nothing=1"
says "'--nothing=1' is no argument"
exit $bad
