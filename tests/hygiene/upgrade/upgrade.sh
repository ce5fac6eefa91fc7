#!/bin/sh
# SPDX-License-Identifier: MIT
# upgrade.sh ROOT: scripts/upgrade-0.3 leaves no include of 0.2 that is not there, rewrites names and targets and nothing else, changes nothing twice or on a dry run,
# and says wrong input in a line.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/hygiene/upgrade/includes-0.2.txt "$work/all.cpp"
cp tests/hygiene/upgrade/before.txt "$work/names.hpp"
cp tests/hygiene/upgrade/build_before.txt "$work/CMakeLists.txt"
cp tests/hygiene/upgrade/before.txt "$work/notes.md"
scripts/upgrade-0.3 --dry-run "$work" >"$work/said"
grep -q '^3 files$' "$work/said"
cmp "$work/all.cpp" tests/hygiene/upgrade/includes-0.2.txt
scripts/upgrade-0.3 "$work" >"$work/said"
grep -q '^3 files$' "$work/said"
grep -q 'look by hand: tunekit/tunekit.hpp' "$work/said"
diff "$work/names.hpp" tests/hygiene/upgrade/after.txt
diff "$work/CMakeLists.txt" tests/hygiene/upgrade/build_after.txt
cmp "$work/notes.md" tests/hygiene/upgrade/before.txt
gone=$(sed -n 's/.*look by hand: \(tunekit\/[^ ]*\) is gone, .*/\1/p' "$work/said")
for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$work/all.cpp"); do
    set -- include/"$header" packages/*/include/"$header"
    found=
    case " $(echo "$gone" | tr '\n' ' ') " in *" $header "*) continue ;; esac
    for file in "$@"; do [ ! -e "$file" ] || found=1; done
    [ -n "$found" ] || { echo "there is no $header"; exit 1; }
done
scripts/upgrade-0.3 "$work" | grep -q '^0 files$'
status=0
scripts/upgrade-0.3 "$work/none" 2>"$work/said" || status=$?
[ $status = 2 ] && grep -q "no file or folder '$work/none'" "$work/said"
