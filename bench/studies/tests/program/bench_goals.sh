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

# Other people's tables in our form: MOOT's of three goals, one of them to be raised, and HLSyn's with what failed. All of them is the whole front.
mkdir -p "$work/moot/optimize/config" "$work/hlsyn/data/designs/v20"
printf '%s\n' 'Threads,Heap,Cache,Rate+,Energy-,Cpu-' '1,0.5,on,10,3,5' '2,0.5,off,20,4,4' '4,1.5,on,40,9,3' '8,1.5,off,30,9,9' >"$work/moot/optimize/config/SS-A.csv"
cat >"$work/hlsyn/data/designs/v20/nw.json" <<'EOF'
{"a": {"perf": 4000.0, "point": {"__PARA__L0": 1, "__PIPE__L1": ""}, "res_util": {"util-LUT": 0.1, "total-LUT": 900}, "valid": true},
 "b": {"perf": 2000.0, "point": {"__PARA__L0": 2, "__PIPE__L1": "off"}, "res_util": {"util-LUT": 0.9, "total-LUT": 9000}, "valid": true},
 "c": {"perf": 0.0, "point": {"__PARA__L0": 2, "__PIPE__L1": "flatten"}, "res_util": {"util-LUT": 0, "total-LUT": 0}, "valid": false},
 "e": {"perf": 3500.0, "point": {"__PARA__L0": 4, "__PIPE__L1": ""}, "res_util": {"util-LUT": 0.2, "total-LUT": 1000}, "valid": true},
 "d": {"perf": 3000.0, "point": {"__PARA__L0": 2, "__PIPE__L1": ""}, "res_util": {"util-LUT": 0.2, "total-LUT": 1800}, "valid": true}}
EOF
tar -czf "$work/hlsyn/data/HLSyn_data.tar.gz" -C "$work/hlsyn" data/designs
python3 bench/studies/data/goal_spaces.py moot "$work/moot" "$work/others" SS-A || fail "goal_spaces: moot"
for line in 'param Threads 1 2 4 8' 'param Heap 0 1' 'param Cache 0 1' 'value energy' 'value cpu' '# goals: 1 / rate, energy, cpu' "# positions of Heap: 0 '0.5', 1 '1.5'" "# Cache: 0 'off', 1 'on'"; do
    grep -qxF "$line" "$work/others/SS-A.params" || fail "goal_spaces: no line '$line': $(cat "$work/others/SS-A.params")"
done
gzip -dc "$work/others/SS-A.csv.gz" | grep -qx '4,1,1,0.025,valid,0,0,0,0,0,9.0,3.0' || fail "goal_spaces: $(gzip -dc "$work/others/SS-A.csv.gz")"
python3 bench/studies/data/goal_spaces.py hlsyn "$work/hlsyn" "$work/others" nw-v20 || fail "goal_spaces: hlsyn"
for line in '1,1,4.0,valid,0,0,0,0,0,900' '2,0,,runtime_error,0,0,0,0,0,' '2,2,,compile_error,0,0,0,0,0,'; do
    gzip -dc "$work/others/nw-v20.csv.gz" | grep -qxF "$line" || fail "goal_spaces: no row '$line': $(gzip -dc "$work/others/nw-v20.csv.gz")"
done
for space in SS-A nw-v20; do
    "$goals" "$work/others/$space" --trials 5 --repeats 1 --strategies random,parego >"$work/whole" || fail "$space is not read"
    [ "$(awk '$2 == "1.0000" { n++ } END { print n }' "$work/whole")" = 2 ] || fail "all of $space is not the whole front: $(cat "$work/whole")"
done
sed -i 's/^2,0.5,off,20/1,0.5,on,0/' "$work/moot/optimize/config/SS-A.csv"
status=0
python3 bench/studies/data/goal_spaces.py moot "$work/moot" "$work/others" SS-A 2>"$work/err" || status=$?
[ $status = 1 ] && grep -q 'has a configuration twice' "$work/err" || fail "a configuration twice: $status, $(cat "$work/err")"
exit $bad
