#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# A space in the words of tune_command: no file is needed to search it whole, and none to take up what a log holds. A row for each mistake.
set -eu
program=$1/tools/tune_command
. "$(dirname "$0")/../../../tests/support/refuses.sh"
cd "$work"
printf '#!/bin/sh\necho "$*" >>ran\necho cost: $1\n' >work.sh
chmod +x work.sh
run() { "$program" --strategy random --repeat 1 --cost 'regex:cost: ([0-9]+)' "$@" >out 2>err || fail "$*: exit status $?, $(cat err)"; }

run --parameter tile=8..64*2 -P threads 1 5 -D 2 --where 'tile * threads <= 96' -L mode slow,fast --log run.jsonl -- ./work.sh {tile} {threads} {mode}
grep -q '^18 configurations measured, 0 failed, .*: every configuration was proposed$' out || fail "a small space is not measured whole: $(cat out)"
[ "$(grep -e '^[0-9]* [135] slow$' -e '^[0-9]* [135] fast$' ran | sort -u | awk '$1 * $2 <= 96' | wc -l)" = 18 ] || fail "other configurations were run: $(sort -u ran)"
rm ran
run --resume --log run.jsonl -- ./work.sh {tile} {threads} {mode}
run --race run.jsonl -- ./work.sh {tile} {threads} {mode}
"$program" --describe --json --log run.jsonl >out || fail "--describe of a log: exit status $?"
grep -q '"size": 18,' out && grep -q '"tile \* threads <= 96"' out || fail "--describe of a log: $(cat out)"
echo '{"parameters": [{"name": "tile", "values": [1, 2]}], "default": {"tile": 2}}' >space.json
run --space space.json --parameter mode=a,b --default mode=b --dry-run -- ./work.sh {tile} {mode}
[ "$(sed -n 2p out)" = './work.sh 2 b' ] || fail "options beside a file: $(cat out)"
printf '{"hello": 1}\n' | "$program" --parameter tile=1,2 --serve --trials 2 >out 2>err || fail "--serve: exit status $?, $(cat err)"
grep -q '"parameters":\["tile"\],"size":2}' out || fail "--serve: $(cat out)"
rm -f ran

while IFS='|' read -r said options; do
    case $options in *' -- '* | *--describe*) ;; *) options="$options -- ./work.sh {tile}" ;; esac
    eval refuses '"$said"' "$options"
done <<'END'
there is no space, want --parameter NAME=VALUES, -L NAME VALUES, -P NAME MIN MAX or --space FILE|--seconds 1
--parameter tile=: has no values, want such as NAME=1,2,4|--parameter tile=
--parameter: words are missing, want --parameter NAME=VALUES|--parameter
-P tile 1: words are missing, want -P NAME MIN MAX|-P tile 1
-P tile one 8: 'one' is not a number, want one|-P tile one 8
-P tile 8 1: a range from above to below, want the smaller number first|-P tile 8 1
-D 2: is no step of a -P, want it right behind one|-L tile 1,2 -D 2
--parameter tile=8..1: a range from above to below|--parameter tile=8..1
value 1 is there twice|--parameter tile=1,2,1
is there twice|--parameter tile=1,2 -L tile 3,4
no parameter is called {tile}, want tiles, or {{tile}} for the text itself|--parameter tiles=1,2
no parameter is called 'tille', want tile|--parameter tile=1,2 --where 'tille > 1'
leaves nothing, want one that some values fulfil|--parameter tile=1,2 --where 'tile > 2'
is empty, want one parameter or more|--where 'tile > 2'
-L tile behind --build is the build's, want it before --build|--build ./work.sh -L tile 1,2 --seconds 1
-L tile behind --build is the build's, want it before --build|--build ./work.sh -L tile 1,2 --parameter mode=1,2 -- ./work.sh {tile} {mode}
was written with the values of tile 8, 16, 32, 64, not 8, 16|--resume --log run.jsonl --strategy random --repeat 1 --cost 'regex:cost: ([0-9]+)' -L tile 8,16 -L threads 1,3,5 -L mode slow,fast -- ./work.sh {tile} {threads} {mode}
--log run.jsonl is of another space than the command line|--describe --log run.jsonl -L tile 8,16
END
[ ! -e ran ] || fail 'something was run'
exit $bad
