#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# Where other conventions come in: a run that is resumed with something else, what is cut short in a T4 file, progress bars and long lines,
# names, integers, repeats, rows that stand twice, results of Kernel Tuner, and a machine that was repaired.
set -eu
program=$1/tools/tune_command
. "$(dirname "$0")/../../../tests/support/refuses.sh"
cd "$work"
runs() { "$program" "$@" >out 2>err || fail "$*: exit status $?: $(cat err)"; }
echo '{"parameters": [{"name": "n", "values": [1, 2, 3, 4, 5, 6, 7, 8]}]}' >space.json
printf '#!/bin/sh\necho seconds=0.00$1\necho bytes=1000\n' >work.sh
chmod +x work.sh

# A resumed run is the same run: what means another cost is refused, with both values; what may make another is told.
same='--strategy random --seed 3 --log run.jsonl'
seconds='regex:seconds=([0-9.]+)'
# shellcheck disable=SC2086 # options in words
{
    runs $same --space space.json --repeat 1 --unit s --env A=1 --trials 4 --cost "$seconds" -- ./work.sh {n}
    cp run.jsonl whole.jsonl
    same="$same --trials 8 --resume"
    usual='--repeat 1 --unit s --env A=1'
    refuses "was written with the cost regex:seconds=([0-9.]+), not regex:bytes=([0-9]+); resume with the same" $same --space space.json $usual --cost 'regex:bytes=([0-9]+)' -- ./work.sh {n}
    refuses 'was written with the unit s, not GFLOP;' $same --space space.json --repeat 1 --unit GFLOP --env A=1 --cost "$seconds" -- ./work.sh {n}
    refuses "was written with the program ./work.sh '{n}', not sh ./work.sh '{n}';" $same --space space.json $usual --cost "$seconds" -- sh ./work.sh {n}
    refuses 'was written with the check status:0, not status:1;' $same --space space.json $usual --cost "$seconds" --check status:1 -- ./work.sh {n}
    refuses 'was written with the limits run 60 s, build 300 s, not run 120 s, build 300 s;' $same --space space.json $usual --cost "$seconds" --run-seconds 120 -- ./work.sh {n}
    refuses 'line 2: the run began with configuration 0 (1), this one begins with 4 (5);' $same --space space.json $usual --cost "$seconds" --default n=5 -- ./work.sh {n}
    sed 's/7, 8/8, 7/' space.json >other.json
    refuses 'was written with the values of n 1, 2, 3, 4, 5, 6, 7, 8, not 1, 2, 3, 4, 5, 6, 8, 7;' $same --space other.json $usual --cost "$seconds" -- ./work.sh {n}
    cmp -s run.jsonl whole.jsonl || fail 'a refused resume changed the log'
    runs $same --space space.json --unit s --env A=2 --repeat 2 --cost "$seconds" -- ./work.sh {n}
    grep -q "log run.jsonl: the environment: was A=1, is A=2; the repeats: was 1, is 2" err || fail "another environment is not told: $(cat err)"
    grep -q '^best  *1.000 ms .*n = 1' out || fail "resumed: $(cat out)"
}

# What was cut short is no time in a T4 file, and is read back as the bound that it is.
echo '{"parameters": [{"name": "t", "values": ["02", "05", "4"]}]}' >times.json
printf '#!/bin/sh\nsleep 0.$1\n' >slow.sh
chmod +x slow.sh
runs --space times.json --trials 3 --repeat 2 --t4 out.json --log cut.jsonl --json -- ./slow.sh {t}
[ "$(grep -c '"tell".*"at_least":true' cut.jsonl)" = "$(grep -c '"name": "at_least"' out.json)" ] || fail "bounds of the log are no bounds in T4: $(cat out.json)"
[ "$(grep -c '"name": "at_least"' out.json)" -ge 1 ] || fail "nothing was cut short: $(cat cut.jsonl)"
[ "$(grep -c '"invalidity": "timeout"' out.json)" = "$(grep -c '"name": "at_least"' out.json)" ] || fail "a bound is called correct: $(cat out.json)"
grep -q "\"cut_short\": $(grep -c '"name": "at_least"' out.json)," out || fail "--json does not say what was cut short: $(cat out)"
runs --space times.json --strategy random --trials 3 --known out.json --log known.jsonl -- ./slow.sh {t}
[ "$(grep '"known"' known.jsonl | grep -c '"at_least":true')" = "$(grep -c '"name": "at_least"' out.json)" ] || fail "a bound in T4 is known as a time: $(cat known.jsonl)"

