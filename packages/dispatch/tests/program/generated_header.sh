#!/bin/sh
# SPDX-License-Identifier: MIT
# generated_header.sh BUILD: a header that dispatch::write_header made compiles by itself under each compiler that there is, without a warning, and chooses in
# constant expressions, with sanitizers too.
set -eu
cd "$(dirname "$0")/../../../.."
. ./tests/support/warnings.sh
header=packages/dispatch/tests/unit/by_hand_header.golden
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$header" "$scratch/choice.hpp"
cat >"$scratch/use.cpp" <<'END'
#include "choice.hpp"
#include "choice.hpp"
static_assert(by_hand::choose("AMD, 2 cores", 8, 8, 8).tile == 8, "exact");
static_assert(by_hand::pick_for("AMD, 2 cores", 101, 1, 1).config == 2, "tree");
static_assert(by_hand::pick_for("a \"GPU\" \\", 1, 1, 2).by == by_hand::rung::nearest, "nearest");
static_assert(by_hand::pick_for("another", 1, 1, 2).by == by_hand::rung::one, "one");
int main() { return by_hand::choose(7, 7, 7).pack ? 0 : 1; }
END
cp "$scratch/use.cpp" "$scratch/use.cu"
tried=0
for compiler in g++ clang++; do
    command -v $compiler >/dev/null 2>&1 || continue
    for standard in 17 20; do
        $compiler -std=c++$standard $warnings "$scratch/use.cpp" -o "$scratch/use"
        "$scratch/use"
        $compiler -std=c++$standard $warnings -fsanitize=address,undefined -fsyntax-only "$scratch/use.cpp"
        tried=$((tried + 1))
    done
done
for nvcc in nvcc /usr/local/cuda/bin/nvcc; do
    command -v $nvcc >/dev/null 2>&1 || continue
    $nvcc -std=c++17 -c "$scratch/use.cu" -o "$scratch/use.o"
    tried=$((tried + 1))
    break
done
echo "compiled $tried times"
[ $tried -gt 0 ]
