#!/bin/sh
# SPDX-License-Identifier: MIT
# compiled.sh ROOT COMPILER FLAG...: the files tunekit/compiled*.cpp reach every header of the core that has bodies for them, and each of those
# says where they are; no package has such bodies. A program that mixes header-only and compiled units is refused by the linker, where g++ compiles them for ELF; what is compiled
# as the packages' libraries are goes with both.
set -eu
root=$1 compiler=$2
shift 2
cd "$root"
dir=$(mktemp -d)
reached=$dir/reached
trap 'rm -rf "$dir"' EXIT
bad=0
for source in include/tunekit/compiled*.cpp; do
    "$compiler" -std=c++20 "$@" -DTUNEKIT_COMPILED -MM "$source"
done | tr -s ' \\' '\n' | sed 's,^.*include/tunekit/,tunekit/,' >"$reached"
for header in $(cd include && grep -rlE '^#if [(]?TUNEKIT_BODIES' tunekit | LC_ALL=C sort); do
    if ! grep -qx "$header" "$reached"; then
        echo "$header has bodies that tunekit/compiled.cpp does not reach: include it there"
        bad=1
    fi
    if ! grep -q '^#include "tunekit/core/compiled.hpp"' "include/$header"; then
        echo "$header does not include tunekit/core/compiled.hpp: its bodies may be left out"
        bad=1
    fi
done
if grep -rnE 'TUNEKIT_(INLINE|ONCE|BODIES)\b' packages/*/include; then
    echo "these are words of the core: a package with bodies has them in a .cpp file beside their header"
    bad=1
fi
if "$compiler" -dM -E -x c++ /dev/null | grep -q __ELF__ && ! "$compiler" -dM -E -x c++ /dev/null | grep -q __clang__; then
    for unit in first second; do
        printf '#include "tunekit/core/compiled.hpp"\nint %s() { return 0; }\n' $unit >"$dir/$unit.cpp"
        "$compiler" -std=c++20 -Iinclude -c "$dir/$unit.cpp" -o "$dir/$unit.o"
    done
    "$compiler" -std=c++20 -Iinclude -DTUNEKIT_COMPILED -c "$dir/second.cpp" -o "$dir/compiled.o"
    "$compiler" -shared "$dir/first.o" "$dir/second.o" -o "$dir/alike" || { echo "two header-only units do not link"; bad=1; }
    "$compiler" -std=c++20 -Iinclude -DTUNEKIT_EITHER_FORM -c "$dir/first.cpp" -o "$dir/library.o"
    for unit in second compiled; do
        "$compiler" -shared "$dir/library.o" "$dir/$unit.o" -o "$dir/alike" || { echo "a library of a package does not link in a program of $unit"; bad=1; }
    done
    if "$compiler" -shared "$dir/first.o" "$dir/compiled.o" -o "$dir/mixed" 2>"$dir/said"; then
        echo "a header-only and a compiled unit link, want a refusal"
        bad=1
    elif ! grep -q tunekit_header_only_mixed_with_compiled "$dir/said"; then
        cat "$dir/said"
        bad=1
    fi
fi
exit $bad
