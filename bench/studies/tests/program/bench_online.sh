#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_online promises: wrong input is one line and exit status 2; the same numbers twice but for our own time; the default alone
# is never above itself; tuning ends below what the default alone takes; JSON has the table's rows.
set -eu
cd "$(dirname "$0")/../../../.."
bench=$1/studies/bench_online
program=$bench
. "./tests/support/refuses.sh"
refuses 'is not a folder, want one with recorded spaces' --spaces "$work/none"
refuses 'strategy' --spaces packages/scoring/recordings --strategy nothing
refuses "'-1' is not an integer from 0" --spaces packages/scoring/recordings --seed -1
refuses '--calls has a 0' --spaces packages/scoring/recordings --calls 0
refuses '--defaults has a number outside' --spaces packages/scoring/recordings --defaults 1.5
refuses '--repeats, --calls and --defaults are counts' --spaces packages/scoring/recordings --repeats 0
refuses 'online::options: regret is negative' --spaces packages/scoring/recordings --regret -1

run() { "$bench" --spaces packages/scoring/recordings --only gemm_Out --defaults 0.5 --calls 1000,20000 --repeats 3 "$@"; }
run | grep -v '^own cost' >"$work/first"
run | grep -v '^own cost' >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs of one seed differ"
[ "$(grep -vc 'contexts settled' "$work/first")" = 12 ] || fail "the table has not a line per policy and number of calls"
grep -q '^online widening, default 50%: 3 of 3 contexts settled, after' "$work/first" || fail "nothing says when contexts settle"
awk '/^default alone/ && $NF != "0.00%" { exit 1 }' "$work/first" || fail "the default alone is above itself"
# policy(2 words) default calls time ...
awk '/^online widening/ && $4 == 20000 { online = $5 } /^default alone/ && $4 == 20000 { untuned = $5 }
    END { exit !(online > 1 && online < untuned) }' "$work/first" || fail "tuning gained nothing in 20000 calls"
run --json >"$work/json"
[ "$(json_rows "$work/json" rows)" = 10 ] && [ "$(json_rows "$work/json" scores)" = 10 ] || fail "JSON has not ten rows and ten scores"

# A sample of a space of 10^16 configurations is replayed over its rows.
mkdir "$work/sample"
awk -v params="$work/sample/large.params" -v rows="$work/sample/large.csv" 'BEGIN {
    print "# sample: 200 of 1e16 configurations\nkernel large\ndevice none" >params
    for (j = 1; j <= 16; ++j) { print "param p" j " 0 1 2 3 4 5 6 7 8 9" >params; header = header "p" j "," }
    print header "time_ms,status,cost_ms,compile_ms,verification_ms,benchmark_ms,framework_ms,t0" >rows
    for (i = 0; i < 200; ++i) {
        sum = 1
        for (j = 1; j <= 16; ++j) { digit = j <= 3 ? int(i / 10 ^ (3 - j)) % 10 : int(i * (j + 3) / 7) % 10; sum += digit; printf "%d,", digit >rows }
        print sum ",valid," sum ",0,0," sum ",0," sum >rows
    }
}'
"$bench" --spaces "$work/sample" --defaults 0.5 --calls 1000 --repeats 2 >"$work/large" || fail "a sample of a large space is not replayed"
grep -q '^1 spaces' "$work/large" || fail "a sample of a large space was left out"
exit $bad
