#!/bin/sh
# SPDX-License-Identifier: MIT
# tune_network.sh PROGRAM MPIRUN: tune_network_mpi tunes on three ranks, tells who measured what, is taken up where it was killed, and
# prints what it has on a signal and where its log fails; wrong input is one line.
set -eu
program=$1 mpirun=$2
. "$(dirname "$0")/../support/launched.sh"
refuses 'network "nonet" is unknown' --network nonet
refuses 'strategy "nonsense" is unknown' --network alexnet --strategy nonsense
refuses 'want --log FILE' --network alexnet --resume
refuses '--seconds is not positive' --network alexnet --seconds 0
"$program" --version | grep -q "^tune_network_mpi (tunekit) [0-9]" || fail "--version"

# waits_for LOG: until it has 40 lines, but no longer than a minute.
waits_for() {
    tries=0
    while [ "$(cat "$1" 2>/dev/null | wc -l)" -lt 40 ] && [ $tries -lt 600 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
"$mpirun" -n 3 "$program" --network alexnet --seconds 60 --seed 3 --log "$work/log" >/dev/null 2>&1 &
child=$!
waits_for "$work/log"
# sends SIGNAL LOG: to rank 0, which holds the log.
sends() {
    for file in /proc/[0-9]*/fd/*; do
        [ "$(readlink "$file" 2>/dev/null)" = "$2" ] || continue
        pid=${file#/proc/}
        kill -s "$1" "${pid%%/*}"
        break
    done
}
sends KILL "$work/log" # its launcher ends the job
wait $child && fail "a job whose rank 0 was killed ended with status 0"
lines=$(wc -l <"$work/log")
[ "$lines" -ge 40 ] || fail "only $lines lines before the kill"
cp "$work/log" "$work/killed"
size=$(head -n "$lines" "$work/killed" | wc -c)
"$mpirun" -n 3 "$program" --network alexnet --seconds 25 --seed 3 --log "$work/log" --resume >"$work/table" 2>"$work/err" || fail "the resumed run"
cmp -s -n "$size" "$work/log" "$work/killed" || fail "resuming changed what was logged"
[ "$(grep -cE '^A[0-9]+ .* [0-9]+\+[0-9]+ ' "$work/table")" = 5 ] || fail "the table does not tell the trials of each worker"
grep -qE '^worker 1: .* times the first' "$work/table" || fail "the table does not tell of the A/A check"
grep -q '^model latency ' "$work/table" || fail "the table has no sum"
[ "$(grep -c '^{"joined":.*"device":.*"against_first":' "$work/log")" = 4 ] || fail "the log does not tell who the two workers of both runs were"
told=$(grep -c '^{"tell"' "$work/log")
[ "$(grep -c '^{"tell":[0-9]*,"worker":[01],"device":"' "$work/log")" = "$told" ] || fail "not every record has its device"
"$mpirun" -n 3 "$program" --network alexnet --seconds 5 --seed 3 --log "$work/log" --resume --device other >"$work/other" 2>&1 && fail "a log of another device was taken up"
grep -q "machine" "$work/other" || fail "it does not say that the device is another: $(cat "$work/other")"
cat "$work/table"
for signal in TERM HUP; do
    "$mpirun" -n 3 "$program" --network alexnet --seconds 120 --seed 3 --log "$work/ended.$signal" >"$work/table" 2>"$work/err" &
    child=$!
    waits_for "$work/ended.$signal"
    sends $signal "$work/ended.$signal"
    status=0
    wait $child || status=$?
    case $signal in TERM) want=143 ;; HUP) want=129 ;; esac
    [ "$status" = $want ] || fail "SIG$signal: exit status $status, want $want"
    [ "$(grep -cE '^A[0-9]+ ' "$work/table")" = 5 ] || fail "SIG$signal: no table"
done

# A rank that is stopped for good: the others go on, the table says that it does not answer, and the job ends with all of its ranks.
"$mpirun" -n 3 "$program" --network alexnet --seconds 20 --seed 3 --log "$work/stopped" >"$work/table" 2>"$work/err" &
child=$!
waits_for "$work/stopped"
stopped=none
for process in /proc/[0-9]*; do
    [ "$(readlink "$process/exe" 2>/dev/null)" = "$(readlink -f "$program")" ] || continue
    tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -qE '^(OMPI_COMM_WORLD_RANK|PMI_RANK)=2$' || continue
    parent=$(sed -n 's/^PPid:[[:space:]]*//p' "$process/status")
    [ "$(readlink "/proc/$parent/exe" 2>/dev/null)" != "$(readlink -f "$program")" ] || continue # a worker of the rank
    stopped=${process#/proc/}
    kill -s STOP "$stopped"
done
[ "$stopped" != none ] || fail 'no process of rank 2 was found'
status=0
wait $child || status=$?
[ "$status" = 0 ] || fail "a stopped rank: exit status $status"
[ "$(grep -cE '^A[0-9]+ ' "$work/table")" = 5 ] || fail 'a stopped rank: no table'
grep -qE '^worker 1: .* does not answer: nothing was heard of it for ' "$work/table" || fail 'a stopped rank: the table does not name it'
tries=0
while [ -e "/proc/$stopped" ] && [ $tries -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
! grep -q '^State:.*stopped' "/proc/$stopped/status" 2>/dev/null || fail 'a stopped rank is left'

# What was found is printed before anything that can fail: the folder of the log is removed, or the disk is full from some line on.
# ends_early WHAT WORDS: so does the run of $child, with a line of its own.
ends_early() {
    status=0
    wait $child || status=$?
    [ "$status" = 2 ] || fail "$1: exit status $status, want 2"
    [ "$(grep -cE '^A[0-9]+ ' "$work/table")" = 5 ] || fail "$1: no table"
    grep -q '^model latency ' "$work/table" || fail "$1: no sum"
    grep -q "^tune_network_mpi: .*$2" "$work/err" || fail "$1: no line says so"
}
mkdir "$work/gone"
"$mpirun" -n 3 "$program" --network alexnet --seconds 120 --seed 3 --log "$work/gone/log" >"$work/table" 2>"$work/err" &
child=$!
waits_for "$work/gone/log"
rm -r "$work/gone"
ends_early 'a log whose folder was removed' 'log'
faults=$(dirname "$program")/../tests/attack_failing_calls.so
if [ -e "$faults" ]; then
    head -c 8 /dev/zero >"$work/count"
    LD_PRELOAD=$faults TUNEKIT_FAULT_IN=tune_network_mpi TUNEKIT_FAULT=300+:28 TUNEKIT_FAULT_COUNT=$work/count \
        "$mpirun" -n 3 "$program" --network alexnet --seconds 120 --seed 3 --log "$work/full" >"$work/table" 2>"$work/err" &
    child=$!
    ends_early 'a full disk' 'No space left'
    if grep -q 'No space' "$work/full"; then fail 'a full disk: held against a configuration'; fi
fi
[ $bad = 0 ] || cat "$work/err"

# Two kinds of devices have a run and a log each. None of the job's logs is a past of it, so that it can be taken up; all are of the next job.
week=$work/week
mkdir "$week"
kinds() {
    seconds=$1
    shift
    set -- --network alexnet --seconds "$seconds" --seed 3 --head-measures --start-from "$week" "$@"
    "$mpirun" -n 1 "$program" "$@" --device one : -n 1 "$program" "$@" --device two >"$work/table" 2>"$work/err" || fail "two kinds of devices, $*: $(cat "$work/err")"
}
kinds 6 --log "$week/run.jsonl"
before=$(cat "$week/run.jsonl.0" "$week/run.jsonl.1" | grep -c '^{"tell"')
kinds 12 --log "$week/run.jsonl" --resume
[ "$(cat "$week/run.jsonl.0" "$week/run.jsonl.1" | grep -c '^{"tell"')" -gt "$before" ] || fail "nothing came of two kinds that were taken up"
[ "$(grep -c 'is that of this run; left out' "$work/err")" = 4 ] || fail "not each kind told of both logs: $(cat "$work/err")"
kinds 6 --log "$work/next"
[ "$(grep -c 'experience of 10 sources' "$work/err")" = 2 ] || fail "the logs of both kinds are not the past of the next job: $(cat "$work/err")"
exit $bad
