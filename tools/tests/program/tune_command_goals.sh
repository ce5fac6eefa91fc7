#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# tune_command with several numbers: objectives, another objective on an old log, the front of two goals on terminal, JSON, log and page,
# sizes, memory and energy beside the cost, the protocol, and what is told of wrong input.
set -eu
tune=$1/tools/tune_command
report=$1/tools/tune_report
program=$tune
here=$(cd "$(dirname "$0")/../../.." && pwd)
. "$here/tests/support/refuses.sh"
cd "$work"
cat >space.json <<'END'
{"parameters": [{"name": "level", "values": [1, 2, 3, 4, 5, 6]}, {"name": "mode", "values": ["plain", "long"]}], "default": {"level": 3, "mode": "long"}}
END
# LEVEL MODE: slower and smaller with each level; the long mode is worse in both.
cat >work.sh <<'END'
#!/bin/sh
long=0
[ "$2" = long ] && long=3
echo "cost $((10 * $1 + long))"
echo "bytes $((1000 - 100 * $1 + 7 * long))"
END
chmod +x work.sh
run() {
    "$tune" --space space.json --strategy grid --repeat 1 --trials 12 --seconds 60 --cost 'regex:cost ([0-9.]+)' --number 'bytes=regex:bytes ([0-9]+)' "$@" -- ./work.sh {level} {mode}
}
value() { tr -d '\n ' <json | sed "s/.*$1//; s/[,}\"].*//"; }
best() { value '"best":{"config":{"level":'; }

# Objectives: level 1 is fastest (10, 900 bytes), level 6 smallest (60, 400 bytes).
for case in 'cost 1' 'bytes 6' 'cost + 0.01 * bytes 1' 'cost + bytes 6' 'cost where bytes <= 650 4' 'cost where bytes <= 400 6' 'cost * bytes 1'; do
    text=${case% *}
    run --objective "$text" --json >json 2>err || fail "--objective '$text': exit status $?: $(cat err)"
    [ "$(best)" = "${case##* }" ] || fail "--objective '$text' finds level $(best), want ${case##* }"
done
run --objective 'cost where bytes <= 650' --log within.jsonl --json >json 2>err || fail "with a log: $(cat err)"
[ "$(value '"best":{[^}]*},"cost":')" = 40.0 ] || fail "the best within 650 bytes costs $(value '"best":{[^}]*},"cost":')"
head -n 1 within.jsonl | grep -q '"measured":\["bytes","cost"\],"objective":"cost where bytes <= 650"' || fail "the header: $(head -n 1 within.jsonl)"
run --objective 'cost where bytes <= 650' --log within.jsonl --resume >out 2>err || fail "resumed: $(cat err)"
grep -q '^best  *40 ' out || fail "resumed: $(cat out)"
refuses 'the objective cost where bytes <= 650, not cost where bytes <= 600' --space space.json --strategy grid --trials 12 --seconds 60 --repeat 1 --cost 'regex:cost ([0-9.]+)' \
    --number 'bytes=regex:bytes ([0-9]+)' --objective 'cost where bytes <= 600' --log within.jsonl --resume -- ./work.sh {level} {mode}

# A limit that nobody can keep: the nearest is told, and the exit status is 1.
status=0
run --objective 'cost where bytes <= 300' --log never.jsonl >out 2>err || status=$?
[ $status = 1 ] || fail "a limit that nobody keeps: exit status $status"
grep -q '^1 configuration, 0 failed, .*, none keeps the limit, the nearest is [0-9.]* % beyond it$' err || fail "its progress: $(cat err)"
if grep -q 'best .*e+30' err; then fail "its progress has a cost: $(cat err)"; fi
grep -q "^no configuration keeps the limit of 'cost where bytes <= 300'; the nearest that was found: .*bytes 400; cost 60$" out || fail "the nearest: $(cat out)"
"$report" never.jsonl --text >text || fail "the report of it"
grep -q '^No configuration keeps the limit of cost where bytes <= 300.$' text || fail "the report: $(cat text)"
tr '\n' ' ' <text | tr -s ' ' | grep -q 'The nearest that was found is level = 6, mode = plain, bytes 400, cost 60.' || fail "the report's nearest: $(cat text)"

# Another objective on an old log, with one or without.
run --log plain.jsonl >out 2>err || fail "without an objective: $(cat err)"
for log in plain never within; do
    "$report" $log.jsonl --objective 'bytes' --text >text || fail "$log.jsonl by bytes"
    grep -q 'winner: level = 6, mode = plain' text || fail "$log.jsonl by bytes: $(cat text)"
    "$report" $log.jsonl --objective 'cost where bytes <= 500' --text >text || fail "$log.jsonl within 500 bytes"
    grep -q 'winner: level = 5, mode = plain' text || fail "$log.jsonl within 500 bytes: $(cat text)"
