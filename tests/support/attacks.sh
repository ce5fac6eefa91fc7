# SPDX-License-Identifier: MIT
# Sourced by attacks on tune_command, with their arguments BUILD [--tenth] [--seed N], and those of TUNEKIT_ATTACK: sets `tune`, `seed`, `work`
# (a folder that ends with the test, and is entered), `bad`, and defines `tries NUMBER`, whether that part is tried, `built_program`, `ends_in_words`, and `faulty NAME=VALUE...`,
# what runs a command with faults (tests/attack/failing_calls.cpp).
build=$(cd "$1" && pwd)
tune=$build/tools/tune_command
faults=$build/tests/attack_failing_calls.so
shift
# shellcheck disable=SC2086 # options in words
set -- "$@" ${TUNEKIT_ATTACK-}
seed='' tenth=no
while [ $# -gt 0 ]; do
    case $1 in
    --tenth) tenth=yes ;;
    --seed)
        seed=$2
        shift
        ;;
    esac
    shift
done
[ $tenth = no ] || echo "a tenth: --tenth --seed ${seed:=$(date +%s)}"
: "${seed:=1}"
for needed in "$tune" "$faults"; do
    [ -e "$needed" ] || { echo "$needed is not built here" && exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0
tries() { [ $tenth = no ] || [ $((($1 * 7919 + seed) % 9973 % 10)) = 0 ]; }
# built_program: the files of what attacks on disks tune: a space, a template and a build.
built_program() {
    echo '{"parameters": [{"name": "tile", "values": [1, 2, 4, 8]}]}' >space.json
    echo 'tile is {tile}' >template
    printf '#!/bin/sh\necho "echo cost: $1" >"$2"\n' >build.sh
    chmod +x build.sh
}
# ends_in_words LOG: whether a run of it, by its exit status $status and what it printed to `out` and `err`, found the best, or said why not and told
# what has a cost in a whole line of the log; calls the test's `fail`.
ends_in_words() {
    case $status in
    0) grep -q '^best *1 ' out || fail 'status 0 without the best' ;;
    2)
        [ -s err ] || fail 'status 2 without a word'
        if grep '"tell"' "$1" 2>/dev/null | grep -q '"cost":[0-9]' && ! grep -q '^best ' out; then fail 'what was found is not printed'; fi
        ;;
    *) fail "exit status $status" ;;
    esac
}
faulty() { timeout 60 env LD_PRELOAD="$faults" TUNEKIT_FAULT_IN=tune_command "$@"; }
