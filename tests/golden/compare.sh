#!/bin/sh
# SPDX-License-Identifier: MIT
# compare.sh [--write] SOURCE baseline|v3|v4 WORK G++ CLANG++ FLAG...: builds SOURCE with both compilers at -O0 and -O3 under the
# instruction-set flag, and by G++ at -O0 with the files compiled.cpp, and compares what the programs print with the committed text. --write
# writes that text from the first program instead; the others are still compared.
set -eu
write=no
if [ "$1" = --write ]; then
    write=yes
    shift
fi
source=$1 set=$2 work=$3 gxx=$4 clangxx=$5
shift 5
name=$(basename "$source" .cpp)
expected=${source%.cpp}.txt
case $set in
baseline) machine='' ;;
v3)
    machine='-march=x86-64-v3'
    for feature in avx2 fma bmi2; do
        if ! grep -qw "$feature" /proc/cpuinfo; then
            echo "this machine cannot run x86-64-v3: no $feature"
            exit 1
        fi
    done
    if [ -f "${source%.cpp}.v3.txt" ]; then expected=${source%.cpp}.v3.txt; fi
    ;;
v4)
    machine='-march=x86-64-v4'
    for feature in avx512f avx512bw avx512dq avx512vl; do
        if ! grep -qw "$feature" /proc/cpuinfo; then
            echo "skipped: this machine cannot run x86-64-v4: no $feature"
            exit 77
        fi
    done
    if [ -f "${source%.cpp}.v3.txt" ]; then expected=${source%.cpp}.v3.txt; fi
    ;;
esac
mkdir -p "$work"
bad=0
# compare COMPILER LEVEL NAME FLAG...
compare() {
    compiler=$1 level=$2 program=$work/$name.$set.$3
    shift 3
    # shellcheck disable=SC2086 # one word or none
    "$compiler" -std=c++20 $level $machine -ffp-contract=off "$@" "$source" -o "$program"
    "$program" >"$program.txt"
    if [ $write = yes ]; then
        cp "$program.txt" "$expected"
        write=written
    elif ! diff -u "$expected" "$program.txt" >"$program.diff"; then
        echo "$(basename "$program") prints something else than $(basename "$expected"):"
        head -n 20 "$program.diff"
        bad=1
    fi
}
for compiler in "$gxx" "$clangxx"; do
    for level in -O0 -O3; do compare "$compiler" $level "$(basename "$compiler")$level" "$@"; done
done
root=$(dirname "$source")/../..
compare "$gxx" -O0 compiled "$@" -DTUNEKIT_COMPILED "$root"/include/tunekit/compiled*.cpp "$root/packages/processes/include/tunekit/processes/compiled.cpp" \
    "$root/packages/records/include/tunekit/records/compiled.cpp"
exit $bad
