#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_transfer promises: wrong input is one line and exit status 2; the same table twice, with a row for each space that another one of its family
# teaches, and none for others; the same rows in JSON, with the keys that other programs read.
set -eu
cd "$(dirname "$0")/../../../.."
transfer=$1/studies/bench_transfer
program=$transfer
. "./tests/support/refuses.sh"
spaces=packages/scoring/recordings
refuses 'is not a folder, want one with recorded spaces' --spaces "$work/none"
refuses 'want --spaces DIR or --made-up'
refuses 'are counts, want >= 1' --spaces $spaces --repeats 0
refuses '"random" is unknown, want one of: combined' --spaces $spaces --strategy random
refuses '"memory" is unknown, want one of: logs, recordings' --spaces $spaces --from memory
refuses '"white" is unknown, want one of: none, shuffled, inverted' --spaces $spaces --lie white

run() { "$transfer" --spaces $spaces/resnet18 --only R1 --repeats 1 --log-trials 12 --most-sources 2 "$@" 2>"$work/own_time"; }
run --sources $spaces/resnet18 --sources $spaces/alexnet >"$work/first"
run --sources $spaces/resnet18,$spaces/alexnet >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs of one seed differ"
[ "$(grep -c '^R1' "$work/first")" = 4 ] || fail "not a row for each of R1, R10, R11 and R12"
grep -q 'own time of a run' "$work/own_time" || fail "no own time on stderr"
run --json --lie inverted --from recordings >"$work/json"
[ "$(json_rows "$work/json" rows)" = 4 ] || fail "not the table's rows in JSON"
for key in space sources cold_to_105 warm_to_105 cold_after_100 warm_after_100; do
    [ "$(grep -c "\"$key\"" "$work/json")" = 4 ] || fail "a row without $key"
done
[ "$("$transfer" --spaces $spaces --only gemm_Out --repeats 1 2>/dev/null | grep -c '^gemm')" = 0 ] ||
    fail "a space that nobody teaches has a row"
mkdir "$work/versions"
for version in R1:tiled_a R2:tiled_b; do
    for file in params csv.gz; do cp $spaces/resnet18/${version%:*}.$file "$work/versions/${version#*:}-X.$file"; done
done
versions() { "$transfer" --spaces "$work/versions" --repeats 1 --log-trials 12 "$@" 2>"$work/err" | grep -c '^tiled' || true; }
[ "$(versions --versions)" = 2 ] || fail "not a row for each of two versions: $(cat "$work/err")"
[ "$(versions)" = 0 ] || fail "a version learns from another without --versions"
"$transfer" --made-up --repeats 1 --log-trials 12 >"$work/made_up"
for size in 4 6 9; do
    grep -qE "^10\\^$size +3( +[0-9.]+){3}\$" "$work/made_up" || fail "no own time in 10^$size configurations: $(cat "$work/made_up")"
done
exit $bad
