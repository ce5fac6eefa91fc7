#!/bin/sh
# SPDX-License-Identifier: MIT
# nvcc.sh ROOT NVCC FLAG...: nvcc compiles tunekit.hpp, as a host compiler. Exit status 77 where there is no nvcc.
set -eu
root=$1 nvcc=$2
shift 2
if ! command -v "$nvcc" >/dev/null 2>&1; then
    echo "skipped: no nvcc"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf '#include "tunekit/tunekit.hpp"\nint main() {}\n' >"$scratch/all.cu"
cd "$root/include"
# Eigen's own warnings are not ours.
"$nvcc" -std=c++20 -w "$@" -c "$scratch/all.cu" -o "$scratch/all.o"
