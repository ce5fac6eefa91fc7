#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_ablations promises: wrong input is one line and exit status 2; the same table twice, and as many rows in
# JSON; a network and single spaces; the recipe's schedule is worth more than none; a kernel is left out of the choice
# that it is judged by.
set -eu
cd "$(dirname "$0")/../../../.."
ablations=$1/studies/bench_ablations
program=$ablations
. "./tests/support/refuses.sh"
refuses 'want either --network and --recorded, or --spaces'
refuses 'want either --network and --recorded, or --spaces' --network resnet18 --spaces packages/scoring/recordings
refuses 'without --recorded' --network resnet18
refuses 'is not a folder, want one with recorded spaces' --spaces "$work/none"
refuses '--repeats is 0' --spaces packages/scoring/recordings --repeats 0
refuses 'ends in the warm-up' --network resnet18 --recorded packages/scoring/recordings/resnet18 --repeats 1 --seconds 0.01

run() { "$ablations" --network squeezenet --recorded packages/scoring/recordings/squeezenet --repeats 2 --only "$@"; }
run combined >"$work/first"
run combined >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs of one seed differ"
grep -q "of 1200 s; baseline: .*, no early stopping; goal: " "$work/first" || fail "the table does not name its baseline's rule and budget"
run combined --json >"$work/json"
[ "$(json_rows "$work/json" rows)" = 1 ] || fail "a network: not the table's rows in JSON"
run 'one task' >"$work/second"
speed() { sed -n "s/^$1  *\([0-9.]*\) .*/\1/p" "$2"; }
echo "$(speed combined "$work/first") $(speed 'one task after another' "$work/second")" |
    awk 'NF == 2 && $1 > 1.5 * $2 { ok = 1 } END { exit !ok }' || fail "the schedule is worth nothing"

spaces() { "$ablations" --spaces packages/scoring/recordings --repeats 2 --only combined "$@"; }
spaces >"$work/first"
[ "$(grep -c 'left out: "combined" is chosen' "$work/first")" = 4 ] || fail "not one line for each of two scores and kernels"
spaces --json >"$work/json"
[ "$(json_rows "$work/json" rows)" = 1 ] || fail "spaces: not the table's rows in JSON"
[ "$(grep -c '"chosen": "combined"' "$work/json")" = 4 ] ||
    fail "not one choice for each of two scores and kernels in JSON"
exit $bad
