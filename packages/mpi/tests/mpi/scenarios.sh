#!/bin/sh
# SPDX-License-Identifier: MIT
# scenarios.sh PROGRAM MPIRUN [quick]: the scenarios of scenarios.cpp under a launcher, `quick` those without faults: four ranks, more than
# there may be processors; ranks that are killed, stopped, slow or refuse; calls of MPI that fail; rank 0 killed and the run resumed from its log.
set -eu
program=$1 mpirun=$2 quick=${3-}
. "$(dirname "$0")/../support/launched.sh"

ranks 2 equal # the run of a single process, trial by trial
succeeds
says 'trials 120 failed 0 '
ranks 1 plain # no launcher's help: rank 0 alone measures
succeeds
says 'trials 120 failed 0 '
ranks 4 plain
succeeds
says 'trials 120 failed 0 '
grep -Eq ' by [1-9][0-9]* [1-9][0-9]* [1-9][0-9]* lost 0 0 0$' "$work/out" || fail 'three ranks did not share the run'
ranks 4 head
succeeds
grep -Eq ' by [1-9][0-9]* [1-9][0-9]* [1-9][0-9]* [1-9][0-9]* lost' "$work/out" || fail 'rank 0 did not measure, too'
ranks 4 large # answers of the largest size
succeeds
says 'trials 120 failed 0 '
ranks 4 aa
succeeds
says 'worker 2 on '
ranks 4 late
succeeds
ranks 4 decide
succeeds
ranks 4 cannot # one rank cannot build its measurer
succeeds
grep -Eq ' by 0 [1-9][0-9]* [1-9][0-9]* lost 0 0 0$' "$work/out" || fail 'the others did not go on'

[ "$quick" != quick ] || exit $bad
ranks 4 slow # ten times
succeeds
says 'trials 120 failed 0 '
slow=$(sed 's/.* by [0-9]* \([0-9]*\) .*/\1/' "$work/out")
[ "$slow" -lt 20 ] || fail "the slow rank had $slow jobs, want less than a sixth"
ranks 4 stop # for two seconds, within the lease
succeeds
says 'trials 120 failed 0 '
says 'lost 0 0 0'
ranks 4 long_stop # beyond it: the job goes elsewhere, and nobody waits for the rank at the end
says 'trials 120 failed 0 '
says 'lost 0 1 0'

# A rank is killed: the launcher ends the job; the log has the rest. Then rank 0.
for scenario in kill kill_head; do
    ranks 4 $scenario "$work/$scenario"
    [ "$status" != 0 ] || [ $scenario = kill ] || fail "a job whose rank 0 was killed ended with status 0"
    [ -s "$work/$scenario" ] || fail "there is no log"
    lines=$(wc -l <"$work/$scenario")
    head -n "$lines" "$work/$scenario" >"$work/before"
    told=$(grep -c '^{"tell"' "$work/before" || true)
    ranks 4 plain "$work/$scenario" 150
    succeeds
    says "replayed $told trials 150 failed 0 "
    cmp -s -n "$(wc -c <"$work/before")" "$work/before" "$work/$scenario" || fail "resuming changed what was logged"
done

# Calls of MPI that fail (faulty_mpi.cpp). About one rank: that is lost, and the run goes on without it.
for fault in send receive vanish dead; do
    [ $fault != dead ] || [ "$("$program" tells)" = yes ] || continue
    TUNEKIT_FAULT=$fault
    export TUNEKIT_FAULT
    ranks 4 faulty "$work/$fault"
    unset TUNEKIT_FAULT
    says 'trials 120 failed 0 '
    grep -Eq ' lost .*1' "$work/out" || fail "$fault: no job was lost"
    [ "$(grep -c '^{"tell"' "$work/$fault")" = 120 ] || fail "$fault: the log has not what was measured"
done
# About none, or a rank that cannot answer: the job ends at once, and what was measured is there.
for fault in probe answer; do
    TUNEKIT_FAULT=$fault
    export TUNEKIT_FAULT
    ranks 4 faulty "$work/$fault"
    unset TUNEKIT_FAULT
    [ "$status" != 0 ] && [ "$status" != 124 ] || fail "$fault: exit status $status, want a failure and no time-out"
    told=$(grep -c '^{"tell"' "$work/$fault" || true)
    [ "$told" -gt 0 ] || fail "$fault: nothing of what was measured is in the log"
    ranks 4 plain "$work/$fault" 150
    succeeds
    says "replayed $told trials 150 failed 0 "
done
exit $bad
