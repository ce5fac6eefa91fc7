#!/bin/sh
# SPDX-License-Identifier: MIT
# nvcc.sh ROOT NVCC FLAG...: nvcc compiles the umbrellas of the core, as a host compiler. Exit status 77 where there is no nvcc.
set -eu
root=$1 nvcc=$2
shift 2
if ! command -v "$nvcc" >/dev/null 2>&1; then
    echo "skipped: no nvcc"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$root/include"
for umbrella in tunekit/*.hpp; do echo "#include \"$umbrella\""; done >"$scratch/all.cu"
echo 'int main() {}' >>"$scratch/all.cu"
# Eigen's own warnings are not ours.
"$nvcc" -std=c++20 -w "$@" -c "$scratch/all.cu" -o "$scratch/all.o"
