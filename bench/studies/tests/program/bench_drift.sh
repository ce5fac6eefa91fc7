#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_drift promises: wrong input is one line and exit status 2; the same numbers twice; what becomes slower is noticed and tuned
# again, and what becomes slower with everything else is not; JSON has the table's rows.
set -eu
cd "$(dirname "$0")/../../../.."
bench=$1/studies/bench_drift
program=$bench
. "./tests/support/refuses.sh"
refuses '--noise has a number outside' --noise 1.5
refuses '--defaults has a number below 1' --defaults 0.5
refuses '--repeats and --calls are counts' --repeats 0
refuses '--repeats and --calls are counts' --calls 0

run() { "$bench" --repeats 2 --noise 0.05 --calls 50000 "$@"; }
run >"$work/first"
run >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs of one seed differ"
[ "$(wc -l <"$work/first")" = 15 ] || fail "the table has not two lines for each of seven changes"
awk '/^(nothing|all)/ && $NF != "0/2" { exit 1 }' "$work/first" || fail "it tuned again where nothing or everything changed"
awk '/^(winner|family)/ && $NF != "2/2" { exit 1 }' "$work/first" || fail "it did not tune again where the winner became slower"
run --json >"$work/json"
[ "$(json_rows "$work/json" scores)" = 14 ] || fail "JSON has not fourteen scores"
exit $bad
