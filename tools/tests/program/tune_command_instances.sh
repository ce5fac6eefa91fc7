#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# One configuration for many inputs: tune_command --instances FILE, --holdout FILE, and what is refused of them.
set -eu
program=$1/tools/tune_command
. "$(dirname "$0")/../../../tests/support/refuses.sh"
cd "$work"

# Instance N is fastest where tile is 2 and costs N times as much in all; what it ran on is in the file ran.
cat >work.sh <<'END'
#!/bin/sh
echo "$1 $2" >>ran
[ "$2" != bad ] || exit 3
echo "cost: $(($2 * (1 + 3 * ($1 - 2) * ($1 - 2))))"
END
chmod +x work.sh
printf '# sizes\n1\n\n2\n3\n  5  \n7\n8\n9\n10\n' >sizes
printf '100\n200\n300\n' >kept
tune() { "$program" --strategy random --no-checks --cost 'regex:cost: ([0-9]+)' --parameter tile=1..4 --default tile=1 "$@" >out 2>err; }

tune --trials 4 --instances sizes --holdout kept --log run.jsonl --json -- ./work.sh {tile} {instance} || fail "a run: exit status $?, $(cat err)"
mv out run.json
tile() { sed -n "/\"$1\": {/,/}/s/.*\"tile\": \([0-9]*\).*/\1/p" run.json | head -1; }
[ "$(tile best)" = 2 ] || fail "another best: $(cat run.json)"
grep -q '"cost": 0.25,' run.json && grep -q '"gain": 4.0' run.json || fail "no ratio to the default: $(cat run.json)"
grep -q '"unit": "",' run.json || fail 'a ratio has a unit'
[ "$(json_rows run.json instances)" != '' ] || fail 'no instances'
[ "$(grep -c '"instance": "[0-9]*",' run.json)" = 11 ] || fail "instances and those kept back: $(cat run.json)"
[ "$(sed -n '/"holdout"/,$s/.*"ratio": \([0-9.]*\).*/\1/p' run.json | tr '\n' ' ')" = '0.25 0.25 0.25 0.25 ' ] || fail "kept back: $(cat run.json)"
[ "$(grep -c ' [1-9]00$' ran)" = 6 ] || fail "those kept back run once for each of two: $(cat ran)"
grep -q '"command": \[ *$' run.json && grep -q '"{instance}"' run.json || fail "the command without its placeholder: $(cat run.json)"
# 13 times as slow is given up on: a bound, and not all instances.
grep '"tell"' run.jsonl | grep -q '"at_least":true' || fail "none was given up on: $(cat run.jsonl)"
[ "$(grep '"tell"' run.jsonl | head -1 | sed 's/.*"batches":\[\([^]]*\)\].*/\1/' | tr ',' '\n' | wc -l)" = 8 ] || fail "the log lacks runs: $(cat run.jsonl)"
tune --trials 4 --instances sizes --every-instance --log every.jsonl -- ./work.sh {tile} {instance} || fail "--every-instance: $(cat err)"
! grep '"tell"' every.jsonl | grep -q '"at_least":true' || fail '--every-instance gives up'
grep -q '^costs divided by the default' out && grep -q '^10 .* 0.250 .*tile = 2$' out || fail "no table of the instances: $(cat out)"
[ "$(grep -c '^[0-9]* .*%.*tile = 2$' out)" = 8 ] || fail "not every instance has a row: $(cat out)"

# A resumed run is the same run: the same costs and orders as in one piece.
rm -f ran half.jsonl
tune --trials 2 --instances sizes --log half.jsonl -- ./work.sh {tile} {instance} || fail "half: $(cat err)"
tune --trials 4 --instances sizes --log half.jsonl --resume -- ./work.sh {tile} {instance} || fail "the other half: $(cat err)"
costs() { grep '"tell"' "$1" | sed 's/.*"cost":\([^,]*\),.*"batches":\(\[[^]]*\]\).*/\1 \2/'; }
[ "$(costs half.jsonl)" = "$(costs run.jsonl)" ] || fail "another run when resumed: $(costs half.jsonl), in one piece $(costs run.jsonl)"
printf '1\n2\n' >two
refuses 'log half.jsonl: was written with the program' --strategy random --no-checks --cost 'regex:cost: ([0-9]+)' --parameter tile=1..4 --default tile=1 \
    --trials 4 --instances two --log half.jsonl --resume -- ./work.sh {tile} {instance}