# The number behind a progress bar, and in a JSON of one line.
cat >bar.sh <<'BAR'
i=0
while [ $i -lt 600 ]; do
    printf '\r%5d/600 [#####     ] eta 00:01' $i
    i=$((i + 1))
done
echo " time: 0.5 s"
BAR
echo '{"parameters": [{"name": "p", "values": [1, 2]}]}' >two.json
runs --space two.json --trials 1 --repeat 1 --cost 'regex:time: ([0-9.]+)' -- sh bar.sh {p}
grep -q '^best  *0.5 ' out || fail "a progress bar hides the number: $(cat out)"
runs --space two.json --trials 1 --repeat 1 --cost 'json:/seconds' -- sh -c 'printf "{\"samples\": ["; seq -s, 1 9000 | tr -d "\n"; echo "], \"seconds\": 0.5}"' x {p}
grep -q '^best  *0.5 ' out || fail "a long line of JSON: $(cat out)"

# A name that a file may give is one that a command line may use; integers beyond 64 bits are refused.
for name in größe units/0 a+b; do
    echo "{\"parameters\": [{\"name\": \"$name\", \"values\": [1, 2]}], \"constraints\": [\"\`$name\` < 2\"]}" >names.json
    runs --space names.json --trials 1 --repeat 1 --cost 'regex:^([0-9]+)$' -- echo "{$name}"
    grep -q '^best  *1 ' out || fail "$name: $(cat out)"
done
for value in 18446744073709551615 18446744073709551616 123456789012345680000; do
    echo "{\"parameters\": [{\"name\": \"n\", \"values\": [$value]}]}" >large.json
    refuses 'is beyond 64 bits, want a smaller integer' --space large.json --dry-run -- echo {n}
done

# --repeat N is N runs of the default, too; the budget of time leaves one.
echo '{"parameters": [{"name": "n", "values": [1]}]}' >one.json
printf '#!/bin/sh\necho >>starts\nsleep $2\necho t=$1\n' >count.sh
chmod +x count.sh
runs --space one.json --trials 1 --repeat 7 --seconds 600 --cost 'regex:t=([0-9]+)' -- ./count.sh {n} 0
[ "$(wc -l <starts)" -ge 7 ] || fail "--repeat 7: $(wc -l <starts) runs"
rm starts
runs --space one.json --seconds 0.2 --repeat 7 --cost 'regex:t=([0-9]+)' -- ./count.sh {n} 1
[ "$(wc -l <starts)" = 1 ] || fail "--seconds 0.2 and runs of a second: $(wc -l <starts) runs"
runs --space one.json --describe
grep -q 'one.json: 1 configuration$' out || fail "--describe: $(cat out)"

# Of two rows of a configuration the first counts, with file and row.
printf 'n,cost\n1,5\n2,7\n1,9\n' >rows.csv
for option in --known --seeds; do
    runs --space space.json --strategy random --trials 1 --repeat 1 $option rows.csv --cost "$seconds" -- ./work.sh {n}
    grep -qF -- "$option rows.csv:4 has the configuration of line 2; left out" err || fail "$option: $(cat err)"
done

