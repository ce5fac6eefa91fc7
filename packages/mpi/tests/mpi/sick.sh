#!/bin/sh
# SPDX-License-Identifier: MIT
# sick.sh PROGRAM MPIRUN: ranks of scenarios.cpp that are sick: one, three of four, all; by crashes, time-outs or their reference; one that joins
# late; one that lies; a stale program; a launcher that is killed, SIGTERM, a rank that is stopped for good, many ranks; and an application
# that keeps its own MPI.
set -eu
program=$1 mpirun=$2
. "$(dirname "$0")/../support/launched.sh"
host=$(hostname)
# sound_without RANK...: nothing failed, the best is that of sound ranks, and these ranks were taken out and named, in the log, too.
sound_without() {
    succeeds
    says 'trials 120 failed 0 best 0.0010 '
    [ "$(grep -c '^left: ' "$work/out")" = $# ] || fail "there left $(grep -c '^left: ' "$work/out") ranks, want $#"
    for rank in "$@"; do
        says "left: $rank on $host "
        grep -q "^{\"joined\":.*\"host\":\"$host\".*\"local_rank\":$rank,\"left\":\"" "$work/log" || fail "the log does not say why rank $rank left"
    done
}
# answers RANK MOST: rank RANK of those that measure, from 1, had at most so many jobs.
answers() {
    n=$(sed -n 's/.* by \([0-9 ]*\) lost .*/\1/p' "$work/out" | cut -d' ' -f"$1")
    [ "$n" -le "$2" ] || fail "a sick rank had $n jobs, want at most $2"
}
fresh() { rm -f "$work/log"; }

ranks 4 crash "$work/log" # one crashes with every candidate, and answers first
sound_without 2
answers 2 12
fresh
ranks 4 crash_aa "$work/log" # with its reference as well
sound_without 2
answers 2 0
says 'was taken out: the reference failed, crash: SIGSEGV'
fresh
ranks 4 hang "$work/log" # no candidate ends on it
sound_without 2
answers 2 6
says 'with run_timeout'
fresh
ranks 4 three "$work/log" # three of four
sound_without 1 2 3
for rank in 2 3 4; do answers $rank 12; done
fresh
ranks 4 all "$work/log" 400 # all: the run ends with the reason
[ "$status" = 3 ] || fail "exit status $status, want 3"
grep -q 'nothing can be measured: 30[0-9] configurations failed, the last on worker . on .* with crash: SIGSEGV' "$work/out" || fail 'it does not say why it ended'
fresh
ranks 4 all_aa "$work/log" 400 # the same, known from the reference
[ "$status" = 3 ] || fail "exit status $status, want 3"
says "no worker can measure; worker 0 on $host was taken out: the reference failed, crash: SIGSEGV"
[ "$(grep -c '"left":"was taken out' "$work/log")" = 3 ] || fail 'the log does not name the three'

fresh
TUNEKIT_FAULT=late # faulty_mpi.cpp: one begins half a second after the others, and has a share of the run
export TUNEKIT_FAULT
ranks 4 plain "$work/log" 300
succeeds
says 'trials 300 failed 0 best 0.0010 '
grep -Eq ' by [1-9][0-9]* [1-9][0-9]* [1-9][0-9]* lost 0 0 0$' "$work/out" || fail 'who joined late had no job'
fresh
ranks 4 crash "$work/log" 300 # it crashes with every candidate
unset TUNEKIT_FAULT
succeeds
says 'trials 300 failed 0 best 0.0010 '
says "left: 2 on $host "
fresh
ranks 4 lies "$work/log" # a thousandth of each cost: it wins, by what it said; nobody else is taken for sick
succeeds
says 'trials 120 failed 0 best 0.0000 '
if grep -q '^left' "$work/out"; then fail 'a rank was taken out'; fi

fresh
ranks 4 stale "$work/log" # a text of the caller's tells the builds apart
sound_without 2
says 'is another build of the program, old, not new'
# Without one the program's own sum does. A stale program: another constant.
sed 's/no device here/no device hehe/' "$program" >"$work/stale"
chmod +x "$work/stale"
status=0
timeout -k 10 60 "$mpirun" -n 3 "$program" plain : -n 1 "$work/stale" plain >"$work/out" 2>"$work/err" || status=$?
echo "plain with a stale program on rank 3: status $status, $(grep '^left' "$work/out")"
succeeds
says 'trials 120 failed 0 '
says "left: 3 on $host is another build of the program, "

fresh
ranks 4 term "$work/log" # SIGTERM to rank 0
[ "$status" = 143 ] || fail "exit status $status, want 143"
says 'replayed 0 trials '
fresh
ranks 4 for_good "$work/log" # a rank is stopped and never continued
says 'trials 120 failed 0 '
[ "$(grep -c '^{"tell"' "$work/log")" = 120 ] || fail 'the log has not what was measured'
[ "$(grep -c '^{"drop"' "$work/log")" = 1 ] || fail 'the log does not say that a job was lost'
grep -q '^{"tunekit_log".*"workers":3,' "$work/log" || fail 'the log does not say that three measure'
says "silent: 2 on $host does not answer: nothing was heard of it for "
awk -F'"limits":' '/^{"(ask|tell)"/ { split($2, l, "}"); seen[l[1]] = 1 } END { n = 0; for (k in seen) ++n; exit n != 1 }' "$work/log" ||
    fail 'the limits of an answer are not those of its job'
ranks 32 plain # more ranks than processors
succeeds
says 'trials 120 failed 0 '
# The launcher is killed: its ranks end, or go on and end by themselves; nothing of them stays, and the log is resumed.
fresh
"$mpirun" -n 4 "$program" slow "$work/log" >"$work/out" 2>"$work/err" &
launcher=$!
# until CONDITION...: waits for it, at most 30 s.
until_true() {
    tries=0
    while ! "$@" && [ $tries -lt 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
began() { [ "$(cat "$work/log" 2>/dev/null | wc -l)" -ge 40 ]; }
ended() { ! pgrep -f "$program slow" >/dev/null; }
until_true began
kill -9 $launcher
wait $launcher || true
until_true ended
ended || fail 'ranks outlived their launcher by 30 s'
told=$(grep -c '^{"tell"' "$work/log" || true)
ranks 4 plain "$work/log" 150
succeeds
says "replayed $told trials 150 failed 0 "

for scenario in inside inside_threads; do # an application's own MPI, and a part of its ranks
    ranks 4 $scenario
    succeeds
    [ "$(grep -c '^trials 60 failed 0 .* by [1-9][0-9]* [1-9][0-9]* lost 0 0$' "$work/out")" = 2 ] || fail 'two runs on two ranks'
    [ "$(grep -c '^returned 4$' "$work/out")" = 2 ] || fail 'not every rank returned'
done
ranks 4 inside_stopped # one of its ranks is stopped for good: the application hears which, and ends
says 'trials 60 failed 0 '
says "silent: 2 on $host does not answer"
says 'absent: worker 1 has not ended within 1 s'
[ "$status" != 0 ] && [ "$status" != 124 ] && [ "$status" != 134 ] || fail "exit status $status, want that of MPI_Abort"
exit $bad