done
if "$report" plain.jsonl --objective 'watts' --text >text 2>err; then fail 'the report takes an unknown number'; fi
grep -q "no number is called 'watts', want one of cost, bytes" err || fail "the report of an unknown number: $(cat err)"

# The front, by a strategy for one goal and by one for several: every level without the long mode, and the default, which is not in it.
for how in 'random --goals cost,bytes' parego; do
    # shellcheck disable=SC2086 # options
    "$tune" --space space.json --strategy $how --repeat 1 --trials 12 --seconds 60 --cost 'regex:cost ([0-9.]+)' --number 'bytes=regex:bytes ([0-9]+)' \
        --log front.jsonl --report front.html --json -- ./work.sh {level} {mode} >json 2>err || fail "$how: exit status $?: $(cat err)"
    n=$(tr -d '\n ' <json | sed 's/.*"front":\[//; s/\],"dominated".*//' | grep -o '"mode":"plain"' | wc -l)
    [ "$n" = 6 ] || fail "$how: the front has $n members: $(cat json)"
    tr -d '\n ' <json | sed 's/.*"front":\[//; s/\],"dominated".*//' | grep -q long && fail "$how: a dominated one is in the front"
    tr -d '\n ' <json | sed 's/.*"dominated":\[//; s/\],"rounds_of_front".*//' | grep -q '"level":3,"mode":"long"' || fail "$how: the default is not told as dominated: $(cat json)"
    grep -q '<h2[^>]*>The front</h2>' front.html || fail "$how: the page has no front"
    grep -q 'default, not in it' front.html || fail "$how: the page has no default"
    "$report" front.jsonl --text >text || fail "$how: the report"
    grep -q 'the front of cost and bytes, by [0-9]* rounds side by side' text || fail "$how: the terminal has no front: $(cat text)"
    [ "$(grep -c 'level = ., mode = plain' text)" -ge 6 ] || fail "$how: the terminal's front: $(cat text)"
    rm front.jsonl
done

# Sizes, memory and energy. The counters are files that look like those of Linux.
mkdir -p cap/intel-rapl:0
echo 1000000 >cap/intel-rapl:0/energy_uj
echo 100000000 >cap/intel-rapl:0/max_energy_range_uj
cat >files.sh <<END
#!/bin/sh
head -c "\$((1000 * \$1))" /dev/zero >out.bin
echo "\$((1000000 + 250000 * \$1))" >$work/cap/intel-rapl:0/energy_uj
END
chmod +x files.sh
"$tune" --space space.json --strategy grid --repeat 1 --trials 6 --seconds 60 --directory '{scratch}' --number 'bytes=size:out.bin' --number peak=peak-memory \
    --objective 'bytes where peak <= 1e12' --json -- "$work/files.sh" {level} {mode} >json 2>err || fail "sizes: $(cat err)"
[ "$(value '"best":{[^}]*},"cost":')" = 1000.0 ] || fail "the smallest file has $(value '"best":{[^}]*},"cost":')"
echo 1000000 >cap/intel-rapl:0/energy_uj
refuses 'no counter can be read in /nowhere' --space space.json --number joules=joules --powercap /nowhere -- ./files.sh {level} {mode}
"$tune" --space space.json --strategy grid --repeat 1 --trials 2 --seconds 20 --number 'bytes=size:none.bin' -- /bin/sh -c 'true {level} {mode}' >out 2>err || true
grep -q "bad_cost: bytes: the file 'none.bin' is not there after the run" out || fail "a file that is not there: $(cat out err)"

# The protocol: numbers are told by their names.
printf '%s\n' '{"ask": 1}' '{"tell": 0, "cost": 5, "numbers": {"bytes": 100}}' '{"ask": 1}' '{"tell": 1, "cost": 4, "numbers": {"bytes": 900}}' '{"ask": 1}' \
    '{"tell": 2, "cost": 4}' '{"tell": 2, "cost": 4, "numbers": {"watts": 900}}' '{"best": true}' |
    "$tune" --space space.json --trials 5 --serve --number bytes=regex:x --objective 'cost where bytes <= 500' >served 2>err || fail "the protocol: $(cat err)"
grep -q '"best":{"config":.*"cost":5' served || fail "the protocol's best: $(cat served)"
[ "$(grep -c '"error"' served)" = 2 ] || fail "the protocol takes a tell without its numbers: $(cat served)"

# A cost that is good enough ends the run: the default costs 33, the next one 10; of the scores 721 and 900. A time may have a unit.
while IFS='|' read -r trials options; do
    # shellcheck disable=SC2086 # options in words
    "$tune" --space space.json --strategy grid --repeat 1 $options -- ./work.sh {level} {mode} >out 2>err || fail "$options: $(cat err)"
    grep -q "^$trials configurations* measured, 0 failed, .*: the cost that was asked for is reached" out || fail "$options ends otherwise: $(cat out)"
