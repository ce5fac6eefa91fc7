#!/bin/sh
# SPDX-License-Identifier: MIT
# What own_kernel promises: it finds a winner, and where there are too few descriptors it says so in one line and ends with status 2.
set -eu
program=$1/examples/own_kernel
. "$(dirname "$0")/../../tests/support/refuses.sh"

"$program" >"$work/out" 2>"$work/err" || fail "exit status $?: $(cat "$work/err")"
grep -q '^winner: ' "$work/out" || fail "no winner in: $(cat "$work/out")"
[ ! -s "$work/err" ] || fail "said: $(cat "$work/err")"

# 5 descriptors suffice for the loader, the shell's own redirections included; from some number on everything is measured.
refused=0
for descriptors in 5 6 7 8 12 20; do
    status=0
    (ulimit -n $descriptors && exec "$program") >"$work/out" 2>"$work/err" || status=$?
    case $status in
    0) grep -q '^winner: ' "$work/out" || fail "$descriptors descriptors: no winner in: $(cat "$work/out")" ;;
    2)
        refused=$((refused + 1))
        [ "$(wc -l <"$work/err")" = 1 ] || fail "$descriptors descriptors: $(cat "$work/err")"
        grep -qF 'Too many open files; want more descriptors (ulimit -n)' "$work/err" || fail "$descriptors descriptors: $(cat "$work/err")"
        ;;
    *) fail "$descriptors descriptors: exit status $status: $(cat "$work/err")" ;;
    esac
done
[ "$refused" -gt 0 ] || fail '5 descriptors were enough'
[ "$status" = 0 ] || fail '20 descriptors were not enough'
exit $bad
