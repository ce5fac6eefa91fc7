#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# What tune_command runs beside a program: --setup, --prepare, --cleanup, --warmup, and what it gives to it: --input, --shell.
set -eu
program=$1/tools/tune_command
. "$(dirname "$0")/../../../tests/support/refuses.sh"
cd "$work"
printf '#!/bin/sh\necho "run $*" >>ran\necho cost: $1\n' >work.sh
chmod +x work.sh
run() { "$program" --strategy random --repeat 1 --no-checks --trials 2 --cost 'regex:cost: ([0-9]+)' "$@" >out 2>err || fail "$*: exit status $?, $(cat err)"; }

# Once for the runs of a configuration, once for a comparison at the end; words without a shell, and with one.
run --parameter tile=1,2 --default tile=1 --setup 'sh:echo setup {tile} >>ran' --prepare 'sh:echo prepare {tile} >>ran' --cleanup 'sh:echo cleanup {tile} >>ran' \
    --warmup 1 --log aside.jsonl -- ./work.sh {tile}
[ "$(head -12 ran | tr '\n' ' ')" = 'setup 1 prepare 1 run 1 prepare 1 run 1 cleanup 1 setup 2 prepare 2 run 2 prepare 2 run 2 cleanup 2 ' ] || fail "another order: $(head -12 ran | tr '\n' ' ')"
for tile in 1 2; do # once for its runs, once in the whole race
    [ "$(grep -c "^setup $tile$" ran)" = 2 ] && [ "$(grep -c "^cleanup $tile$" ran)" = 2 ] && [ "$(grep -c "^run $tile$" ran)" -gt 6 ] || fail "the race sets up again: $(cat ran)"
done
refuses "was written with the program ./work.sh '{tile}' --setup" --strategy random --repeat 1 --no-checks --trials 2 --cost 'regex:cost: ([0-9]+)' --resume --log aside.jsonl \
    -- ./work.sh {tile}
run --parameter tile=1,2 --prepare './work.sh 7 "a b"' -- ./work.sh {tile}
grep -q '^run 7 a b$' ran || fail "the words of --prepare: $(cat ran)"

# A shell's text, with values that are words whatever they hold; what it reads; a status that says nothing.
run --parameter "text='a  b;echo no',c" --parameter tile=1,2 --shell 'echo {text} >>texts; echo cost: {tile}'
grep -q '^a  b;echo no$' texts && grep -q '^c$' texts || fail "values in a shell: $(cat texts)"
echo 41 >in
run --parameter tile=1,2 --input in --shell 'read n; t={tile}; echo cost: $((n + t))'
grep -q '^best  *42 ' out || fail "--input: $(cat out)"
for any in --ignore-failure '--check status:any'; do
    # shellcheck disable=SC2086 # an option and its value
    run --parameter tile=1,2 $any --shell 'echo cost: {tile}; exit {tile}'
    grep -q ' 0 failed' out || fail "$any: $(cat out)"
done

# A cleanup that fails is told and costs nothing; three preparations that fail at the start end the run.
run --parameter tile=1,2 --cleanup 'sh:echo full; exit 3' -- ./work.sh {tile}
grep -q "^tune_command: --cleanup 'sh:echo full; exit 3' failed [0-9]* times, the first so: the cleanup 'sh -c echo full; exit 3': exit status 3, want 0; it said .*full" err || fail "a failed cleanup: $(cat err)"
grep -q ' 0 failed' out || fail "a failed cleanup: $(cat out)"
status=0
"$program" --strategy random --parameter tile=1..9 --prepare 'sh:echo no disk; exit 3' -- ./work.sh {tile} >out 2>err || status=$?
[ "$status" = 2 ] || fail "preparations that fail: exit status $status"
grep -q "^tune_command: .*the first three configurations failed before they ran, the last so: the preparation 'sh -c echo no disk; exit 3': exit status 3, want 0" err ||
    fail "preparations that fail: $(cat err)"
grep -q '^3 configurations measured, 3 failed' out || fail "preparations that fail: $(cat out)"
rm -f ran

while IFS='|' read -r said options; do
    eval refuses '"$said"' --parameter tile=1,2 "$options"
done <<'END'
the input 'none' cannot be read; name a file that can|--input none -- ./work.sh {tile}
--shell stands in place of -- PROGRAM, want one of them|--shell 'echo {tile}' -- ./work.sh {tile}
{tile} stands in quotes of the shell, want it outside|--shell 'echo "{tile}"'
{tile} stands in quotes of the shell, want it outside|--prepare "sh:echo '{tile}'" -- ./work.sh {tile}
--prepare 'a "b': a quote is not closed, want pairs|--prepare 'a "b' -- ./work.sh {tile}
there is no program './none' to run|--setup './none' -- ./work.sh {tile}
no parameter is called {tille}, want tile|--cleanup './work.sh {tille}' -- ./work.sh {tile}
'many' is not an integer from 0|--warmup many -- ./work.sh {tile}
--check 'status:some', want a number from 0 to 255 there, or any|--check status:some -- ./work.sh {tile}
END
[ ! -e ran ] || fail 'something was run'

# What is for runs of a program is refused by name where none is run.
while read -r option; do
    # shellcheck disable=SC2086 # an option and its value
    refuses "--serve answers and runs nothing, want it without ${option%% *}" --parameter tile=1,2 --serve --trials 2 $option
done <<'END'
--setup ./work.sh
--prepare ./work.sh
--cleanup ./work.sh
--warmup 1
--input in
--shell ./work.sh
--build ./work.sh
--build-directory .
--rebuild
--build-seconds 3
--build-factor 3
--directory .
--result-file in
--env A=1
--file in:out
--cost cpu
--powercap .
--check status:any
--ignore-failure
--tolerance 1
--check-always
--keep-empty
--workers 2
--builders 1
--unpinned
--repeat 2
--run-seconds 3
--cpu-seconds 3
--memory-mib 9
--calls 3
--json
--dry-run
--export-json a
--export-csv a
--export-markdown a
END

# Counters of the kernel as numbers; of the processor where it has them, else one line says why not.
"$program" --strategy random --no-checks --repeat 2 --trials 2 --cost perf:page-faults --number 'switches=perf:context-switches' --parameter pages=0,3000     --shell 'head -c {pages}000 /dev/zero | tr "\\0" x | sort >/dev/null' >out 2>err || fail "perf:page-faults: exit status $?, $(cat err)"
grep -q '^best .* pages = 0; switches [0-9]' out || fail "perf:page-faults: $(cat out)"
status=0
"$program" --strategy random --no-checks --repeat 2 --trials 2 --cost perf:instructions --parameter n=10,20000 --shell 'i=0; while [ $i -lt {n} ]; do i=$((i + 1)); done' >out 2>err || status=$?
case $status in
0) grep -q '^best .* n = 10$' out || fail "perf:instructions: $(cat out)" ;;
*) [ "$status" = 2 ] && grep -q "^tune_command: tunekit: program: the counter 'instructions' [inm]" err && [ "$(wc -l <err)" = 1 ] || fail "perf:instructions: exit status $status, $(cat err)" ;;
esac
refuses "the counter 'instrs' is unknown, want one of instructions, cycles, branches, branch-misses, cache-references, cache-misses, page-faults, context-switches" \
    --parameter tile=1,2 --cost perf:instrs -- ./work.sh {tile}
exit $bad
