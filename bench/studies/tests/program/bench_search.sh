#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_search promises: wrong input is one line and exit status 2; the same scores and trajectories twice; random search scores
# about 0, a search that learns more; a run goes on for as long as random search needs.
set -eu
cd "$(dirname "$0")/../../../.."
search=$1/studies/bench_search
program=$search
. "./tests/support/refuses.sh"
refuses 'is not a folder, want one with recorded spaces' --spaces "$work/none"
refuses 'holds no such recorded space' --spaces packages/scoring/recordings --only nothing
refuses 'strategy' --spaces packages/scoring/recordings --strategy nothing
refuses '--repeats and --batch are counts' --spaces packages/scoring/recordings --repeats 0

run() { "$search" --spaces packages/scoring/recordings --only gemm_Out --strategy "$1" --repeats 15 --out "$2" | sed 's/ *[0-9.]*$//'; }
run random "$work/a" >"$work/first"
run random "$work/b" >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs of one seed differ"
files() { cut -d, -f1-4,6 "$work/$1/random/gemm_Out.csv"; }
[ "$(files a)" = "$(files b)" ] || fail "two trajectories of one seed differ"
[ "$(head -n 1 "$work/a/random/gemm_Out.csv")" = 'repeat,eval,sim_time_s,best_ms,overhead_s,row' ] || fail "the trajectory has other columns"
[ "$(tail -n 1 "$work/a/random/gemm_Out.csv" | cut -d, -f1)" = 14 ] || fail "the trajectory lacks repeats"

"$search" --spaces packages/scoring/recordings --only gemm_Out --strategy annealing --repeats 2 --json >"$work/json"
[ "$(json_rows "$work/json" rows)" = 1 ] && [ "$(json_rows "$work/json" scores)" = 1 ] || fail "JSON has not one row and one score"

run autotvm "$work/c" >"$work/second"
# Column 5 of the last line is S200; the mean of 15 repeats of random search has a standard deviation of 0.12 about 0 here: four of them are the bound.
score() { awk 'END { print $5 }' "$work/$1"; }
echo "$(score first) $(score second)" | awk 'NF == 2 && $1 > -0.5 && $1 < 0.5 && $2 > $1 + 0.1 { ok = 1 } END { exit !ok }' ||
    fail "scores are $(score first) at random and $(score second) by autotvm"
exit $bad