# Two at a time, and a last comparison; sum and worst; an instance on which the default fails; all of them.
tune --trials 4 --workers 2 --instances sizes -- ./work.sh {tile} {instance} || fail "--workers 2: $(cat err)"
grep -q '^best  *0.25 ' out || fail "--workers 2: $(cat out)"
for how in sum worst; do
    tune --trials 4 --instances sizes --instance-cost $how -- ./work.sh {tile} {instance} || fail "$how: $(cat err)"
    grep -q '^best  *0.25 ' out || fail "$how: $(cat out)"
done
(cat sizes && echo bad) >with_bad
tune --trials 4 --instances with_bad -- ./work.sh {tile} {instance} || fail "an instance on which the default fails: exit status $?, $(cat err)"
grep -q '^tune_command: left out, as the default failed on it: bad: ' err || fail "not named: $(cat err)"
grep -q '^best  *0.25 ' out || fail "left out: $(cat out)"
echo bad >only_bad
status=0
tune --trials 4 --instances only_bad -- ./work.sh {tile} {instance} || status=$?
[ "$status" = 1 ] && grep -q 'the default failed on every input, the first so: bad: ' err || fail "all fail: exit status $status, $(cat err)"
grep -q 'the default failed on every instance' out && ! grep -q running out || fail "all fail: why it stopped: $(cat out)"
printf 'bad %0500d\n' 0 >long_bad
tune --trials 4 --instances long_bad -- ./work.sh {tile} bad {instance} || status=$?
grep -q '00\.\.\.: ' err && [ "$(wc -c <err)" -lt 1200 ] || fail "a long instance: $(cat err)"
# A time-out of another than the default counts as ten limits where that is asked for.
printf '#!/bin/sh\n[ "$1$2" != 2b ] || sleep 9\nsleep 0.1\n' >slow.sh
chmod +x slow.sh
printf 'a\nb\n' >letters
"$program" --strategy random --trials 2 --seconds 4 --run-seconds 1 --parameter tile=1,2 --default tile=1 --instances letters --timeouts-count --log slow.jsonl -- ./slow.sh {tile} {instance} >out 2>err ||
    fail "--timeouts-count: exit status $?, $(cat err)"
grep '"tell"' slow.jsonl | grep -q '"batches":\[.*\b10\b' || fail "a time-out does not count: $(cat slow.jsonl)"

# Pairs, in an argument and in a variable; the page has what was learnt.
printf 'n=1 m=2\nn="3 4" m=5\n' >pairs
printf '#!/bin/sh\necho "$1 $2 $M" >>paired\necho "cost: $1"\n' >pair.sh
chmod +x pair.sh
tune --trials 2 --instances pairs --env 'M={m}' --report page.html -- ./pair.sh {tile} {n} || fail "pairs: $(cat err)"
grep -q '^1 1 2$' paired && grep -q '^1 3 4 5$' paired || fail "pairs: $(cat paired)"
grep -q 'instance n=1 m=2: the best takes' page.html || fail 'the page lacks the instances'
echo 'n=1 x=2' >value
tune --trials 1 --instances value -- ./pair.sh {tile} {instance} || fail "a value with =: $(cat err)"
grep -q '^1 n=1 x=2 $' paired || fail "a value with =: $(cat paired)"
printf '\357\273\277' | cat - sizes >marked  # a byte-order mark
"$program" --parameter tile=1,2 --instances marked --dry-run -- ./work.sh {tile} {instance} >out || fail "--dry-run: $?"
grep -q '^./work.sh 1 1$' out || fail "--dry-run: $(cat out)"

