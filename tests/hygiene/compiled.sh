#!/bin/sh
# SPDX-License-Identifier: MIT
# compiled.sh ROOT COMPILER FLAG...: tunekit/compiled.cpp reaches every header that has bodies for it, and each of those says where they are.
set -eu
root=$1 compiler=$2
shift 2
cd "$root/include"
reached=$(mktemp)
trap 'rm -f "$reached"' EXIT
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
exit $bad
