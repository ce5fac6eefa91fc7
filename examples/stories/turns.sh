#!/bin/bash
# SPDX-License-Identifier: MIT
# turns.sh ROUNDS COMMAND...: runs these commands of a shell in turn, the order reversed in every second round; a line for each round: the
# seconds of processor time of each, to the millisecond. The number of rounds is fixed beforehand, so intervals of these lines may be told.
set -eu
TIMEFORMAT='%3U %3S'
rounds=$1
shift
for ((r = 0; r < rounds; ++r)); do
    taken=()
    for ((i = 0; i < $#; ++i)); do
        k=$((r % 2 ? $# - i : i + 1))
        taken[k]=$({ time sh -c "exec ${!k}" >/dev/null 2>&1; } 2>&1)
    done
    printf '%s\n' "${taken[@]}" | awk '{ printf "%s%.3f", (NR > 1 ? " " : ""), $1 + $2 } END { print "" }'
done
