# SPDX-License-Identifier: MIT
# Sourced by attacks on tune_command, with their arguments BUILD [--tenth] [--seed N], and those of TUNEKIT_ATTACK: sets `tune`, `seed`, `work`
# (a folder that ends with the test, and is entered), `bad`, and defines `tries NUMBER`, whether that part is tried, and `faulty NAME=VALUE...`,
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
faulty() { timeout 60 env LD_PRELOAD="$faults" TUNEKIT_FAULT_IN=tune_command "$@"; }
