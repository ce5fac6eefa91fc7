#!/bin/sh
# SPDX-License-Identifier: MIT
# What tune_command promises at its command line: it finds the best, tells wrong input in one line and exit status 2, survives every
# fault of the program, keeps its log whole, and prints what it has when it is ended.
set -eu
tune=$1/tools/tune_command
program=$tune
. "$(dirname "$0")/../../../tests/support/refuses.sh"
cd "$work"
cat >space.json <<'END'
{"parameters": [{"name": "tile", "values": [1, 2, 4, 8, 16]}, {"name": "mode", "values": ["slow", "fast"]}, {"name": "on", "values": [false, true]}],
 "constraints": ["tile < 16 or mode == 'fast'"], "default": {"tile": 1, "mode": "slow", "on": false}}
END
cat >program.sh <<'END'
#!/bin/sh
# TILE MODE ON: costs least for a tile of 4, three times as much where it is slow, nothing but its number otherwise.
t=$(($1 > 4 ? $1 - 3 : 5 - $1))
[ "$2" = slow ] && t=$((3 * t))
case $FAULT in
crash) [ "$1" = 1 ] && kill -SEGV $$ ;;
status) [ "$1" = 1 ] && exit 7 ;;
silent) exit 0 ;;
twice) echo "cost: 1" ;;
hang) [ "$1" = 2 ] && sleep 300 ;;
daemon)
    setsid sh -c 'echo $$ >> daemons; exec sleep 300' >/dev/null 2>&1 &
    while [ ! -s daemons ]; do sleep 0.01; done
    ;;
tty) read -r line </dev/tty || exit 9 ;;
half) printf '{"cost": ' >"$4" && exit 0 ;;
esac
echo "cost: $t on $3"
END
chmod +x program.sh
told() { grep -c '"tell"' "$1" 2>/dev/null || [ $? = 1 ] || echo 0; } # answers in a log
run() { FAULT=${fault-} "$tune" --space space.json --strategy random --repeat 1 --run-seconds 1 "$@"; }
cost='--cost regex:cost:.([0-9]+)'
# shellcheck disable=SC2086 # options in words
set -- $cost

refuses 'there is no space, want --parameter NAME=VALUES' -- ./program.sh
refuses 'cannot be opened' --space none.json -- ./program.sh {tile}
refuses 'there is no command' --space space.json
refuses "there is no program './none' to run" --space space.json -- ./none {tile} {mode} {on}
refuses 'no parameter is called {tille}, want tile, or {{tille}} for the text itself' --space space.json -- ./program.sh {tille}
refuses "the parameter 'on' occurs in no argument" --space space.json -- ./program.sh {tile} {mode}
refuses "strategy \"nonsense\" is unknown, want one of: random" --space space.json --strategy nonsense -- ./program.sh {tile} {mode} {on}
refuses "--cost 'speed' is unknown" --space space.json --cost speed -- ./program.sh {tile} {mode} {on}
refuses 'is not a regular expression' --space space.json --cost 'regex:(' -- ./program.sh {tile} {mode} {on}
refuses 'is not a JSON pointer' --space space.json --cost json:cost -- ./program.sh {tile} {mode} {on}
refuses "--default names the parameter 'tille'" --space space.json --default tille=1 -- ./program.sh {tile} {mode} {on}
refuses 'is not a configuration of the space' --space space.json --default tile=16 -- ./program.sh {tile} {mode} {on}
refuses "--check 'maybe:1' is unknown" --space space.json --check maybe:1 -- ./program.sh {tile} {mode} {on}
refuses '--check-always needs --check' --space space.json --check-always -- ./program.sh {tile} {mode} {on}
refuses "the template 'none' cannot be read" --space space.json --file none:out -- ./program.sh {tile} {mode} {on}
refuses '--stop-when-gain-below needs --calls' --space space.json --stop-when-gain-below 1 -- ./program.sh {tile} {mode} {on}
refuses '--calls is used only by --stop-when-gain-below' --space space.json --calls 9 -- ./program.sh {tile} {mode} {on}
refuses 'want 0 or more' --space space.json --stop-when-gain-below -1 --calls 9 -- ./program.sh {tile} {mode} {on}
refuses 'want how often' --space space.json --stop-when-gain-below 1 --calls -9 -- ./program.sh {tile} {mode} {on}
refuses '--seconds nan, want 0 or more' --space space.json --seconds nan -- ./program.sh {tile} {mode} {on}
refuses '--seconds -1.000000, want 0 or more' --space space.json --seconds -1 -- ./program.sh {tile} {mode} {on}
refuses '--run-seconds 0, want more than 0' --space space.json --run-seconds 0 -- ./program.sh {tile} {mode} {on}
refuses '--build-seconds -1, want more than 0' --space space.json --build-seconds -1 -- ./program.sh {tile} {mode} {on}
refuses '--cpu-seconds nan, want 0' --space space.json --cpu-seconds nan -- ./program.sh {tile} {mode} {on}
refuses 'max_build_factor is 1 or less' --space space.json --build-factor 0.5 -- ./program.sh {tile} {mode} {on}
refuses '--rebuild is of what earlier runs built' --space space.json --rebuild -- ./program.sh {tile} {mode} {on}
refuses '--resume needs a log' --space space.json --resume -- ./program.sh {tile} {mode} {on}
for number in '--seed -1' '--seed 99999999999999999999' '--trials -1' '--workers 1.5' '--repeat -1' '--memory-mib -1'; do
    # shellcheck disable=SC2086 # an option and its value
    refuses "'${number#* }' is not an integer from 0" --space space.json $number -- ./program.sh {tile} {mode} {on}
