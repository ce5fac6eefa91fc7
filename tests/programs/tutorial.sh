#!/bin/sh
# SPDX-License-Identifier: MIT
# What docs/tutorial.md promises of its program: the first run tunes and leaves a log, the second only uses it, and a log of something
# else is refused in one line.
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
[ "$(wc -l <"$work/second")" = 1 ]
[ "$(cut -d: -f1 "$work/second")" = "$(sed -n 2p "$work/first" | cut -d: -f1)" ]
sed 's/"multiply"/"other"/' "$work/run.jsonl" >"$work/other.jsonl"
if "$program" "$work/other.jsonl" 2>"$work/said"; then
    echo "a log without the task was taken"
    exit 1
fi
[ "$(wc -l <"$work/said")" = 1 ]
