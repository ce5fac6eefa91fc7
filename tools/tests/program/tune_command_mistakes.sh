#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# Mistakes that people make with tune_command, a row each: what is said is one line with the file, the field or column, and what to do, with the
# known name that is near; exit status 2, and nothing is run.
set -eu
program=$1/tools/tune_command
. "$(dirname "$0")/../../../tests/support/refuses.sh"
cd "$work"
printf '#!/bin/sh\necho ran >>ran\necho cost: 1\n' >work.sh
chmod +x work.sh
space() { echo "{\"parameters\": [{\"name\": \"tile\", \"values\": [1, 2, 4, 128]}, {\"name\": \"mode\", \"values\": [\"slow\", \"fast\"]}]$1}"; }
space '' >space.json
"$program" --space space.json --strategy random --trials 2 --repeat 1 --log run.jsonl -- ./work.sh {tile} {mode} >out 2>err || fail "a run without a mistake: $(cat err)"
rm ran
echo '{"parameters": [{"name": "other", "values": [1, 2]}]}' >other.json

# SAID | OPTIONS behind --space, or before the command where they have none | the file FILE.json, or the header and row of FILE.csv
while IFS='|' read -r said options file; do
    [ -z "$file" ] || echo "$file" | tr ';' '\n' >"$(echo "$options" | sed 's/.* \([a-z]*[.][a-z]*\).*/\1/')"
    case $options in *--space* | *--spaces*) ;; *) options="--space space.json $options" ;; esac
    case $options in *' -- '* | *--describe*) ;; *) options="$options -- ./work.sh {tile} {mode}" ;; esac
    # shellcheck disable=SC2086 # options in words
    refuses "$said" $options
done <<'END'
cut.json:2: is not JSON from here on, want a space|--space cut.json|{"parameters":;[{"name" "tile"}]}
key.json: paramters: is unknown, want parameters, constraints, default or name|--space key.json|{"paramters": []}
alone.json: parameters[0].name: has more or less than one beside it, want values, flag or permutation|--space alone.json|{"parameters": [{"name": "tile"}]}
blank.json: parameters[0].name: is not a name, want one without blanks|--space blank.json|{"parameters": [{"name": "a b", "values": [1]}]}
again.json: space: parameter 'tile': value 4 is there twice|--space again.json|{"parameters": [{"name": "tile", "values": [4, 2, 4]}]}
letters.json: space: constraint 'tille <= 4': column 1: no parameter is called 'tille', want tile|--space letters.json|{"parameters": [{"name": "tile", "values": [1, 2]}], "constraints": ["tille <= 4"]}
names.json: space: constraint 'a <= q': column 6: no parameter is called 'q', want one of a, b|--space names.json|{"parameters": [{"name": "a", "values": [1]}, {"name": "b", "values": [1]}], "constraints": ["a <= q"]}
half.json: space: constraint 'tile <': column 7: found the end, want a number, the name of a parameter or '('|--space half.json|{"parameters": [{"name": "tile", "values": [1, 2]}], "constraints": ["tile <"]}
nothing.json: space: constraint 'tile > 9': leaves nothing, want one that some values fulfil|--space nothing.json|{"parameters": [{"name": "tile", "values": [1, 2]}], "constraints": ["tile > 9"]}
typed.json: default.tille: is not a parameter, want tile|--space typed.json|{"parameters": [{"name": "tile", "values": [1, 2]}], "default": {"tille": 1}}
value.json: the default is not a configuration of the space: parameter 'a' does not have the value 7, want one of 1, 2|--space value.json|{"parameters": [{"name": "a", "values": [1, 2]}], "default": {"a": 7}}
order.json: the default is not a configuration of the space: parameter 'p' does not have the value (4), want one of (0, 1), (1, 0)|--space order.json|{"parameters": [{"name": "p", "permutation": 2}], "default": {"p": [4]}}
--spaces is not an option, want --space|--spaces space.json|
--trails is not an option, want --trials|--trails 3|
--trials: 'many' is not an integer from 0|--trials many|
strategy "combind" is unknown, want combined|--strategy combind|
--cost 'speed' is unknown, want wall, cpu, regex:EXPRESSION, json:/POINTER or perf:COUNTER|--cost speed|
--check 'maybe:1' is unknown, want status:N, output:FILE or command:WORDS|--check maybe:1|
--number 'bytes', want NAME=regex:EXPRESSION or NAME=json:/POINTER|--number bytes|
--default names the parameter 'tille', which the space does not have, want tile|--default tille=1|
--default 'tile=127' is not a configuration of the space: parameter 'tile' does not have the value 127, want 128|--default tile=127|
no parameter is called {tille}, want tile, or {{tille}} for the text itself|-- ./work.sh {tille} {mode}|
the parameter 'mode' occurs in no argument, variable or file; want {mode} somewhere|-- ./work.sh {tile}|
there is no program './wrok.sh' to run|-- ./wrok.sh {tile} {mode}|
--known heads.csv:1: the column modes is not a parameter, want mode|--known heads.csv|tile,modes,cost;1,slow,2
--known costs.csv:3: cost is 'much', want a positive finite number|--known costs.csv|tile,mode,cost;1,slow,2;2,slow,much
--known rows.csv:2 is not a configuration of the space: parameter 'mode' does not have the value fasd, want fast|--known rows.csv|tile,mode,cost;1,fasd,2
--known few.csv:2: has 2 fields, want 3|--known few.csv|tile,mode,cost;1,slow
--log run.jsonl is of another space than other.json, want the one it was written with|--space other.json --log run.jsonl --describe|
was written with seed 1, not 2|--log run.jsonl --resume --strategy random --trials 2 --repeat 1 --seed 2|
END
[ ! -e ran ] || fail 'something was run'