done
refuses '--help lists the options' --space space.json --nonsense -- ./program.sh {tile} {mode} {on}
for descriptors in 6 8; do
    printf '#!/bin/sh\nulimit -n %s\nexec "%s" "$@"\n' $descriptors "$tune" >limited
    chmod +x limited
    program=./limited
    refuses 'want more descriptors (ulimit -n)' --space space.json --trials 4 -- ./program.sh {tile} {mode} {on}
    program=$tune
done
echo '{"parameters": [{"name": "tile", "values": [1, 1]}]}' >twice.json
refuses "twice.json: space: parameter 'tile': value 1 is there twice" --space twice.json -- ./program.sh {tile}
"$tune" --version | grep -q '^tune_command (tunekit) [0-9]' || fail '--version'

# The whole of the small space: the best is found, the default is told beside it, and the line to paste runs.
run --trials 18 --seconds 90 "$@" --log run.jsonl --t4 out.t4 -- ./program.sh {tile} {mode} {on} >out 2>err || fail "exit status $?: $(cat err)"
grep -q '^default *12 .*tile = 1, mode = slow, on = false' out || fail "no default in: $(cat out)"
grep -q '^best *1 .*tile = 4, mode = fast' out || fail "no best in: $(cat out)"
grep -q '^tied *1 .*tile = 4, mode = fast' out || fail "no tied in: $(cat out)"
FAULT='' sh -c "$(tail -n 1 out)" | grep -q '^cost: 1 on' || fail "the line to paste does not run: $(tail -n 1 out)"
[ "$(json_rows out.t4 results 2>&1)" = 18 ] || fail 'the T4 file does not have 18 results'
run --trials 18 --seconds 90 "$@" --json -- ./program.sh {tile} {mode} {on} >json 2>err || fail "--json: exit status $?"
for key in '"trials": 18' '"failed": 0' '"default"' '"cost": 12.0' '"command"' '"./program.sh"' '"tied"' '"low": 1.0' '"rounds_to_separate"' '"verdict"' '"says": "tied"' '"machine": "not watched"' '"stopped"'; do
    grep -qF "$key" json || fail "the JSON has no $key"
done
# Several at a time, with a build and files of their own.
printf 'tile is {tile}\n' >template
run --trials 18 "$@" --workers 2 --unpinned --file 'template:{scratch}/in' --build /bin/sh -c 'echo "echo cost: 2" > {build}/made; : -O{mode}' \
    --check 'command:grep -q "tile is {tile}" {scratch}/in' --env ON={on} -- /bin/sh {build}/made >out 2>err || fail "--workers: exit status $?: $(cat err)"
grep -q '18 configurations measured, 0 failed' out || fail "--workers: $(cat out)"
run --trials 18 "$@" --builders 1 --unpinned --build-factor inf --build /bin/sh -c 'echo "echo cost: 2" > {build}/made; : -O{mode}' -- /bin/sh {build}/made {tile} {on} >out 2>err ||
    fail "--builders: exit status $?: $(cat err)"
