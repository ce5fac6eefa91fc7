#!/bin/sh
# SPDX-License-Identifier: MIT
# all.sh: builds the scenarios with the compiler wrapper of every MPI that is installed, one of them with sanitizers, and runs them.
set -eu
cd "$(dirname "$0")/../.."
out=build/mpi
mkdir -p $out
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Wnon-virtual-dtor -Werror'
tried=0 bad=0
# build WRAPPER PROGRAM FLAG...
build() {
    wrapper=$1 program=$2
    shift 2
    # shellcheck disable=SC2086 # words of a list
    "$wrapper" -std=c++20 -Iinclude -iquote . $warnings -ffp-contract=off "$@" tests/mpi/scenarios.cpp -o "$program"
}
for mpi in openmpi mpich; do
    command -v mpicxx.$mpi >/dev/null || continue
    tried=$((tried + 1))
    echo "--- $mpi"
    build mpicxx.$mpi $out/scenarios_$mpi -O1 -g0
    sh tests/mpi/run.sh "$PWD/$out/scenarios_$mpi" mpirun.$mpi || bad=1
done
[ $tried -gt 0 ] || { echo 'no MPI is installed: run scripts/needs mpi'; exit 1; }

# Leaks are the MPI's own: it frees what it has for its lifetime, or does not.
echo '--- address and undefined behaviour'
for mpi in mpich openmpi; do
    command -v mpicxx.$mpi >/dev/null || continue
    build mpicxx.$mpi $out/scenarios_sanitized -Og -g1 -fsanitize=address,undefined -fno-sanitize-recover=all
    ASAN_OPTIONS=detect_leaks=0 sh tests/mpi/run.sh "$PWD/$out/scenarios_sanitized" mpirun.$mpi quick || bad=1
    break
done
exit $bad
