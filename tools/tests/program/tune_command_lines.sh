#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# The five stories of one line in examples/command_line/README.md run as they stand there, with three trials each.
set -eu
program=$1/tools/tune_command
here=$(cd "$(dirname "$0")/../../.." && pwd)/examples/command_line
. "$(dirname "$0")/../../../tests/support/refuses.sh"
cd "$work"
cp "$here/flags/work.cpp" .
g++ -O2 -fopenmp "$here/openmp/escape.cpp" -o escape
printf 'all: a b c\na b c:\n\tsleep 0.02; touch $@\nclean:\n\trm -f a b c\n' >Makefile
awk 'BEGIN { srand(1); for (i = 0; i < 50000; ++i) print int(1e6 * rand()) }' >numbers
grep '^    tune_command -[LP] ' "$here/README.md" >lines
[ "$(wc -l <lines)" = 5 ] || fail "other lines than five: $(cat lines)"
while read -r line; do
    name=${line##*-- }
    case $name in zstd*) command -v zstd >/dev/null || continue ;; esac
    status=0
    eval "\"\$program\" --trials 3 --repeat 1 --seconds 60 --no-checks ${line#tune_command }" >out 2>err || status=$?
    [ "$status" = 0 ] || fail "$name: exit status $status, $(cat err)"
    grep -q '^3 configurations measured, 0 failed' out || fail "$name: $(cat out)"
done <lines
exit $bad