grep -q '18 configurations measured, 0 failed' out || fail "--builders: $(cat out)"
echo 'cost: 1.0' >want
for tolerance in 0.1:0 0.015:1; do
    "$tune" --parameter x=1,2 --strategy random --repeat 1 --no-checks "$@" --check output:want --tolerance ${tolerance%:*} --shell 'echo cost: 1.0{x}' >out 2>err ||
        fail "--tolerance: exit status $?: $(cat err)"
    grep -q "^2 configurations measured, ${tolerance#*:} failed" out || fail "--tolerance $tolerance: $(cat out)"
done

# What is too slow to win stays unchecked, unless every configuration is to be checked.
checked() {
    rm -f checked
    "$tune" --space space.json --trials 18 --repeat 3 "$@" --default tile=4,mode=fast \
        --check "command:/bin/sh -c 'echo {tile} {mode} {on} >>$work/checked'" -- ./program.sh {tile} {mode} {on} >out 2>err || fail "--check: exit status $?: $(cat err)"
    sort -u checked | wc -l
}
[ "$(checked "$@")" = 2 ] || fail "--check: what is plainly slower than the best is checked: $(sort -u checked | tr '\n' ',')"
[ "$(checked "$@" --check-always)" = 18 ] || fail "--check-always: not every configuration is checked: $(sort -u checked | tr '\n' ',')"

# The last comparison takes what was built, and is not begun where one round does not fit into its tenth of the seconds.
rm -f builds runs
run --trials 18 "$@" --build /bin/sh -c "echo {mode} >>'$work/builds'; echo 'echo >>\"$work/runs\"; echo cost: 2' > {build}/made" -- \
    /bin/sh {build}/made {tile} {on} >out 2>err || fail "--build: exit status $?: $(cat err)"
[ "$(wc -l <runs)" -gt 18 ] || fail "there was no last comparison: $(wc -l <runs) runs"
[ "$(sort builds | tr '\n' ' ')" = 'fast slow ' ] || fail "built anew: $(cat builds)"
# Builds that are kept are found by the next run; --rebuild makes each of them once more, for the search and the comparison together.
built() {
    rm -f builds
    run --trials 18 "$@" --build-directory kept --build /bin/sh -c "echo {mode} >>'$work/builds'; echo 'echo cost: 2' > {build}/made" -- \
        /bin/sh {build}/made {tile} {on} >out 2>err || fail "--build-directory: exit status $?: $(cat err)"
    sort builds 2>/dev/null | tr '\n' ' '
}
[ "$(built "$@")" = 'fast slow ' ] || fail "--build-directory: built $(cat builds)"
[ -z "$(built "$@")" ] || fail "--build-directory: built again: $(cat builds)"
[ "$(built "$@" --rebuild)" = 'fast slow ' ] || fail "--rebuild: built '$(cat builds)'"
cat >counted.sh <<'END'
#!/bin/sh
echo >>"$(dirname "$0")/runs.counted"
sleep 0.3
echo "cost: $1"
END
chmod +x counted.sh
run --seconds 3 "$@" -- "$work/counted.sh" {tile} {mode} {on} >out 2>err || fail "--seconds: exit status $?: $(cat err)"
[ "$(wc -l <runs.counted)" = "$(sed -n 's/^\([0-9]*\) configurations measured.*/\1/p' out)" ] ||
    fail "a comparison that does not fit was begun: $(wc -l <runs.counted) runs, $(head -n 1 out)"

# What is plainly slower is not called tied: with few trials the last comparison takes as many rounds as separate two, and
# where the seconds do not suffice for those it says so.
cat >plain.sh <<'END'
#!/bin/sh
sleep 0.06
c=$((400 / $1))
[ "$2" = slow ] && c=$((c + 20))
[ "$3" = true ] && c=$((c + 7))
echo "cost: $c"
END
chmod +x plain.sh
run --trials 4 "$@" -- ./plain.sh {tile} {mode} {on} >out 2>err || fail "few trials: exit status $?: $(cat err)"
if grep -E '^(tied|unclear)|^the best is (tied|unclear)' out; then fail "few trials: $(cat out)"; fi
run --seconds 4 "$@" -- ./plain.sh {tile} {mode} {on} >out 2>err || fail "few seconds: exit status $?: $(cat err)"
grep -Eq '^the best is unclear: [0-7] rounds? side by side, with fewer than 8 none can be distinguished; want [0-9.]+ s or more' out || fail "few seconds: $(cat out)"
if grep '^tied' out; then fail "few seconds: $(cat out)"; fi
# What only seemed better does not displace the default, unless that is wanted.
cat >seems.sh <<'END'
[ $1 = 1 ] && echo cost: 10 && exit
echo >>seen
n=$(wc -l <seen)
echo cost: $((n == 1 || n % 2 == 0 ? 9 : 11))
END
for worse in '' --may-be-worse; do
    rm -f seen
    # shellcheck disable=SC2086 # an option or none
    "$tune" --parameter x=1,2 --default x=1 --strategy random --repeat 1 --no-checks "$@" $worse -- sh seems.sh {x} >out 2>err || fail "--may-be-worse: exit status $?: $(cat err)"
    grep -q "^best .* x = $([ -z "$worse" ] && echo 1 || echo 2)$" out || fail "the best of two that are tied, with '$worse': $(cat out)"
