#!/bin/sh
# SPDX-License-Identifier: MIT
# What tune_network promises at its command line: wrong input is one line and exit status 2, JSON says what the table says, and a
# run that was killed goes on where it was.
set -eu
tune=$1/tools/tune_network
program=$tune
. "$(dirname "$0")/../../../tests/support/refuses.sh"
refuses 'want one of: resnet18, vgg16, alexnet, squeezenet, transformer, bert' --network nonet
refuses 'strategy "nonsense" is unknown, want one of: random, grid' --network alexnet --strategy nonsense
refuses 'schedule "nonsense" is unknown, want one of: sequential' --network alexnet --schedule nonsense
refuses 'device "tpu" is unknown, want one of: cpu, cuda' --network alexnet --device tpu
refuses '--winograd needs --device cuda' --network alexnet --winograd
refuses 'templates "tvm" are unknown, want one of: own, autotvm' --network alexnet --templates tvm
refuses 'want a network without other products' --network transformer --templates autotvm
refuses '--help lists the options' --network alexnet --nonsense
refuses '--sceonds is not an option, want --seconds' --network alexnet --sceonds 3
refuses '--network is required' --seconds 3
refuses "'-1' is not an integer from 0" --network alexnet --seed -1
refuses 'is not an integer from 0' --network alexnet --seed 99999999999999999999
refuses '--seconds is not positive' --network alexnet --seconds 0
refuses 'want --log FILE' --network alexnet --resume
refuses '--workers' --network alexnet --workers 0
refuses '--workers' --network alexnet --workers -1
refuses '--workers' --network alexnet --workers abc
refuses 'processors that this process may use, want one for each' --network alexnet --workers 4096
[ "$(nproc)" = 1 ] || refuses 'one candidate runs on a device at a time' --network alexnet --device cuda --workers 2
refuses 'cannot be opened for writing' --network alexnet --log "$work/none/log"
refuses 'is a folder, want a regular file' --network alexnet --log "$work"
refuses 'is a device, want a regular file' --network alexnet --log /dev/null
refuses 'cannot be written, want a file that can' --network alexnet --report "$work/none/page.html"
mkfifo "$work/fifo"
for place in "$work" "$work/fifo" /dev/full; do
    refuses 'is not a regular file, want a file that can be written' --network alexnet --report "$place"
done
for number in nan -1 -inf 1s ''; do
    refuses '--seconds' --network alexnet --seconds "$number"
done
for number in nan -1 abc; do
    refuses '--slot-seconds' --network alexnet --slot-seconds "$number"
done
for number in 1.5 nan 1e3; do
    refuses '--seed' --network alexnet --seed "$number"
done
"$tune" --version | grep -q "^tune_network (tunekit) [0-9]" || fail "--version"
if "$tune" --network resnet18 --spaces >/dev/full 2>"$work/err"; then fail "a full disk: exit status 0"; fi
grep -q "standard output cannot be written in full" "$work/err" || fail "a full disk is not told"
"$tune" --network resnet18 --spaces | grep -q "^R12 " || fail "--spaces"

"$tune" --network resnet18 --templates autotvm --spaces | grep -q "^R12 .* 400 *400$" || fail "--templates autotvm --spaces"

# Without a device: the spaces are told, tuning is not begun.
"$tune" --network resnet18 --device cuda --spaces | grep -q "^R12 .* 844800" || fail "--device cuda --spaces"
status=0
CUDA_VISIBLE_DEVICES='' "$tune" --network resnet18 --device cuda >"$work/out" 2>"$work/err" || status=$?
[ "$status" = 3 ] || fail "no device: exit status $status, want 3"
[ ! -s "$work/out" ] || fail "no device: wrote to standard output"
[ "$(wc -l <"$work/err")" = 1 ] || fail "no device: $(wc -l <"$work/err") lines, want 1"
grep -q "^tunekit: no CUDA d" "$work/err" || fail "no device: said '$(cat "$work/err")'"

# A run that is killed, then resumed: what was logged stays, byte for byte, and is not measured again.
"$tune" --network alexnet --seconds 30 --seed 3 --log "$work/log" --json >/dev/null 2>&1 &
child=$!
tries=0
while [ "$(cat "$work/log" 2>/dev/null | wc -l)" -lt 12 ] && [ $tries -lt 1200 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -9 $child
wait $child 2>/dev/null || true
lines=$(wc -l <"$work/log")
[ "$lines" -ge 12 ] || fail "only $lines lines before the kill"
cp "$work/log" "$work/killed"
size=$(head -n "$lines" "$work/killed" | wc -c)
status=0
"$tune" --network alexnet --seconds 3 --seed 3 --log "$work/log" --resume --json >"$work/json" || status=$?
[ "$status" = 0 ] || fail "the resumed run ended with status $status"
grep -q '^{"round":0,.*"task":[1-9]' "$work/log" && tail -n 1 "$work/log" | grep -q '^{"ended":' || fail "the log lacks the rounds of the race or the end: $(tail -n 1 "$work/log")"
cmp -s -n "$size" "$work/log" "$work/killed" || fail "resuming changed what was logged"
for key in '"network": "alexnet"' '"measuring_share"' '"build_seconds": 0' '"default_latency_ms"' '"tuned_latency_ms"' '"verified": true' '"space_size"' '"forecast"' '"gain_ms"' '"low_ms"' '"high_ms"'; do
    grep -qF "$key" "$work/json" || fail "the JSON has no $key"
done
[ "$(grep -c '"verified": true' "$work/json")" = 5 ] || fail "not every task has a verified kernel"

# Ended by a signal: the table so far, and a log that is taken up.
for signal in INT HUP QUIT TERM; do
    sh -c 'trap - INT; exec "$@"' sh "$tune" --network alexnet --seconds 600 --seed 3 --log "$work/ended.$signal" >"$work/out" 2>"$work/err" &
    child=$!
    tries=0
    while [ "$(cat "$work/ended.$signal" 2>/dev/null | wc -l)" -lt 12 ] && [ $tries -lt 1200 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    kill -s $signal $child
    status=0
    wait $child || status=$?
    case $signal in INT) want=130 ;; HUP) want=129 ;; QUIT) want=131 ;; TERM) want=143 ;; esac
    [ "$status" = "$want" ] || fail "SIG$signal: exit status $status, want $want: $(cat "$work/err")"
    grep -q '^A1 ' "$work/out" || fail "SIG$signal: no table: $(cat "$work/out" "$work/err")"
