#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_surrogates promises: wrong input is one line and exit status 2; the same table twice, and as many rows in
# JSON.
set -eu
cd "$(dirname "$0")/../../../.."
surrogates=$1/studies/bench_surrogates
program=$surrogates
. "./tests/support/refuses.sh"
refuses 'is not a folder, want one with recorded spaces' --spaces "$work/none"
refuses 'want >= 1' --spaces packages/scoring/recordings --repeats 0
refuses 'want log or throughput' --spaces packages/scoring/recordings --scale nothing
refuses 'want enough to hold half back' --spaces packages/scoring/recordings --rows 3

run() { "$surrogates" --spaces packages/scoring/recordings --rows 32 --fresh 100 --repeats 2 --each "$@"; }
run >"$work/first"
run >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs of one seed differ"
# Six models, each on two spaces and on both.
[ "$(grep -c '^[fb]o' "$work/first")" = 18 ] || fail "not a row for each model and space"
run --json >"$work/json"
[ "$(json_rows "$work/json" rows)" = 18 ] || fail "not the table's rows in JSON"
exit $bad
