#!/bin/sh
# SPDX-License-Identifier: MIT
# tune.sh FOLDER [OPTION...]: looks for the variables of Open MPI that make exchange.cpp fast on 4 ranks.
# Options are those of tune_command, which must be in the PATH. Exit status 77 where there is no Open MPI.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
shift
launch=$(command -v mpirun.openmpi || command -v mpirun || true)
compile=$(command -v mpicxx.openmpi || command -v mpicxx || true)
if [ -z "$launch" ] || [ -z "$compile" ] || ! "$launch" --version 2>/dev/null | grep -Eq 'Open MPI|OpenRTE'; then
    echo "tune.sh: there is no Open MPI, want mpirun and mpicxx"
    exit 77
fi
"$compile" -O2 "$here/exchange.cpp" -o exchange
# Four ranks may be more than there are processors, so those that wait give theirs away.
# shellcheck disable=SC1083 # placeholders
tune_command --space "$here/space.json" --cost 'regex:step ([0-9.]+) us' --number 'few=regex:few ([0-9.]+)' --number 'many=regex:many ([0-9.]+)' "$@" \
    --env OMPI_MCA_coll_tuned_use_dynamic_rules=1 --env OMPI_MCA_coll_tuned_allreduce_algorithm={algorithm} \
    --env OMPI_MCA_coll_tuned_allreduce_algorithm_segmentsize={segment} --env OMPI_MCA_btl_vader_eager_limit={eager} \
    --env OMPI_MCA_btl_vader_single_copy_mechanism={copy} --env OMPI_MCA_mpi_yield_when_idle=1 \
    -- "$launch" -n 4 --oversubscribe ./exchange
