#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_schedule promises: wrong input is one line and exit status 2; the recorded networks replay, with every schedule, to
# the same table twice.
set -eu
cd "$(dirname "$0")/../../../.."
replay=$1/studies/bench_schedule
search=$1/studies/bench_search
program=$replay
. "./tests/support/refuses.sh"
data=packages/scoring/recordings/resnet18
refuses 'want one of them'
refuses 'want one of them' --synthetic 3 --recorded $data
refuses 'want alexnet, resnet18, squeezenet or vgg16' --network nonet --recorded $data
refuses 'nowhere' --recorded nowhere
refuses 'nowhere' --network spaces --recorded nowhere
refuses 'holds no recorded space' --network spaces --recorded "$work"
refuses 'want one of: random, ' --recorded $data --strategy best
refuses 'want one of: sequential, ' --recorded $data --schedule fair
refuses '--repeats is 0' --recorded $data --repeats 0
refuses 'ends in the warm-up' --recorded $data --strategy random --seconds 0.01
refuses '--budgets: a budget is not positive' --recorded $data --fair --budgets 0
refuses '--builders: 0 builders' --recorded $data --fair --builders 0
refuses '--core 100000' --record "$work/none" --core 100000

for network in resnet18 squeezenet alexnet; do
    run() { "$replay" --network $network --recorded packages/scoring/recordings/$network --strategy random --repeats 2 --seconds 300 --json --out "$work" 2>/dev/null; }
    run | grep -v own_s >"$work/first"
    run | grep -v own_s >"$work/second"
    cmp -s "$work/first" "$work/second" || fail "$network: the same seed gave another table"
    for schedule in sequential random round-robin linear da-random da-round-robin ansor dynatune dynatune-curves dynatune-egreedy dynatune-softmax dynatune-curves-egreedy dynatune-curves-softmax oracle; do
        grep -q "\"schedule\": \"$schedule\"" "$work/first" || fail "$network: no row for $schedule"
    done
    grep -A8 '"schedule": "oracle"' "$work/first" | grep -q '"area_over_optimal": 1.0,' || fail "$network: the oracle is not what areas are divided by"
    grep -q '</svg>' "$work/$network-random.svg" || fail "$network: no picture"
done
"$replay" --recorded $data --strategy random --schedule sequential --repeats 2 --seconds 300 >"$work/table" 2>/dev/null
grep -q 'of 300 s, .*; baseline: random, sequential, an even share each, no early stopping' "$work/table" ||
    fail "the table does not name its baseline's rule and budget"
"$replay" --network spaces --recorded bench/studies/data/large --strategy random --schedule sequential --repeats 2 --seconds 1 --json >"$work/large" 2>/dev/null ||
    fail "the large spaces are not replayed"
grep -q '"area_over_optimal": null' "$work/large" || fail "large: an oracle played spaces to their end"
refuses 'too large to be played to their end' --network spaces --recorded bench/studies/data/large --schedule oracle
fair() { "$replay" --recorded $data --fair --strategy random,combined --repeats 2 --budgets 100 --builders 1,4 --json 2>/dev/null; }
fair >"$work/fair"
fair | cmp -s - "$work/fair" || fail "--fair: the same seed gave another table"
# 2 numbers of builders, 4 stopping rules, 2 orders; random and combined, and combined asked for 4 at a time.
[ "$(grep -c '"patience"' "$work/fair")" = 40 ] || fail "--fair: $(grep -c '"patience"' "$work/fair") rows, want 40"
for stop in null 200 100 64; do
    grep -q "\"patience\": $stop" "$work/fair" || fail "--fair: no baseline that stops after $stop"
done
grep -q '"strategy": "combined, 4 ahead"' "$work/fair" || fail "--fair: combined is not asked for 4 at a time"
[ -x "$search" ] || fail "$search is not built here"
"$search" --spaces packages/scoring/recordings/resnet18 --only R11 --strategy annealing --repeats 2 --json | grep -q '"failed_share": 0.0' ||
    fail "bench_search does not read the recordings"
[ "$bad" = 0 ] && echo "wrong input refused, all networks replayed twice"
exit $bad
