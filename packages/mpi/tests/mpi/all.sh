#!/bin/sh
# SPDX-License-Identifier: MIT
# all.sh: builds the scenarios and the example of ranks that build with the compiler wrapper of every MPI that is installed, one of them with sanitizers, and runs them.
# CXXFLAGS are flags besides.
set -eu
cd "$(dirname "$0")/../../../.."
out=build/mpi
mkdir -p $out
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Wnon-virtual-dtor'
tried=0 bad=0
# The batch script, with programs in place of Slurm's: it runs the step, and is queued again only after SIGTERM.
mkdir -p $out/slurm
printf '#!/bin/sh\necho "$*" >"$0.said"\nexit "${ENDS-0}"\n' >$out/slurm/srun
cp $out/slurm/srun $out/slurm/scontrol
chmod +x $out/slurm/srun $out/slurm/scontrol
for ends in 0 1 143; do # what the step ends with; 143 is SIGTERM before the job's end
    rm -f $out/slurm/*.said
    status=0
    PATH=$PWD/$out/slurm:$PATH SLURM_JOB_ID=7 ENDS=$ends sh packages/mpi/examples/slurm.sh || status=$?
    [ "$status" = $ends ] && grep -q ' tune_network_mpi .*--resume' $out/slurm/srun.said || { echo "FAILED: packages/mpi/examples/slurm.sh, $ends"; bad=1; }
    [ "$(cat $out/slurm/scontrol.said 2>/dev/null)" = "$([ $ends != 143 ] || echo requeue 7)" ] || { echo "FAILED: it requeues after $ends"; bad=1; }
done
include='-Iinclude -Ipackages/processes/include -Ipackages/records/include -Ipackages/mpi/include'
# libraries FLAG...: those of the packages that the programs need.
libraries() {
    for name in processes records; do
        # shellcheck disable=SC2086 # words of a list
        "${CXX:-g++}" -std=c++20 $include -ffp-contract=off "$@" -c packages/$name/include/tunekit/$name/$name.cpp -o $out/$name.o
    done
}
# build WRAPPER SOURCES PROGRAM FLAG...
build() {
    wrapper=$1 source=$2 program=$3
    shift 3
    # shellcheck disable=SC2086 # words of a list
    "$wrapper" -std=c++20 $include -iquote . $warnings ${CXXFLAGS-} -ffp-contract=off "$@" $source $out/processes.o $out/records.o -o "$program"
}
libraries -O1 -g0
for mpi in openmpi mpich; do
    command -v mpicxx.$mpi >/dev/null || continue
    tried=$((tried + 1))
    echo "--- $mpi"
    build mpicxx.$mpi "packages/mpi/tests/mpi/scenarios.cpp packages/mpi/tests/support/faulty_mpi.cpp" $out/scenarios_$mpi -O1 -g0
    sh packages/mpi/tests/mpi/scenarios.sh "$PWD/$out/scenarios_$mpi" mpirun.$mpi || bad=1
    sh packages/mpi/tests/mpi/sick.sh "$PWD/$out/scenarios_$mpi" mpirun.$mpi || bad=1
    build mpicxx.$mpi packages/mpi/examples/build_ranks.cpp $out/build_ranks_$mpi -O1 -g0
    sh packages/mpi/tests/mpi/build_ranks.sh "$PWD/$out/build_ranks_$mpi" mpirun.$mpi || bad=1
    build mpicxx.$mpi packages/mpi/examples/device_ranks.cpp $out/device_ranks_$mpi -O1 -g0
done
[ $tried -gt 0 ] || { echo 'no MPI is installed: run scripts/needs mpi'; exit 1; }

# Leaks are the MPI's own: it frees what it has for its lifetime, or does not.
echo '--- address and undefined behaviour'
libraries -Og -g1 -fsanitize=address,undefined -fno-sanitize-recover=all
for mpi in mpich openmpi; do
    command -v mpicxx.$mpi >/dev/null || continue
    build mpicxx.$mpi "packages/mpi/tests/mpi/scenarios.cpp packages/mpi/tests/support/faulty_mpi.cpp" $out/scenarios_sanitized -Og -g1 -fsanitize=address,undefined -fno-sanitize-recover=all
    ASAN_OPTIONS=detect_leaks=0 sh packages/mpi/tests/mpi/scenarios.sh "$PWD/$out/scenarios_sanitized" mpirun.$mpi quick || bad=1
    break
done
exit $bad
