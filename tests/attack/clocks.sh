#!/bin/sh
# SPDX-License-Identifier: MIT
# clocks.sh BUILD [--tenth] [--seed N]: the monotonic clock of tune_command and of the processes that it forks jumps forward or back while a
# run goes on. At most what is measured at that moment is a failure; the run ends with its table, and its log resumes to the end. The time of
# day steps by an hour forth and back at each look, which changes nothing.
set -eu
. "$(dirname "$0")/../support/attacks.sh"
tried=0
fail() {
    echo "FAILED: a jump of $jump s at look $look: $1; $(tr '\n' '|' <err)"
    bad=$((bad + 1))
}
echo '{"parameters": [{"name": "a", "values": [1, 2, 4, 8]}, {"name": "b", "values": [0, 1]}]}' >space.json
printf '#!/bin/sh\necho cost: $(($1 + $2))\n' >program.sh
chmod +x program.sh
run() {
    "$@" "$tune" --space space.json --strategy random --seed 3 --repeat 1 --trials 8 --cost 'regex:cost: ([0-9]+)' --log run.jsonl --resume -- ./program.sh '{a}' '{b}'
}
for jump in 360000 30 -30 -3600; do
    for look in 2 5 10 15 20 25 30 40 50 60 80 100 150 200; do
        tries $((look + jump * jump)) || continue
        tried=$((tried + 1))
        rm -f run.jsonl
        : >count
        status=0
        run faulty TUNEKIT_CLOCK=$look:$jump >out 2>err || status=$?
        [ "$status" = 0 ] || fail "exit status $status"
        grep -q '^best ' out || fail "no best: $(cat out)"
        failed=$(grep '"tell"' run.jsonl | grep -c '"failed"' || true)
        [ "$failed" -le 1 ] || fail "$failed failures"
        status=0
        run env >out 2>err || status=$?
        [ "$status" = 0 ] || fail "--resume: exit status $status"
        grep -q '^8 configurations measured' out || fail "--resume: $(head -n 1 out)"
    done
done
for steps in 3600,-3600 -3600,3600 0,3600; do
    tries ${#steps} || continue
    tried=$((tried + 1)) jump=$steps look=each
    rm -f run.jsonl
    status=0
    run faulty TUNEKIT_TIME=$steps >out 2>err || status=$?
    [ "$status" = 0 ] || fail "exit status $status"
    grep -q '^8 configurations measured, 0 failed' out || fail "$(head -n 1 out)"
done
echo "$tried jumps, $bad bad"
[ "$bad" = 0 ]
