#!/bin/sh
# SPDX-License-Identifier: MIT
# aarch64.sh ROOT WORK: builds the bundled kernels for 64-bit Arm and runs them in an emulator. Exit status 77 where that cannot be had.
set -eu
root=$1 work=$2
CXX=aarch64-linux-gnu-g++
for program in $CXX qemu-aarch64; do
    if ! command -v $program >/dev/null 2>&1; then
        echo "skipped: no $program (scripts/needs cross installs it)"
        exit 77
    fi
done
mkdir -p "$work"
for source in "$root"/tests/cross/kernels.cpp "$root"/packages/kernels/table/*.cpp; do
    $CXX -std=c++20 -O3 -ffp-contract=fast -Wall -Wextra -I"$root/include" -I"$root/packages/kernels/include" -iquote "$root" -c "$source" \
        -o "$work/$(basename "$source").o"
done
$CXX -static "$work"/*.o -o "$work/kernels"
qemu-aarch64 "$work/kernels"
