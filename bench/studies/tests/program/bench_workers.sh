#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_workers promises: wrong input is one line and exit status 2; the same numbers twice; with random search, which never
# waits, no worker idles until the last job goes out, lock-step idles, and the order of answers changes nothing in what was sent.
set -eu
cd "$(dirname "$0")/../../../.."
bench=$1/studies/bench_workers
program=$bench
. "./tests/support/refuses.sh"
refuses 'is not a folder, want one with recorded spaces' --spaces "$work/none"
refuses 'strategy' --spaces packages/scoring/recordings --strategy nothing
refuses '--workers has a 0' --spaces packages/scoring/recordings --workers 0
refuses '--repeats and --workers are counts' --spaces packages/scoring/recordings --repeats 0

run() { "$bench" --spaces packages/scoring/recordings --only gemm_Out --strategy random --workers 8 --repeats 7 "$@"; }
run >"$work/first"
run >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs of one seed differ"
[ "$(wc -l <"$work/first")" = 5 ] || fail "the table has not a line per strategy, workers and mode"
# strategy workers mode(1 or 2 words) ... : idle is the first field that ends in %.
idle() { awk -v mode="$1" '$2 == 8 && index($0, mode) { for (i = 1; i <= NF; i++) if ($i ~ /%$/) { print $i + 0; exit } }' "$work/first"; }
echo "$(idle 'any order') $(idle 'lock-step')" | awk 'NF == 2 && $1 == 0 && $2 > 5 { ok = 1 } END { exit !ok }' ||
    fail "idle is $(idle 'any order') % in any order and $(idle 'lock-step') % in lock-step"
[ "$(awk '$2 == 8 { print $(NF - 3) }' "$work/first" | sort -u | wc -l)" = 1 ] || fail "the score by the order sent depends on the order of answers"

run --json >"$work/json"
[ "$(json_rows "$work/json" rows)" = 3 ] && [ "$(json_rows "$work/json" scores)" = 3 ] || fail "JSON has not three rows and three scores"
exit $bad