done

# It ends where more tuning is not expected to pay: at once, from eight on, for one call, and not at all for very many.
run --stop-when-gain-below 1e9 --calls 1 "$@" --log gain.jsonl -- ./program.sh {tile} {mode} {on} >out 2>err || fail "--stop-when-gain-below: exit status $?: $(cat err)"
grep -q '^8 configurations measured, .*: more tuning is not expected to pay' out || fail "--stop-when-gain-below: $(head -n 1 out)"
run --stop-when-gain-below 1e-9 --calls 1e9 "$@" --log gain.jsonl --resume -- ./program.sh {tile} {mode} {on} >out 2>err || fail "--stop-when-gain-below --resume: exit status $?: $(cat err)"
grep -q '^18 configurations measured, .*: every configuration was proposed' out || fail "--stop-when-gain-below --resume: $(head -n 1 out)"

# Faults of the program: the run goes on, and what cannot be measured at all is said.
for fault in crash status hang; do
    run --trials 18 "$@" -- ./program.sh {tile} {mode} {on} >out 2>err || fail "$fault: exit status $?"
    grep -q '18 configurations measured, 4 failed' out || fail "$fault: $(head -n 1 out)"
    grep -q '^best *1 ' out || fail "$fault: $(cat out)"
done
for case in 'silent:was not found, want it once' 'twice:was found twice' 'tty:exit status 9'; do
    fault=${case%%:*}
    status=0
    run --trials 4 "$@" -- ./program.sh {tile} {mode} {on} >out 2>err || status=$?
    [ "$status" = 1 ] || fail "$fault: exit status $status, want 1"
    grep -qF "${case#*:}" out || fail "$fault: $(cat out)"
done
fault=half
status=0
run --trials 4 --cost json:/cost --result-file '{scratch}/out.json' -- ./program.sh {tile} {mode} {on} '{scratch}/out.json' >out 2>err || status=$?
[ "$status" = 1 ] || fail "half a file: exit status $status, want 1"
grep -q 'is not whole JSON' out || fail "half a file: $(cat out)"
fault=daemon
run --trials 6 "$@" -- ./program.sh {tile} {mode} {on} >out 2>err || fail "daemon: exit status $?"
while read -r pid; do
    if kill -0 "$pid" 2>/dev/null; then fail "daemon $pid lives on"; fi
done <daemons
fault=

# Ended by a signal: the table so far, a log that is whole, nothing left behind; then taken up.
for signal in INT HUP QUIT TERM; do
    rm -f ended.jsonl
    cat >slow.sh <<'END'
#!/bin/sh
echo $$ >>slow.pids
sleep 0.1
echo "cost: $1"
END
    chmod +x slow.sh
    sh -c 'trap - INT; exec "$@"' sh "$tune" --space space.json --seed 3 --strategy random --repeat 1 --trials 18 "$@" --log ended.jsonl -- ./slow.sh {tile} {mode} {on} >out 2>err &
    child=$!
    tries=0
    while [ "$(told ended.jsonl)" -lt 4 ] && [ $tries -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -s $signal $child
    status=0
    wait $child || status=$?
    case $signal in INT) want=130 ;; HUP) want=129 ;; QUIT) want=131 ;; TERM) want=143 ;; esac
    [ "$status" = "$want" ] || fail "SIG$signal: exit status $status, want $want"
    grep -q '^best ' out || fail "SIG$signal: no table: $(cat out err)"
    for pid in $(cat slow.pids); do
        if kill -0 "$pid" 2>/dev/null; then fail "SIG$signal: the program lives on"; fi
    done