# Results of Kernel Tuner are known, and experience; an open cache, and one with NaN.
{
    printf '{"device_name": "d", "kernel_name": "k", "problem_size": [1], "tune_params_keys": ["n"], "tune_params": {"n": [1, 2]}, "objective": "time", "cache": {\n'
    for n in 1 2 3 4 5 6 7 8 9; do
        printf '"%s": {"n": %s, "time": %s, "times": [%s], "compile_time": 1, "benchmark_time": 1, "framework_time": 1, "strategy_time": 0, "verification_time": 0, "GFLOP/s": NaN},\n' $n $n $n $n
    done
} >cache.json
runs --space space.json --strategy random --trials 2 --repeat 1 --known cache.json --log cached.jsonl --unit s --cost "$seconds" -- ./work.sh {n}
[ "$(grep -c '"known"' cached.jsonl)" = 8 ] || fail "--known cache.json: $(cat cached.jsonl)"
grep '"known"' cached.jsonl | grep '"values":\["2"\]' | grep -q '"cost":0.002,' || fail "--known cache.json: $(cat cached.jsonl)"
grep -q "results\[8\] is not a configuration of the space: .*; left out" err || fail "--known cache.json: $(cat err)"
refuses 'has times of Kernel Tuner, want a run whose costs are times' --space space.json --known cache.json --cost "$seconds" -- ./work.sh {n}
runs --space space.json --trials 2 --repeat 1 --start-from cache.json --unit s --cost "$seconds" -- ./work.sh {n}
grep -q 'experience of 1 source, 9 results: 1 used, 100 % of their results are configurations here' err || fail "--start-from cache.json: $(cat err)"

# After a repair: what was measured is known, and what failed is measured first.
cat >broken.sh <<'BROKEN'
#!/bin/sh
[ -e repaired ] || [ $1 -lt 5 ] || exit 3
echo seconds=0.00$1
BROKEN
chmod +x broken.sh
set -- --space space.json --strategy random --repeat 1 --unit s
runs "$@" --trials 8 --cost "$seconds" --log broken.jsonl -- ./broken.sh {n}
grep -q '4 failed, exited' out || fail "a broken machine: $(cat out)"
touch repaired
runs "$@" --trials 4 --cost "$seconds" --retry-failed broken.jsonl --log repaired.jsonl -- ./broken.sh {n}
[ "$(grep -c '"tell"' repaired.jsonl)" = 4 ] && [ "$(grep -c '"known"' repaired.jsonl)" = 4 ] || fail "--retry-failed: $(cat repaired.jsonl)"
[ "$(grep '"tell"' repaired.jsonl | grep -c '"values":\["[5-8]"\]')" = 4 ] || fail "--retry-failed tried something else: $(cat repaired.jsonl)"
if grep '"tell"' repaired.jsonl | grep '"failed"'; then fail '--retry-failed: it fails again'; fi
refuses 'is the log of an earlier run, want another --log' "$@" --cost "$seconds" --retry-failed broken.jsonl --log broken.jsonl -- ./broken.sh {n}
refuses 'was written with the cost' "$@" --cost 'regex:bytes=([0-9]+)' --retry-failed broken.jsonl -- ./broken.sh {n}
# Times of a log of version 0.2, which are means of their runs, are known by the fastest of these; where not all have their runs, as they are.
rm repaired
runs "$@" --trials 8 --log times.jsonl -- ./broken.sh {n}
touch repaired
sed -e 's/,"crc32c":"[^"]*"//' -e '/"tell".*"cost":[0-9]/{s/"cost":[^,]*/"cost":0.002/; s/"batches":\[[^]]*\]/"batches":[0.001,0.003]/;}' times.jsonl >mean.jsonl
awk '!done && sub(/\[0.001,0.003\]/, "[]") { done = 1 } { print }' mean.jsonl >without.jsonl
for case in 'mean 0.001' 'without 0.002'; do
    old=${case% *}
    runs "$@" --trials 4 --retry-failed $old.jsonl --log $old-repaired.jsonl -- ./broken.sh {n}
    [ "$(grep '"known"' $old-repaired.jsonl | grep -c "\"cost\":${case#* },")" = 4 ] || fail "--retry-failed $old.jsonl: $(cat $old-repaired.jsonl)"
    [ "$(grep '"tell"' $old-repaired.jsonl | grep -c '"values":\["[5-8]"\]')" = 4 ] || fail "--retry-failed $old.jsonl tried something else: $(cat $old-repaired.jsonl)"
done
exit $bad