# A mistake that only a run shows: the number names itself, with what was printed.
status=0
"$program" --space space.json --strategy random --trials 2 --repeat 1 --cost 'regex:cost: ([0-9]+)' --number 'joules=regex:joules ([0-9]+)' -- ./work.sh {tile} {mode} >out 2>err || status=$?
[ "$status" = 1 ] || fail "a number that is not found: exit status $status"
grep -q "^2 failed, bad_cost: --number joules: 'joules (\[0-9\]+)' was not found.*'cost: 1" out || fail "a number that is not found: $(cat out)"

# The log has the limits in force: those of an answer are those with which its job went out, or lower ones, never the library's own.
printf '#!/bin/sh\nsleep 0.$1\n' >slow.sh
chmod +x slow.sh
echo '{"parameters": [{"name": "t", "values": ["01", "02", "3", "4"]}], "default": {"t": "01"}}' >times.json
"$program" --space times.json --trials 4 --run-seconds 7 --build-seconds 9 --log times.jsonl -- ./slow.sh {t} >out 2>err || fail "slow runs: $(cat err)"
[ "$(grep -c '"tell"' times.jsonl)" = 4 ] && [ "$(grep '"tell"' times.jsonl | grep -c '"run_s":7,"build_s":9[,}]')" = 4 ] || fail "an answer has other limits than were asked for: $(grep '"tell"' times.jsonl)"
[ "$(grep '"tell"' times.jsonl | grep -c '"at_least":true')" -ge 1 ] || fail "no run was cut short: $(cat times.jsonl)"
if grep -e '"round"' -e '"known"' times.jsonl | grep '"limits"'; then fail 'what is no trial has limits'; fi
if grep '"at_least":true' times.jsonl | grep '"abandon_above":null'; then fail 'a run was cut short at a limit that the log does not have'; fi

# A floating-point number keeps its point in commands, and is found by its number.
echo '{"parameters": [{"name": "th", "values": [0.5, 1.0, 1e3]}], "default": {"th": 1}}' >real.json
"$program" --space real.json --dry-run -- ./work.sh -DTH={th} >out || fail "numbers with a point: exit status $?"
[ "$(grep -v '^#' out | sed 's/.*=//' | tr '\n' ' ')" = '1.0 1000.0 0.5 ' ] || fail "numbers lose their point: $(cat out)"
[ "$("$program" --space real.json --default th=1000 --describe --json | tr -d '\n ' | sed 's/.*"default":{"th":\([^}]*\)}.*/\1/')" = 1000.0 ] || fail '--default does not find a number'
exit $bad
