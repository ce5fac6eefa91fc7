#!/bin/sh
# SPDX-License-Identifier: MIT
# What tune_command --serve promises its client: one answer or one error for each line, `told` for what the log has, and an end with its reason
# where the client stops reading, leaves, or the log cannot be written.
set -eu
tune=$1/tools/tune_command
program=$tune
. "$(dirname "$0")/../../../tests/support/refuses.sh"
cd "$work"
echo '{"parameters": [{"name": "a", "values": [1, 2, 3, 4, 5, 6, 7, 8]}, {"name": "b", "values": [1, 2, 3, 4, 5, 6, 7, 8]}]}' >space.json
serve() { "$tune" --space space.json --strategy random --serve "$@"; }

# Line by line: what a client sends, and what its answer begins with.
cat >lines <<'END'
{"hello": 1} => {"hello":1,
{"ask": 6} => {"jobs":[{"job":0,
{"tell": 0, "cost": 1.5} => {"told":0}
{"tell": 0, "cost": 1.5} => {"error":"line 4: tell is not a job that is out
{"ask": 1, "tell": 1, "cost": 1} => {"error":"line 5: cost is no part of this request, want one request a line"}
{"tell": 1, "drop": 1} => {"error":"line 6: drop is no part of this request
{"tell": 1, "cost": 1, "failed": "x"} => {"error":"line 7: cost stands beside \"failed\", want one of both"}
{"tell": 1, "cost": 1, "kind": "crash"} => {"error":"line 8: kind wants \"failed\" beside it"}
{"tell": 1, "failed": "x", "numbers": {}} => {"error":"line 9: numbers stands beside \"failed\"
{"tell": 1, "cost": 1, "note": "x"} => {"error":"line 10: note is no part of this request
{"best": true, "id": 7} => {"error":"line 11: id is no part of this request
{"tell": 1, "cost": 1e999} => {"error":"line 12: 
{"tell": 1, "cost": NaN} => {"error":"line 13: 
{"tell": 1, "cost": -1} => {"error":"line 14: cost is not a positive finite number
{"tell": 1, "cost": 5e-324} => {"told":1}
{"tell": 1e0, "cost": 1} => {"error":"line 16: tell is not an index
{"tell": 18446744073709551616, "cost": 1} => {"error":"line 17: tell is not an index
{"ask": 4294967296} => {"error":"line 18: ask is too large
{"ask": 65537} => {"error":"line 19: ask is more than 65536
{"ask": -1} => {"error":"line 20: ask is not an index
{"ask": 1, "ask": 2} => {"error":"line 21: 
{"ask": 1}{"ask": 1} => {"error":"line 22: 
[] => {"error":"line 23: is not a request
 => {"error":"line 24: 
{"tell": 2, "failed": "x", "kind": "none"} => {"error":"line 25: kind is not a kind of failure
{"tell": 2, "failed": "x", "kind": "crash"} => {"told":2}
{"drop": 3} => {"dropped":3}
{"best": true} => {"best":{"config":
END
sed 's/ => .*//' lines | serve --trials 20 --log lines.jsonl >answers 2>err || fail "exit status $?: $(cat err)"
[ "$(wc -l <answers)" = "$(wc -l <lines)" ] || fail "$(wc -l <answers) answers to $(wc -l <lines) lines"
sed 's/.* => //' lines | while IFS= read -r want && IFS= read -r got <&3; do
    case $got in "$want"*) ;; *) fail "want $want, got $got" && echo "$got" >>wrong ;; esac
done 3<answers
[ ! -e wrong ] || bad=1
[ "$(grep -c '"tell"' lines.jsonl)" = 3 ] || fail "the log has $(grep -c '"tell"' lines.jsonl) answers, want those that were told"

# With --checks the best goes out again where a result is doubted, as a job of its own number, and is no trial.
best=4503599627370496
printf '%s\n' '{"ask": 1}' '{"tell": 0, "cost": 1}' '{"ask": 1}' '{"tell": 1, "cost": 3}' '{"ask": 1}' "{\"tell\": $best, \"cost\": 1}" '{"best": true}' |
    serve --trials 20 --checks --log checked.jsonl >answers 2>err || fail "--checks: exit status $?: $(cat err)"
grep -q "\"job\":$best," answers || fail "--checks: the best does not go out again: $(cat answers)"
tail -n 1 answers | grep -q '"trials":2,' || fail "--checks: a look is a trial: $(tail -n 1 answers)"
printf '%s\n' '{"ask": 1}' '{"tell": 0, "cost": 1}' '{"ask": 1}' '{"tell": 1, "cost": 3}' '{"ask": 1}' | serve --trials 20 >answers 2>err || fail "without --checks: exit status $?: $(cat err)"
tail -n 1 answers | grep -q '"job":2,' || fail "without --checks: said $(tail -n 1 answers)"

# A log that meets its limit: what was told is in it, the client and standard error hear it at once, and the server ends.
mkfifo to from
(ulimit -f 8 && serve --trials 60 --log short.jsonl <to >from 2>err) &
server=$!
exec 3>to 4<from
told=0 said=''
while [ -z "$said" ] && [ $told -lt 60 ]; do
    echo '{"ask": 1}' >&3
    IFS= read -r answer <&4 || break
    case $answer in '{"error"'*) said=$answer && break ;; esac
    job=$(echo "$answer" | sed 's/.*"job":\([0-9]*\).*/\1/')
    echo "{\"tell\": $job, \"cost\": 1.25}" >&3
    IFS= read -r answer <&4 || break
    case $answer in '{"error"'*) said=$answer && break ;; esac
    told=$((told + 1))
done
status=0
wait $server || status=$?
exec 3>&- 4<&-
[ "$status" = 2 ] || fail "a log without room: exit status $status, want 2"
case $said in *'log short.jsonl: '*'make room and resume'*) ;; *) fail "a log without room: the client heard '$said'" ;; esac
grep -q 'log short.jsonl: .*make room and resume' err || fail "a log without room: said $(cat err)"
[ "$(wc -l <err)" = 1 ] || fail "a log without room: said $(cat err)"
kept=$(grep -c '"tell"' short.jsonl)
[ "$kept" = $told ] || fail "a log without room: $told were told, the log has $kept"
[ $told -gt 3 ] || fail "a log without room: only $told were told"

# A client that stops reading: the first signal ends the server. One that leaves: it ends by itself, with the reason.
exec 4<>from # which nobody reads
for signal in TERM INT HUP; do
    yes '{"describe": true}' | "$tune" --space space.json --strategy random --serve --trials 60 >from 2>err & # no function: its number is $!
    child=$!
    waits=0 # looks at which it waits for its client
    while [ $waits -lt 5 ]; do
        sleep 0.1
        if grep -q ') S ' /proc/$child/stat; then waits=$((waits + 1)); else waits=0; fi
    done
    kill -s $signal $child
    tries=0
    while kill -0 $child 2>/dev/null && [ $tries -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    [ $tries -lt 200 ] || fail "a client that stops reading: SIG$signal does not end the server"
    kill -9 $child 2>/dev/null || true
    status=0
    wait $child || status=$?
    [ "$status" -gt 128 ] && [ "$status" != 137 ] || fail "a client that stops reading: exit status $status after SIG$signal"
    grep -q 'ended by signal' err || fail "a client that stops reading: said $(cat err)"
    dd bs=1M count=1 iflag=nonblock <&4 >/dev/null 2>&1 || true
done
exec 4<&-
for space in space.json scenario.json; do
    echo '{"application_name": "demo", "optimization_objectives": ["time"], "design_of_experiment": {"number_of_samples": 4}, "optimization_iterations": 8,
 "input_parameters": {"x": {"parameter_type": "ordinal", "values": [1, 2, 4, 8]}}}' >scenario.json
    status=0
    { yes '{"ask": 1}' | { "$tune" --space $space --strategy random --serve --trials 60 --log $space.log 2>err || echo $? >status; } | head -n 1 >/dev/null; } 2>/dev/null || true
    status=$(cat status)
    case $status in 2 | 141) ;; *) fail "$space: a client that left: exit status $status" ;; esac
    grep -q 'the client cannot be answered: Broken pipe\|reply, line ' err || fail "$space: a client that left: said $(cat err)"
    rm -f status
done
exit $bad
