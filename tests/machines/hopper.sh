#!/bin/sh
# SPDX-License-Identifier: MIT
# hopper.sh [--dry-run] [--rest] [FOLDER]: what only an H100 or H200 can say, in at most ten minutes, by the programs of a build folder (build/release):
# first that what tunekit needs of CUDA works, then that sampled products by the template for Hopper are right, then reads and writes outside of arrays in
# some of them, then times beside cuBLAS, by both templates. Ends at the first part that fails. --rest is another such run, which times the largest product
# and seven small ones. --dry-run prints the commands alone.
# Exit status 77: no such device here.
set -eu
cd "$(dirname "$0")/../.."
case ${1-} in -h | --help) sed -n '3,7s/^# //p' "$0" && exit 0 ;; esac
dry='' rest=''
while :; do
    case ${1-} in
    --dry-run) dry=1 ;;
    --rest) rest=1 ;;
    -*) echo "hopper: no option '$1', want --dry-run or --rest" && exit 2 ;;
    *) break ;;
    esac
    shift
done
build=${1:-build/release}
self_test=$build/tools/cuda_self_test

# part SECONDS COMMAND...: runs it, for so long at most.
part() {
    echo "hopper: $*"
    [ -n "$dry" ] || timeout "$@" || {
        status=$?
        [ $status -ne 3 ] || exit 77 # no device, or another one
        echo "hopper: FAILED with status $status"
        exit 1
    }
}

# bench SECONDS NETWORK OPTION...
bench() {
    limit=$1
    shift
    part "$limit" "$build/bench/bench_kernels" --device cuda --network "$@"
}

for program in tools/cuda_self_test bench/bench_kernels; do
    [ -n "$dry" ] || [ -x "$build/$program" ] || {
        echo "hopper: no $build/$program, want cmake --build $build --target cuda_self_test bench_kernels"
        exit 2
    }
done
if [ -n "$rest" ]; then
    bench 140 gemm-large --hopper --layers 8192x8192x8192 --seconds 30
    bench 220 gemm --hopper --seconds 6
    bench 220 gemm --seconds 6
    exit 0
fi
part 70 "$self_test" --hopper
part 90 "$self_test"
if [ -n "$dry" ] || command -v compute-sanitizer >/dev/null; then
    part 80 compute-sanitizer --target-processes all --error-exitcode 1 "$build/bench/bench_kernels" --device cuda --network gemm --hopper --layers 128x768x768 --seconds 3 --rounds 3
else
    echo "hopper: no compute-sanitizer, that part is left out"
fi
# The reach: 60 s for the largest claim, less for the rest; then the older template, which is the other half of each ratio.
bench 160 gemm-large --hopper --layers 4096x4096x4096 --seconds 60
bench 130 gemm-large --hopper --layers 512x4096x4096,4096x512x4096,16x1024x1024x1024 --seconds 12
bench 70 gemm-large --layers 4096x4096x4096,512x4096x4096 --seconds 10
