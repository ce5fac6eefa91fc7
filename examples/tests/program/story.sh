#!/bin/sh
# SPDX-License-Identifier: MIT
# story.sh NAME BUILD: the short form of a story runs to its end, and what it tells at the end has the machine, and numbers where intervals or
# counts belong. Exit status 77 with the story's own words where a package is missing. The gains of a short form mean nothing.
set -eu
name=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What was unpacked by an earlier whole run need not be fetched again.
[ ! -d "$2/stories/$name/bzip2-1.0.8" ] || cp -r "$2/stories/$name/bzip2-1.0.8" "$work"
status=0
sh "$(dirname "$0")/../../stories/$name/tune.sh" "$work" --short >"$work/out" 2>"$work/err" || status=$?
if [ "$status" = 77 ]; then
    cat "$work/err"
    exit 77
fi
fail() {
    echo "FAILED: $name: $1"
    cat "$work/out" "$work/err"
    exit 1
}
# lines REGEX LEAST: so many lines of what is told at the end.
lines() { [ "$(grep -cE -- "$1" "$work/result")" -ge "$2" ] || fail "fewer than $2 lines with '$1'"; }
[ "$status" = 0 ] || fail "exit status $status"
lines 'processors, .*, [0-9-]+, load [0-9.]+$' 1
interval='[0-9]+\.[0-9]{3} \[[0-9.]+, [0-9.]+\]'
case $name in
gcc_flags) lines "$interval\$" 5 && lines '^flags: .*-O[123]' 1 ;;
openblas) lines "^(all eight|d[a-z0-9]+) +$interval +$interval\$" 9 && lines '^(upstream, param.h.*DGEMM_DEFAULT_P [0-9]+ |nothing for upstream: )' 1 ;;
solver) lines "$interval\$" 2 && lines '^options: --restartint=' 1 ;;
second_week) lines '^seed 1, (cold|warm): [0-9]+(, none)?, [0-9.e+-]+$' 2 ;;
stencil) lines ' [0-9]+\.[0-9]{3} \[no interval from 2\]' 2 && lines '^seconds .*sum ' 2 ;;
zstd) lines "^ +[139] .* $interval +strategy=[1-9],wlog=" 1 ;;
*) fail 'no story of this name' ;;
esac
