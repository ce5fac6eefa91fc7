#!/bin/sh
# SPDX-License-Identifier: MIT
# cuda_self_test.sh BUILD: what cuda_self_test says where there is no device, and what it does when it is started to compile.
set -eu
program=$1/tools/cuda_self_test
[ -x "$program" ] || { echo "cuda_self_test is not built here"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "cuda_self_test: $1" >&2; cat "$work/out" "$work/err" >&2; exit 1; }
# status WANTED ARGUMENT...
status() {
    wanted=$1
    shift
    got=0
    CUDA_VISIBLE_DEVICES='' "$program" "$@" >"$work/out" 2>"$work/err" || got=$?
    [ "$got" = "$wanted" ] || fail "status $got of '$*', want $wanted"
}
status 3
[ "$(wc -l <"$work/err")" = 1 ] && [ ! -s "$work/out" ] || fail "want one line of why there is no device"
grep -Eq '^tunekit: no CUDA (driver|device)' "$work/err" || fail "want why there is no device"
status 0 --help
grep -q '^usage: cuda_self_test' "$work/out" || fail "want a usage"
status 2 --unknown
status 126 --tunekit-nvrtc /nowhere/libnvrtc.so from to
grep -q 'no NVRTC: /nowhere/libnvrtc.so' "$work/err" || fail "want why there is no compiler"
echo 'extern "C" __global__ void kernel(float* y) { y[0] = 1; }' >"$work/from"
got=0
"$program" --tunekit-nvrtc '' "$work/from" "$work/to" --gpu-architecture=sm_90 >"$work/out" 2>"$work/err" || got=$?
if [ "$got" = 0 ]; then # NVRTC is here
    grep -aq 'visible .entry kernel' "$work/to" || fail "want PTX beside the machine code"
    echo 'nonsense' >"$work/from"
    status 1 --tunekit-nvrtc '' "$work/from" "$work/to2" --gpu-architecture=sm_90
    grep -q 'error' "$work/out" || fail "want the compiler's words"
else
    grep -q 'no NVRTC' "$work/err" || fail "status $got, want 0 or no NVRTC"
fi
