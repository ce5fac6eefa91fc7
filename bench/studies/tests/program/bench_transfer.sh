#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_transfer promises: wrong input is one line and exit status 2; the same table twice, and as many rows in
# JSON, where evaluations that did not suffice are null.
set -eu
cd "$(dirname "$0")/../../../.."
transfer=$1/studies/bench_transfer
program=$transfer
. "./tests/support/refuses.sh"
refuses 'is no folder, want one with recorded spaces' --spaces "$work/none"
refuses 'are counts, want >= 1' --spaces packages/scoring/recordings --repeats 0
refuses 'has no form with a history' --spaces packages/scoring/recordings --strategy random

run() {
    "$transfer" --spaces packages/scoring/recordings/resnet18 --only R1 --strategy autotvm --others 1 --repeats 2 --trials 8 \
        --evaluations 8 "$@"
}
run >"$work/first"
run >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs of one seed differ"
[ "$(grep -c '^autotvm' "$work/first")" = 3 ] || fail "not a row for each of R1, R10 and R12"
run --json >"$work/json"
[ "$(json_rows "$work/json" rows)" = 3 ] || fail "not the table's rows in JSON"
[ "$(grep -c ': null' "$work/json")" = "$(grep -o '> 8' "$work/first" | wc -l)" ] ||
    fail "not null wherever 8 evaluations did not suffice"
exit $bad
