#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_live promises: wrong input is one line and exit status 2; two short runs of tune_network are compared,
# in a table or JSON.
set -eu
live=$1/studies/bench_live
tune=$1/tools/tune_network
program=$live
. "$(dirname "$0")/../../../../tests/support/refuses.sh"
refuses 'cannot be opened for reading' "$work/none"
refuses 'has no convolutions here' --network transformer "$work/none"
refuses '--rounds is 0' --rounds 0 "$work/none"

for schedule in sequential dynatune; do
    "$tune" --network alexnet --templates autotvm --from-scratch --seconds 20 --schedule $schedule --log "$work/$schedule" >/dev/null
done
refuses 'seed 1 has no log of sequential' --network alexnet "$work/dynatune" --rounds 1
"$live" --network alexnet --rounds 1 "$work/sequential" "$work/dynatune" >"$work/table" || fail "exit status $?"
grep -q '^untuned [0-9.]* ms' "$work/table" || fail "the untuned latency is missing"
grep -q '^seconds to 1.01x of the final latency of sequential, over those of dynatune: ' "$work/table" || fail "the comparison is missing"
grep -q '^T_q: seconds until the model stays within 1, 2 and 5 % of the best known' "$work/table" || fail "T_q is missing"
grep -q '^combined/dynatune  *[0-9.]* .* [01]/1' "$work/table" || fail "there is no T_q of a system"
grep -q '^combined/dynatune ahead of combined/sequential by T_q: [0-9.]* \[' "$work/table" || fail "the lead by T_q is missing"
refuses 'seed 1 has several logs of combined' --network alexnet "$work/sequential" "$work/dynatune" --rounds 1 --baseline combined
"$live" --network alexnet --rounds 1 "$work/sequential" "$work/dynatune" --json >"$work/json" ||
    fail "--json: exit status $?"
[ "$(json_rows "$work/json" rows)" = 2 ] || fail "two logs are not two rows in JSON"
grep -q '"speedup": [0-9]' "$work/json" || fail "the comparison is missing in JSON"
refuses 'has not the tasks of --network resnet18' "$work/dynatune"
exit $bad