done
before=$(told ended.jsonl)
cp ended.jsonl before
"$tune" --space space.json --seed 3 --strategy random --repeat 1 --trials 18 "$@" --log ended.jsonl --resume -- ./slow.sh {tile} {mode} {on} >out 2>err || fail "--resume: exit status $?: $(cat err)"
cmp -s -n "$(wc -c <before)" before ended.jsonl || fail '--resume changed what was logged'
[ "$(told ended.jsonl)" = 18 ] || fail "--resume: $(told ended.jsonl) answers in the log after $before, want 18"
refuses 'was written with seed 3, not 4' --space space.json --seed 4 --strategy random --trials 18 --log ended.jsonl --resume -- ./slow.sh {tile} {mode} {on}

# A log is experience of the next run. Its own log in the same folder is none, so it can be taken up.
mkdir week
cp ended.jsonl week/first.jsonl
again() { "$tune" --space space.json --strategy combined --repeat 1 --start-from week "$@" -- ./program.sh {tile} {mode} {on} >out 2>err || fail "--start-from $*: exit status $?: $(cat err)"; }
again --trials 4 "$@" --log week/second.jsonl
grep -q 'experience of 1 source, 18 results: 1 used, 100 % of their results are configurations here' err || fail "--start-from: $(cat err)"
again --trials 6 "$@" --log week/second.jsonl --resume
grep -q 'week/second.jsonl: is that of this run; left out' err || fail "--start-from --resume: $(cat err)"
[ "$(told week/second.jsonl)" = 6 ] || fail "--start-from --resume: $(told week/second.jsonl) answers in the log, want 6"

