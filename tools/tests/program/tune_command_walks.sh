#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# The walk of README.md as it stands there, and the three of docs/command_line.md, in small: each measures some configurations without
# a failure, the default among them, and prints a command that runs. What needs Open MPI or OpenMP is left out where there is none.
set -eu
program=$1/tools/tune_command
walks=$(cd "$(dirname "$0")/../../../examples/command_line" && pwd)
. "$(dirname "$0")/../../../tests/support/refuses.sh"
PATH=$1/tools:$1/examples:$PATH
export PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# walk NAME TRIALS FIRST-LINE-OF-OUTPUT: runs it, and what it says to paste.
walk() {
    status=0
    sh "$walks/$1/tune.sh" "$work/$1" --trials "$2" --repeat 1 --seed 3 >"$work/$1.out" 2>"$work/$1.err" || status=$?
    if [ "$status" = 77 ]; then
        echo "$1 is left out: $(cat "$work/$1.out")"
        return 0
    fi
    [ "$status" = 0 ] || fail "$1: exit status $status: $(cat "$work/$1.err")"
    grep -q "^$2 configurations measured, 0 failed" "$work/$1.out" || fail "$1: $(head -n 1 "$work/$1.out")"
    grep -q '^default ' "$work/$1.out" || fail "$1: no default in $(cat "$work/$1.out")"
    grep -q '^best ' "$work/$1.out" || fail "$1: no best in $(cat "$work/$1.out")"
    awk -v RS= '{ last = $0 } END { print last }' "$work/$1.out" >"$work/$1.paste"
    (cd "$work/$1" && sh ../"$1.paste") >"$work/$1.pasted" 2>&1 || fail "$1: what is to be pasted does not run: $(cat "$work/$1.paste" "$work/$1.pasted")"
    grep -q "^$3" "$work/$1.pasted" || fail "$1: what is to be pasted printed $(cat "$work/$1.pasted")"
}

# README's commands but for the first, which builds, with a number of trials for the time.
mkdir "$work/readme"
awk '/^## Tune a program by/ { on = 1 } on && /^```sh/ { inside = 1; next } /^```/ { if (inside) exit } inside { print }' "$walks/../../README.md" |
    sed '1d; s|^build/release/examples/||; s/--seconds 60/--trials 4 --repeat 1/' >"$work/readme/commands"
(cd "$work/readme" && sh commands) >"$work/readme.out" 2>"$work/readme.err" || fail "README: $(cat "$work/readme.err")"
grep -q '^4 configurations measured, 0 failed' "$work/readme.out" || fail "README: $(head -n 1 "$work/readme.out")"
grep -q '^LC_ALL=C.* sort --' "$work/readme.out" || fail "README: nothing to paste in $(cat "$work/readme.out")"

walk flags 3 'packed [0-9]*, and back'
if echo 'int main() {}' | g++ -fopenmp -x c++ - -o "$work/probe" 2>"$work/err"; then
    walk openmp 5 'picture '
else
    echo "openmp is left out: $(head -n 1 "$work/err")"
fi
walk mpi 4 'step '
exit $bad
