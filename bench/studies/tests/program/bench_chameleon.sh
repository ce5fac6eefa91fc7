#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_chameleon promises: wrong input is one line and exit status 2; the same table twice, and as many rows in
# JSON.
set -eu
cd "$(dirname "$0")/../../../.."
chameleon=$1/studies/bench_chameleon
program=$chameleon
. "./tests/support/refuses.sh"
refuses 'is not a folder, want one with recorded spaces' --spaces "$work/none"
refuses 'holds no such recorded space' --spaces "$work"
refuses '--repeats is 0' --spaces packages/scoring/recordings --repeats 0
refuses 'want more than the first plan of 64' --spaces packages/scoring/recordings --measurements 64

run() {
    "$chameleon" --spaces packages/scoring/recordings/resnet18 --only R11 --repeats 2 "$@"
}
run >"$work/first"
run >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs of one seed differ"
grep -q '^policy, rate 0 ' "$work/first" || fail "the walk that does not learn is missing"
grep -q '^R11 .* 360 ' "$work/first" || fail "R11 and its size are missing"

run --json >"$work/json"
[ "$(json_rows "$work/json" steps)" = 1 ] || fail "R11's steps are not one row in JSON"
[ "$(json_rows "$work/json" shares)" = "$(grep -cE '^(annealing|policy)' "$work/first")" ] ||
    fail "shares: not the table's rows in JSON"
[ "$(json_rows "$work/json" comparisons)" = 1 ] || fail "R11's measurements are not one row in JSON"
exit $bad
