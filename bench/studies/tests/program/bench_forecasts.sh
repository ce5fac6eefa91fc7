#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_forecasts promises: wrong input is one line and exit status 2; the same table twice; forecasts by improvements cover and are sharper than the
# last value on the spaces that come with the sources.
set -eu
cd "$(dirname "$0")/../../../.."
forecasts=$1/studies/bench_forecasts
program=$forecasts
. "./tests/support/refuses.sh"
refuses 'is not a folder, want one with recorded spaces' --spaces "$work/none"
refuses 'holds no recorded space' --spaces "$work"
refuses 'strategy "nonsense" is unknown' --spaces packages/scoring/recordings --strategy nonsense
refuses 'want >= 1' --spaces packages/scoring/recordings --repeats 0
refuses '--by' --spaces packages/scoring/recordings --by nonsense
refuses '--json has no form for --stopping' --spaces packages/scoring/recordings --stopping --json

run() {
    "$forecasts" --spaces packages/scoring/recordings --strategy random,annealing --repeats 3 --networks 2 --tasks 3 "$@"
}
run >"$work/first"
run >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs of one seed differ"
run --json | grep -q '"coverage"' || fail "no coverage in JSON"

# METHOD: its coverage, width and score
numbers() {
    sed -n "s/^$1  *all  *[0-9]*  *\([0-9.]*\) ([^)]*)  *\([0-9.]*\)  *\([0-9.]*\) .*/\1 \2 \3/p" "$work/first"
}
echo "$(numbers improvements) $(numbers "last value")" |
    awk 'NF == 6 && $1 >= 80 && $1 <= 99 && $2 < $5 && $3 < $6 { ok = 1 } END { exit !ok }' ||
    fail "they do not cover, or are no sharper than the last value: $(numbers improvements), $(numbers "last value")"

# Where the calls take as long as 100 trials, the rule that tunekit has loses less than 100 trials do.
"$forecasts" --stopping --spaces packages/scoring/recordings --strategy annealing --repeats 1 >"$work/stopping"
[ "$(grep -c '^improvements: [0-9]* promises' "$work/stopping")" = 1 ] || fail "--stopping has no calibration"
awk '/^1 +100 trials/ { fixed = $5 } /^1 +improvements, 1 ahead/ { rule = $6 } END { exit !(rule > 0 && rule < fixed) }' "$work/stopping" ||
    fail "--stopping: $(grep '^1 ' "$work/stopping")"
exit $bad
