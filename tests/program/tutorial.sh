#!/bin/sh
# SPDX-License-Identifier: MIT
# What docs/tutorial.md promises of its program: the first run tunes and leaves a log, the second only uses it, an interrupted
# one is continued, and a log of something else is refused in one line.
set -eu
cd "$(dirname "$0")/../.."
program=$1/examples/tutorial
[ -x "$program" ] || { echo "$program is not built here"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" "$work/run.jsonl" >"$work/first" 2>/dev/null
grep -q '^64 of 540 configurations measured, 0 failed$' "$work/first"
grep -q '^[0-9]* x [0-9]* x [0-9]*: [0-9.]* ms when tuned, [0-9.]* ms here$' "$work/first"
"$program" "$work/run.jsonl" >"$work/second"
[ "$(sed 's/, [0-9.]* ms here$//' "$work/second")" = "$(sed 's/, [0-9.]* ms here$//' "$work/first")" ]
[ "$(grep -c '"tell"' "$work/run.jsonl")" = 64 ]  # the second run measured nothing
head -n 20 "$work/run.jsonl" >"$work/cut.jsonl"  # as a killed run leaves it
"$program" "$work/cut.jsonl" >"$work/third"
grep -q '^64 of 540 configurations measured, 0 failed$' "$work/third"
sed 's/"multiply"/"other"/' "$work/run.jsonl" >"$work/other.jsonl"
if "$program" "$work/other.jsonl" 2>"$work/said"; then
    echo "a log without the task was taken"
    exit 1
fi
[ "$(wc -l <"$work/said")" = 1 ]
