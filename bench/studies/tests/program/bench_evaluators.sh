#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_evaluators promises: wrong input is one line and exit status 2; the same table twice, and as many rows in JSON; what
# bench_schedule --record --runs records it replays; rules act in blocks where they do not in single draws.
set -eu
cd "$(dirname "$0")/../../../.."
bench=$1/studies/bench_evaluators
record=$1/studies/bench_schedule
program=$bench
. "./tests/support/refuses.sh"
refuses '--repeats is 0' --repeats 0
refuses 'is not a folder' --recorded "$work/none"
refuses 'holds no recorded space' --recorded "$work"
refuses 'R1: no order of its runs is known' --recorded packages/scoring/recordings/resnet18

run() { "$bench" --repeats 2 "$@"; }
run >"$work/first"
run >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs of one seed differ"
rows=$(grep -cE '^(blocks|single) ' "$work/first")
[ "$rows" = 20 ] || fail "the table has $rows rows, want ten for each way of drawing"
grep -qE '^blocks  fixed-500 +500\.0 +500 +500 +0\.0  1\.00 \[1\.00, 1\.00\]' "$work/first" || fail "500 runs are not what others are compared with"
run --json >"$work/json"
[ "$(json_rows "$work/json" layers)" = 1 ] || fail "JSON has not one layer"
[ "$(grep -c '"evaluator"' "$work/json")" = "$rows" ] || fail "JSON has not the table's rows"

program=$record
refuses '--layer "R99" is no convolution of resnet18' --record "$work/runs" --layer R99
refuses 'want a divisor' --record "$work/runs" --layer R11 --runs 500 --block 7
refuses '--record' --layer R11
core=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
"$record" --record "$work/runs" --layer R11 --sample 3 --runs 6 --block 2 --core "$core" >"$work/recorded" 2>/dev/null ||
    fail "three configurations are not recorded"
grep -q '^R11 *3 *0 ' "$work/recorded" || fail "recorded: $(cat "$work/recorded")"
grep -q '^# passes: 6 runs in blocks of 2$' "$work/runs/R11.params" || fail "the recording does not say the order of its runs"
[ "$(gzip -dc "$work/runs/R11.csv.gz" | awk -F, 'END { print NR, NF }')" = "4 23" ] || fail "the recording has not three rows of twelve runs"
"$bench" --recorded "$work/runs" --repeats 1 >"$work/replayed" || fail "the recording is not replayed"
grep -q '^R11: 3 configurations, 2 passes of 6 runs, blocks of 2' "$work/replayed" || fail "replayed: $(head -1 "$work/replayed")"
[ "$bad" = 0 ] && echo "wrong input refused, runs replayed in blocks and one by one"
exit $bad
