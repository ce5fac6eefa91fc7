#!/bin/sh
# SPDX-License-Identifier: MIT
# disk.sh BUILD [--tenth] [--seed N]: a short run of tune_command, each of whose calls to the disk fails in turn: once, or with all later
# ones, as on a disk that is full, over its quota, read-only, broken, without locks or without descriptors. (Of the many calls of its last
# comparison, which are alike, every ninth.) Whatever fails: the run ends with status 0 or 2, with a line where it is 2; what was found is
# printed; no configuration is a failure in the log for it; nothing is left in TMPDIR or beside a file; and without the fault --resume ends
# with everything measured.
set -eu
. "$(dirname "$0")/../support/attacks.sh"
tried=0
fail() {
    echo "FAILED: call $n of $calls, $fault: $1; $(tr '\n' '|' <err)"
    bad=$((bad + 1))
}

built_program
run() {
    "$@" "$tune" --space space.json --strategy random --seed 3 --repeat 1 --trials 4 --cost 'regex:cost: ([0-9]+)' --file 'template:{scratch}/in' \
        --build "./build.sh {tile} {build}/made" --log run.jsonl --resume --report run.html --t4 run.t4 -- /bin/sh '{build}/made'
}
# with_fault TIMES:ERRNO: the run with that fault at call $n; none for "".
with_fault() {
    rm -rf run.* tmp
    mkdir tmp
    head -c 8 /dev/zero >count
    status=0
    run faulty TMPDIR="$work/tmp" TUNEKIT_FAULT_COUNT="$work/count" TUNEKIT_FAULT="${1:+$n$1}" >out 2>err || status=$?
}
fault='none' n=0 calls=0
with_fault ''
calls=$(od -An -tu8 count | tr -d ' ')
[ "$status" = 0 ] || fail "exit status $status"
[ "$calls" -gt 50 ] || fail 'so few calls are none'
grep -q '^best *1 ' out || fail "no best: $(cat out)"

comparison=100 # the search takes fewer calls, reports and tables the last few
while [ "$n" -lt "$calls" ]; do
    n=$((n + 1))
    [ $n -le $comparison ] || [ $n -gt $((calls - 25)) ] || [ $((n % 9)) = 0 ] || continue
    for fault in +:28 :28 +:122 +:30 :5 :24 +:37; do # ENOSPC, EDQUOT, EROFS, EIO, EMFILE, ENOLCK
        # the kinds take turns, and another seed begins with another one
        case $(((n + ${fault#*:} + seed) % 7)) in 0) ;; *) continue ;; esac
        tries "$n" || continue
        tried=$((tried + 1))
        with_fault "$fault"
        ends_in_words run.jsonl
        if grep '"tell"' run.jsonl 2>/dev/null | grep -q '"failed"'; then fail 'held against a configuration'; fi
        [ -z "$(ls -A tmp)" ] || fail "left in TMPDIR: $(ls -A tmp)"
        set -- run.*.new
        [ ! -e "$1" ] || fail "left beside: $*"
        status=0
        run env TMPDIR="$work/tmp" >out 2>err || status=$?
        [ "$status" = 0 ] || fail "--resume without the fault: exit status $status"
        grep -q '^4 configurations measured, 0 failed' out || fail "--resume without the fault: $(head -n 1 out)"
        grep -q '^best *1 ' out || fail '--resume without the fault: no best'
    done
done
echo "$tried faults over $calls calls, $bad bad"
[ "$bad" = 0 ]