done <<'END'
2|--cost regex:cost.([0-9]+) --until-cost 25
1|--cost regex:cost.([0-9]+) --until-cost 33
2|--cost regex:bytes.([0-9]+) --maximize --until-cost 900
1|--cost regex:cost.([0-9]+) --unit s --until-cost 40000ms
1|--until-cost 60s
2|--cost regex:bytes.([0-9]+) --maximize --unit GB/s --until-peak 0.9 --peak 1000
1|--until-peak 0.5 --peak 1 --flop 1e12
1|--until-peak 0.001 --peak 0.5 --bytes 2e9
2|--cost regex:cost.([0-9]+) --unit s --until-peak 0.8 --peak 1 --flop 20e9
1|--cost regex:cost.([0-9]+) --unit s --until-peak 0.6 --peak 1 --flop 20e9
END
"$tune" --space space.json --strategy grid --repeat 1 --cost 'regex:cost.([0-9]+)' --unit s --until-peak 0.8 --peak 1 --flop 20e9 --report page.html -- ./work.sh {level} {mode} >out 2>err ||
    fail "a page with shares of the peak: $(cat err)"
for words in 'of peak' 'GFLOP/s' '>200'; do grep -qF "$words" page.html || fail "the page has no '$words'"; done

# Wrong input: a line each.
refuses "--until-cost '3ms', want a positive number, without a unit: the cost is no time" --space space.json --cost regex:x --until-cost 3ms -- ./work.sh {level} {mode}
refuses "--until-cost 'soon', want a positive number of seconds, or one with s, ms, us or ns, such as 1.2ms" --space space.json --until-cost soon -- ./work.sh {level} {mode}
refuses '--until-peak 90, want a share of the peak, such as 0.9' --space space.json --until-peak 90 --peak 1 --flop 1 -- ./work.sh {level} {mode}
refuses '--until-peak 0.9 needs --peak of the machine, want it in GFLOP/s or GB/s' --space space.json --until-peak 0.9 --flop 1 -- ./work.sh {level} {mode}
refuses '--until-peak 0.9 needs --peak of the machine, want it in GB/s' --space space.json --cost regex:x --maximize --unit GB/s --until-peak 0.9 -- ./work.sh {level} {mode}
refuses '--until-peak 0.9 needs the work of a run, want --flop N or --bytes N' --space space.json --until-peak 0.9 --peak 1 -- ./work.sh {level} {mode}
refuses '--until-peak 0.9 needs the work of a run, want --flop N or --bytes N' --space space.json --until-peak 0.9 --peak 1 --flop 1 --bytes 1 -- ./work.sh {level} {mode}
refuses '--until-peak 0.9 is of a time or of a score, want such a cost: it has no unit' --space space.json --cost regex:x --until-peak 0.9 --peak 1 --flop 1 -- ./work.sh {level} {mode}
refuses 'make a rate of a time, want none: the cost is a score' --space space.json --cost regex:x --maximize --until-peak 0.9 --peak 1 --flop 1 -- ./work.sh {level} {mode}
refuses '--until-cost and --until-peak each end a run at a cost, want one' --space space.json --until-cost 1 --until-peak 0.9 --peak 1 --flop 1 -- ./work.sh {level} {mode}
refuses '--peak -1, want a positive number' --space space.json --until-peak 0.9 --peak -1 --flop 1 -- ./work.sh {level} {mode}
refuses '--peak, --flop and --bytes are used only by --until-peak, want it, too' --space space.json --peak 1 -- ./work.sh {level} {mode}
refuses "no number is called 'watts', want one of cost, bytes" --space space.json --number bytes=regex:x --objective 'cost * watts' -- ./work.sh {level} {mode}
refuses "want a number, the name of a number or" --space space.json --objective 'cost *' -- ./work.sh {level} {mode}
refuses 'is not a limit, want NAME <= NUMBER' --space space.json --number bytes=regex:x --objective 'cost where bytes < 5' -- ./work.sh {level} {mode}
refuses 'makes one goal of several' --space space.json --number bytes=regex:x --objective 'bytes' --goals cost,bytes -- ./work.sh {level} {mode}
refuses "neither cost nor a --number" --space space.json --number bytes=regex:x --goals cost,watts -- ./work.sh {level} {mode}
refuses 'names one goal' --space space.json --number bytes=regex:x --goals cost -- ./work.sh {level} {mode}
refuses 'minimises several goals, want a --number' --space space.json --strategy parego -- ./work.sh {level} {mode}
refuses "twice, want each once" --space space.json --number bytes=regex:x --number bytes=regex:y -- ./work.sh {level} {mode}
refuses 'has the name of the cost' --space space.json --number cost=regex:x -- ./work.sh {level} {mode}
refuses 'want an objective that is lowered' --space space.json --maximize --cost regex:x --objective 'cost' -- ./work.sh {level} {mode}
exit $bad