done
"$tune" --network alexnet --seconds 2 --seed 3 --log "$work/ended.INT" --resume >"$work/out" || fail "after SIGINT: exit status $?"

# Two workers: both have trials, which the log, the JSON and the table name; killed and taken up by one, then by two again.
# worker K: trials of worker K in the log.
worker() { grep -c "^{\"tell\":[0-9]*,\"worker\":$1," "$work/two" || true; }
if [ "$(nproc)" -gt 1 ]; then
    "$tune" --network alexnet --workers 2 --seconds 30 --seed 3 --log "$work/two" --json >/dev/null 2>&1 &
    child=$!
    tries=0
    while [ "$(cat "$work/two" 2>/dev/null | wc -l)" -lt 60 ] && [ $tries -lt 1200 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    kill -9 $child
    wait $child 2>/dev/null || true
    [ "$(worker 0)" -gt 0 ] && [ "$(worker 1)" -gt 0 ] || fail "two workers: $(worker 0) and $(worker 1) trials"
    lines=$(wc -l <"$work/two")
    cp "$work/two" "$work/killed"
    size=$(head -n "$lines" "$work/killed" | wc -c)
    at_kill=$(worker 1)
    "$tune" --network alexnet --workers 1 --seconds 4 --seed 3 --log "$work/two" --resume --json >"$work/json" || fail "one worker takes up the run of two"
    cmp -s -n "$size" "$work/two" "$work/killed" || fail "one worker changed what two had logged"
    grep -q '^{"workers":1,' "$work/two" || fail "the log does not say that one worker went on"
    [ "$(worker 1)" = "$at_kill" ] || fail "one worker went on under the name of another"
    grep -q '"workers": 1,' "$work/json" || fail "the JSON does not count its workers"
    trials=$(($(worker 0) + $(worker 1)))
    "$tune" --network alexnet --workers 2 --seconds 600 --seed 3 --log "$work/two" --resume >"$work/table" &
    child=$!
    tries=0
    while [ $(($(worker 0) + $(worker 1))) -le "$trials" ] && [ $tries -lt 1200 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    kill -s TERM $child
    status=0
    wait $child || status=$?
    [ "$status" = 143 ] || fail "two workers take up the run again: exit status $status, want 143"
    grep -q '^{"workers":2,' "$work/two" || fail "the log does not say that two workers went on"
    [ $(($(worker 0) + $(worker 1))) -gt "$trials" ] || fail "two workers found nothing to do"
    grep -qE '^A1 .* [0-9]+\+[0-9]+ ' "$work/table" || fail "the table does not tell the trials of each worker"
fi

refuses 'exists already; resume it (.resume = true, or --resume), or name another file' --network alexnet --log "$work/log"
refuses 'was written with seed 3, not 4' --network alexnet --seed 4 --log "$work/log" --resume
refuses 'was written with strategy combined, not random' --network alexnet --seed 3 --strategy random --log "$work/log" --resume
sed '4s/.*/{"task":/' "$work/log" >"$work/torn"
cp "$work/torn" "$work/before"
refuses 'line 4:' --network alexnet --seed 3 --log "$work/torn" --resume
cmp -s "$work/torn" "$work/before" || fail "a malformed log was changed"

# A log without checksums, as older versions wrote it, is taken up and noted. Its page is written while the run goes on, and at its end.
refuses 'want --report FILE.html too' --network alexnet --watch
refuses 'cannot be written' --network alexnet --report "$work/none/run.html"
sed 's/,"crc32c":"[0-9a-f]*"}$/}/' "$work/log" >"$work/old"
"$tune" --network alexnet --seconds 8 --seed 3 --log "$work/old" --resume --report "$work/run.html" --watch=1 >"$work/table" 2>"$work/err" &
child=$!
tries=0
while [ ! -s "$work/run.html" ] && [ $tries -lt 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
grep -q 'http-equiv="refresh" content="1"' "$work/run.html" || fail "no page while the run goes on"
wait $child || fail "the reported run ended with status $?"
grep -q 'has no checksums, as older versions wrote it' "$work/err" || fail "a log of an older version is not noted"
if grep -q 'http-equiv="refresh"' "$work/run.html"; then fail "the last page reloads itself"; fi
for words in 'One pass of the model takes' 'last comparison, side by side' 'tune_network --network alexnet --seconds 8' 'A1: '; do
    grep -qF -- "$words" "$work/run.html" || fail "the page has no '$words'"
done
exit $bad
