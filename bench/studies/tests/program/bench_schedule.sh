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
refuses '--builders is 0' --fair --builders 0
refuses '--systems: recipe "best" is unknown' --fair --systems best
refuses '--systems: schedule "best" is unknown' --fair --systems random/best
refuses 'want a whole number above 0 behind -1-in-' --fair --systems combined-1-in-0
refuses 'network vgg16 has no recording' --fair --network vgg16
refuses 'the recorded optimum is not known' --fair --network spaces
refuses '--fair' --fair --seconds 300
refuses '--fair' --systems combined
mkdir "$work/part"
cp $data/*.params $data/*.csv.gz "$work/part"
gzip -dc $data/R3.csv.gz | sed '7d' | gzip >"$work/part/R3.csv.gz"
refuses '1 configurations of the space have no row, want all recorded' --fair --recorded "$work/part"
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
fair() { "$replay" --network alexnet --fair --systems combined,random/round-robin --repeats 2 --builders 4 "$@" 2>/dev/null; }
fair --json --threads 1 >"$work/fair"
grep -v charged_s "$work/fair" >"$work/scores"
fair --json --threads 2 | grep -v charged_s | cmp -s - "$work/scores" || fail "--fair: the same seed gave another table on two threads"
# The baseline is always there, in its best form; ours has builds overlap, others with overlap and without.
[ "$(grep -c '"system": "random/round-robin"' "$work/fair")" = 2 ] || fail "--fair: a peer has no row with overlap and one without"
[ "$(grep -c '"system": "combined"' "$work/fair")" = 1 ] || fail "--fair: ours has more than the row with overlap"
[ "$(grep -c '"system": "autotvm-best-form"' "$work/fair")" = 1 ] || fail "--fair: the baseline is not there once"
[ "$(grep -c '"ahead": 1.0,' "$work/fair")" = 1 ] || fail "--fair: the baseline is not what leads are divided by"
for form in best alone overlapping; do grep -q "\"$form\": {" "$work/fair" || fail "--fair: no form of the baseline, $form"; done
for key in network builders system t1_s t2_s t5_s tq_s low high charged_s arrived over_oracle share_of_oracle excess_s; do
    grep -q "\"$key\"" "$work/fair" || fail "--fair: no $key in the JSON"
done
fair | grep -q '^combined .* yes ' || fail "--fair: the table has no row of combined with overlap"
fair | grep -q '^autotvm-best-form, the best of 64 on the other networks: ' || fail "--fair: the table does not say which form the baseline has"
carrying=combined,autotvm-carried,combined-1-in-4,combined-1-in-2
"$replay" --network alexnet --fair --systems $carrying --repeats 2 --builders 4 >"$work/carrying" 2>/dev/null
grep -q '^combined ahead of autotvm-carried, with[a-z ]*: [0-9.]* \[' "$work/carrying" || fail "--fair: no lead over what carries alike"
grep -q '^combined-1-in-4 ahead of combined, with overlap: 1.00 \[1.00, 1.00\]$' "$work/carrying" || fail "--fair: 1 in 4 is not what the recipe has"
grep -q '^combined-1-in-2 ahead of combined, with overlap: 1.00 \[1.00, 1.00\]$' "$work/carrying" && fail "--fair: 1 in 2 changes nothing"
[ -x "$search" ] || fail "$search is not built here"
"$search" --spaces packages/scoring/recordings/resnet18 --only R11 --strategy annealing --repeats 2 --json | grep -q '"failed_share": 0.0' ||
    fail "bench_search does not read the recordings"
[ "$bad" = 0 ] && echo "wrong input refused, all networks replayed twice"
exit $bad