rm -f ran
printf '# nothing\n\n' >empty
printf '1\n2\n\n1\n' >twice
printf '7\n2\n' >overlap
printf 'n=1 m=2\nn=3\n' >differ
printf 'n=1\n' >one_pair
printf '1\n' >a_value
printf 'n=1 n=2\n' >pair_twice
printf '1\n2\0003\n' >byte_0
awk 'BEGIN { printf "%05000d\n", 1 }' >long
while IFS='|' read -r said options; do
    # shellcheck disable=SC2086 # options in words
    refuses "$said" --parameter tile=1,2 $options
done <<'END'
--instances empty: has no instance, want a line for each|--instances empty -- ./work.sh {tile} {instance}
--instances byte_0:2: has a byte 0 or over 4096 bytes, want a line of text|--instances byte_0 -- ./work.sh {tile} {instance}
--instances long:1: has a byte 0 or over 4096 bytes, want a line of text|--instances long -- ./work.sh {tile} {instance}
--instances twice:4: is the instance of line 1, want each once|--instances twice -- ./work.sh {tile} {instance}
--holdout overlap:1: is also the instance --instances sizes:7, want others to be kept back|--instances sizes --holdout overlap -- ./work.sh {tile} {instance}
--holdout empty: has no instance, want a line for each|--instances sizes --holdout empty -- ./work.sh {tile} {instance}
--holdout one_pair: has n, want what --instances has, instance|--instances a_value --holdout one_pair -- ./work.sh {tile} {instance} {n}
--instances differ:2: has n, but line 1 has n m, want the same names in the same order|--instances differ -- ./work.sh {tile} {n} {m}
--instances pair_twice:1: n= stands there twice, want it once|--instances pair_twice -- ./work.sh {tile} {n}
the parameter 'instance' has the name of a placeholder of --instances sizes, want another name|--parameter instance=1,2 --instances sizes -- ./work.sh {tile} {instance}
{instance} in the command is for --instances FILE, want that too|-- ./work.sh {tile} {instance}
--instances sizes: the command does not use them, want {instance} in an argument, a variable or a file|--instances sizes -- ./work.sh {tile}
--holdout is for --instances FILE, want that too|--holdout sizes -- ./work.sh {tile}
--instance-cost 'median' is unknown, want mean, sum or worst|--instances sizes --instance-cost median -- ./work.sh {tile} {instance}
--instances makes a ratio of the costs, which is no time, want it without --unit|--instances sizes --unit s -- ./work.sh {tile} {instance}
--instances makes a ratio of the costs, which is no time, want it without --checks|--instances sizes --checks -- ./work.sh {tile} {instance}
--instances makes a ratio of the costs, which is no time, want it without --export-json|--instances sizes --export-json a -- ./work.sh {tile} {instance}
--instances makes a ratio of the costs, which is no time, want it without --known|--instances sizes --known sizes -- ./work.sh {tile} {instance}
--instances makes one cost of all instances, want it without --number|--instances sizes --number a=cpu -- ./work.sh {tile} {instance}
--instances makes one cost of all instances, want it without --objective|--instances sizes --objective 2*cost -- ./work.sh {tile} {instance}
--instances makes one cost of all instances, want it without --strategy parego|--instances sizes --strategy parego -- ./work.sh {tile} {instance}
--timeouts-count makes a time of a time-out, want it without --cost regex:a|--instances sizes --timeouts-count --cost regex:a -- ./work.sh {tile} {instance}
--until-cost '1.2ms', want a positive number, without a unit: the cost is no time|--instances sizes --until-cost 1.2ms -- ./work.sh {tile} {instance}
--serve answers and runs nothing, want it without --instances|--serve --trials 2 --instances sizes
END
[ ! -e ran ] || fail 'something was run'
exit $bad
