#!/bin/sh
# SPDX-License-Identifier: MIT
# compiled.sh ROOT COMPILER FLAG...: tunekit/compiled.cpp reaches every header that has bodies for it, and each of those says where they are.
# A program that mixes header-only and compiled units is refused by the linker, where g++ compiles them for ELF.
set -eu
root=$1 compiler=$2
shift 2
cd "$root/include"
dir=$(mktemp -d)
reached=$dir/reached
trap 'rm -rf "$dir"' EXIT
"$compiler" -std=c++20 -I. "$@" -DTUNEKIT_COMPILED -MM tunekit/compiled.cpp | tr -s ' \\' '\n' | sed 's,^\./,,' >"$reached"
bad=0
for header in $(grep -rl '^#if TUNEKIT_BODIES' tunekit | LC_ALL=C sort); do
    if ! grep -qx "$header" "$reached"; then
        echo "$header has bodies that tunekit/compiled.cpp does not reach: include it there"
        bad=1
    fi
    if ! grep -q '^#include "tunekit/core/compiled.hpp"' "$header"; then
        echo "$header does not include tunekit/core/compiled.hpp: its bodies may be left out"
        bad=1
    fi
done
if "$compiler" -dM -E -x c++ /dev/null | grep -q __ELF__ && ! "$compiler" -dM -E -x c++ /dev/null | grep -q __clang__; then
    for unit in first second; do
        printf '#include "tunekit/core/compiled.hpp"\nint %s() { return 0; }\n' $unit >"$dir/$unit.cpp"
        "$compiler" -std=c++20 -I. -c "$dir/$unit.cpp" -o "$dir/$unit.o"
    done
    "$compiler" -std=c++20 -I. -DTUNEKIT_COMPILED -c "$dir/second.cpp" -o "$dir/compiled.o"
    "$compiler" -shared "$dir/first.o" "$dir/second.o" -o "$dir/alike" || { echo "two header-only units do not link"; bad=1; }
    if "$compiler" -shared "$dir/first.o" "$dir/compiled.o" -o "$dir/mixed" 2>"$dir/said"; then
        echo "a header-only and a compiled unit link, want a refusal"
        bad=1
    elif ! grep -q tunekit_header_only_mixed_with_compiled "$dir/said"; then
        cat "$dir/said"
        bad=1
    fi
fi
exit $bad
