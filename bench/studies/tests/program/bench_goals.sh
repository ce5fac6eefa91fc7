#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_goals and record_log promise: wrong input is one line and exit status 2; the recorded front is the whole of what can be found; the same table twice, and as
# many rows in JSON; parego finds more of a recorded front than random search; a log of tune_command becomes the space that was measured.
set -eu
cd "$(dirname "$0")/../../../.."
goals=$1/studies/bench_goals
record=$1/studies/record_log
program=$goals
data=bench/studies/data/goals
. "./tests/support/refuses.sh"
refuses 'has no number beside the cost' packages/scoring/recordings/gemm_Out
refuses 'cannot be opened' "$work/none"
refuses '--repeats or --trials is 0' $data/zstd --repeats 0

run() { "$goals" $data/zstd --repeats 3 --trials 80 "$@"; }
run >"$work/first"
run >"$work/second"
sed 's/ *[0-9.]*$//' "$work/first" >"$work/first.told" # without their milliseconds
sed 's/ *[0-9.]*$//' "$work/second" >"$work/second.told"
cmp -s "$work/first.told" "$work/second.told" || fail "two runs of one seed differ"
share() { awk -v name="$1" '$1 == name { print $2 }' "$work/first"; }
echo "$(share parego) $(share random)" | awk 'NF == 2 && $1 > $2 && $1 <= 1 { ok = 1 } END { exit !ok }' || fail "parego is not above random: $(cat "$work/first")"
run --json >"$work/json"
[ "$(json_rows "$work/json" rows)" = 3 ] || fail "not the table's rows in JSON"

# A log of three configurations, and the space that it becomes.
cat >"$work/space.json" <<'EOF'
{"parameters": [{"name": "level", "values": [1, 2, 3]}, {"name": "mode", "values": ["plain", "long"]}]}
EOF
"$1/tools/tune_command" --space "$work/space.json" --strategy grid --trials 3 --repeat 2 --seconds 60 --cost 'regex:cost ([0-9.]+)' --number 'bytes=regex:bytes ([0-9]+)' --log "$work/log" \
    -- /bin/sh -c 'echo "cost $((1 + $0)) bytes $((100 - 10 * $0)) $1"' '{level}' '{mode}' >/dev/null 2>&1 || fail "no log"
"$record" "$work/log" --out "$work/made" --kernel 'a shell' --device 'here' >"$work/said" || fail "record_log: exit status $?"
grep -q '^3 configurations of 6$' "$work/said" || fail "record_log: $(cat "$work/said")"
for line in 'kernel a shell' 'param level 1 2 3' 'param mode 0 1' 'value bytes' "# mode: 0 'plain', 1 'long'" '# sample: 3'; do
    grep -qxF "$line" "$work/made.params" || fail "record_log: no line '$line': $(cat "$work/made.params")"
done
[ "$(gzip -dc "$work/made.csv.gz" | grep -c ',valid,')" = 3 ] || fail "record_log: $(gzip -dc "$work/made.csv.gz")"
"$goals" "$work/made" --trials 3 --repeats 1 --strategies random >"$work/whole" || fail "what record_log wrote is not read"
[ "$(awk '$1 == "random" { print $2 }' "$work/whole")" = 1.0000 ] || fail "all of a space is not the whole front: $(cat "$work/whole")"
exit $bad
