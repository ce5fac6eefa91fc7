#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_ranks promises: wrong input is one line and exit status 2; a line for each strategy and number of ranks; 32 ranks come
# within 5 % sooner than one.
set -eu
cd "$(dirname "$0")/../../../.."
program=$1/studies/bench_ranks
. "./tests/support/refuses.sh"
refuses 'is not a folder, want one with recorded spaces' --spaces "$work/none"
refuses 'strategy' --spaces packages/scoring/recordings --strategy nothing
refuses '--ranks has a 0' --spaces packages/scoring/recordings --ranks 0
refuses '--repeats and --ranks are counts' --spaces packages/scoring/recordings --repeats 0
refuses 'leave no space' --spaces packages/scoring/recordings --at-least 99999999
refuses 'leave no space' --spaces packages/scoring/recordings --budget-at-least 99999999
"$program" --spaces packages/scoring/recordings --only gemm_Out --strategy random --ranks 1,32 >"$work/table"
[ "$(wc -l <"$work/table")" = 3 ] || fail "the table has not a line for each number of ranks"
awk '$2 == 32 && $6 > 2 { ok = 1 } END { exit !ok }' "$work/table" || fail "32 ranks are not sooner than one: $(cat "$work/table")"
exit $bad