# What was found is printed, whatever fails then: the log or the files of the end, whose folder is removed while the run goes on.
mkdir tmp
for case in log t4 report; do
    mkdir gone
    TMPDIR=$work/tmp "$tune" --space space.json --seed 3 --strategy random --repeat 1 --trials 18 "$@" --$case gone/file -- ./slow.sh {tile} {mode} {on} >out 2>err &
    child=$!
    tries=0
    : >slow.pids
    while [ "$(wc -l <slow.pids)" -lt 4 ] && [ $tries -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    rm -r gone
    status=0
    wait $child || status=$?
    [ "$status" = 2 ] || fail "--$case, whose folder was removed: exit status $status, want 2"
    grep -q '^best ' out || fail "--$case, whose folder was removed: no table: $(cat out err)"
    [ -s err ] || fail "--$case, whose folder was removed: not a word"
done
run --trials 18 "$@" --log refused.jsonl -- ./slow.sh {tile} {mode} {on} >/dev/null 2>&1 &
child=$!
tries=0
while [ "$(told refused.jsonl)" -lt 4 ] && [ $tries -lt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
rm refused.jsonl
status=0
wait $child || status=$?
[ "$status" = 2 ] || fail "a log that was deleted: exit status $status, want 2"
[ "$(told refused.jsonl.saved)" -ge 4 ] || fail 'a log that was deleted: its lines are not saved'
[ -z "$(ls -A tmp)" ] || fail "left in TMPDIR: $(ls tmp)"

# What a terminal would obey is shown; the line to paste gives every byte.
printf '{"parameters": [{"name": "text", "values": ["a\\u001b[2J\\n\\u202e%%z"]}]}' >odd.json
"$tune" --space odd.json --trials 1 --repeat 1 --strategy random -- /bin/sh -c 'printf %s "$1"' sh {text} >out 2>err || fail "odd: exit status $?: $(cat err)"
if tr -d '\n' <out | LC_ALL=C grep -q '[[:cntrl:]]'; then fail 'a control character reaches the terminal'; fi
grep -qF '\x1b[2J\n\xe2\x80\xae' out || fail "odd: $(cat out)"
sed -n '/^\/bin\/sh/,$p' out >pasted.sh
[ "$(sh pasted.sh | od -An -tx1 | tr -d ' \n')" = 611b5b324a0ae280ae257a ] || fail "the line to paste gives $(sh pasted.sh | od -An -tx1)"

# BaCO's protocol: a client that knows the cost of each row.
cat >scenario.json <<'END'
{"application_name": "demo", "optimization_objectives": ["time"], "design_of_experiment": {"number_of_samples": 4}, "optimization_iterations": 8,
 "feasible_output": {"enable_feasible_predictor": true, "name": "Valid", "true_value": "1"},
 "input_parameters": {"x": {"parameter_type": "ordinal", "values": [1, 2, 4, 8]}, "p": {"parameter_type": "permutation", "values": [3]}}}
END
mkfifo ask answer
cat >client.sh <<'END'
exec 3<ask 4>answer
requests=0
while read -r word n <&3; do
    [ "$word" = End ] && break
    requests=$((requests + 1))
    read -r header <&3
    echo "Valid,time,$header" >&4
    while [ "$n" -gt 0 ]; do
        read -r row <&3
        x=${row%%,*}
        if [ "$x" = 8 ]; then echo "0,0,$row" >&4; else echo "1,$x.5,$row" >&4; fi
        n=$((n - 1))
    done
done
echo $requests >requests
END
sh client.sh &
client=$!
"$tune" --space scenario.json --serve --strategy random --log served.jsonl >ask <answer 2>err || fail "--serve: exit status $?: $(cat err)"
wait $client
[ "$(cat requests)" = 9 ] || fail "--serve: $(cat requests) requests, want one of 4 and 8 of one"
[ "$(told served.jsonl)" = 12 ] || fail '--serve: the log does not have 12 answers'
status=0
printf 'x,p,time,Valid\n1,"what"\n' | "$tune" --space scenario.json --serve --strategy random >out 2>err || status=$?
[ "$status" = 2 ] || fail "--serve, a reply that is none: exit status $status, want 2"
grep -q 'reply, line 2: it has 2 fields, want 4' err || fail "--serve: said $(cat err)"

printf 'x,p,time,Valid\n1,"(0, 1, 2)",1e999,1\n' | "$tune" --space scenario.json --serve --strategy random --log huge.jsonl >out 2>err || status=$?
grep -q 'reply, line [0-9]*: ' err || fail "--serve, a cost of 1e999: said $(cat err)"
if grep -q 'want a number' err; then fail '--serve: 1e999 is not a number'; fi
head -c 3000000 /dev/zero | tr '\0' x | "$tune" --space scenario.json --serve --strategy random >out 2>err || status=$?
[ "$status" = 2 ] || fail "--serve, a line without an end: exit status $status, want 2"
grep -q 'reply, line 1: it is longer than 1 MiB' err || fail "--serve, a line without an end: said $(cat err)"
rm -f out err # of the last one, which the loop would read
sleep 30 | "$tune" --space scenario.json --serve --strategy random >out 2>err &
child=$!
tries=0
while ! grep -qs Request out && [ $tries -lt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill -s TERM $child
status=0
wait $child || status=$?
[ "$status" = 143 ] || fail "--serve, SIGTERM: exit status $status, want 143"
grep -q 'ended by signal 15 while it served' err || fail "--serve, SIGTERM: said $(cat err)"

# The page of a run: written while it goes on and at its end, with the commands to repeat it and to use the winner.
refuses 'want --report FILE.html too' --space space.json --watch -- ./program.sh {tile} {mode} {on}
refuses '"none/run.html" cannot be written' --space space.json --report none/run.html -- ./program.sh {tile} {mode} {on}
refuses '"none/all.json" cannot be written' --space space.json --t4 none/all.json -- ./program.sh {tile} {mode} {on}
"$tune" --space space.json --seed 3 --strategy random --repeat 1 --trials 18 "$@" --report run.html --watch=1 -- ./slow.sh {tile} {mode} {on} >out 2>err &
child=$!
tries=0
while [ ! -s run.html ] && [ $tries -lt 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
grep -q 'http-equiv="refresh" content="1"' run.html || fail '--watch: no page while the run goes on'
wait $child || fail "--report: exit status $?: $(cat err)"
if grep -q 'http-equiv="refresh"' run.html; then fail '--watch: the last page reloads itself'; fi
for words in 'The best configuration costs' '<h1>slow.sh</h1>' "-- ./slow.sh &#39;{tile}&#39;" './slow.sh 1 '; do
    grep -qF -- "$words" run.html || fail "--report: the page has no '$words'"
done
if run --trials 2 "$@" -- ./program.sh {tile} {mode} {on} >/dev/full 2>err; then fail 'a full disk: exit status 0'; fi
grep -q 'standard output cannot be written in full' err || fail "a full disk is not told: $(cat err)"
exit $bad
