#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_kernels promises: wrong input is one line and exit status 2, no device status 3; a log that it wrote is enough to compare again.
set -eu
program=$1/bench/bench_kernels
if [ ! -x "$program" ]; then
    echo "skipped: bench_kernels is not built here, it needs oneDNN and OpenBLAS"
    exit 0
fi
# It names what slows a peer down, a line each: none of that here.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE OPENBLAS_BLOCK_FACTOR DNNL_MAX_CPU_ISA ONEDNN_MAX_CPU_ISA DNNL_CPU_ISA_HINTS ONEDNN_CPU_ISA_HINTS \
    DNNL_DEFAULT_FPMATH_MODE ONEDNN_DEFAULT_FPMATH_MODE DNNL_VERBOSE ONEDNN_VERBOSE DNNL_JIT_DUMP OMP_SCHEDULE OMP_THREAD_LIMIT OMP_DYNAMIC
. "$(dirname "$0")/../../../../tests/support/refuses.sh"
refuses 'want resnet18, vgg16, alexnet' --network nonet
refuses "unknown layer 'R99'" --layers R99
refuses 'want direct, nchw, choice, nchw_choice, depthwise, depthwise_nchw, gemm or dense' --forms fast
refuses 'want cpu or cuda' --device tpu
refuses 'no template for CUDA takes' --network mobilenet --device cuda
refuses '--log and --from-log are given' --log a --from-log b
refuses 'cannot be opened for reading' --network gemm --layers 1x1000x512 --from-log "$work/none"
refuses '--rounds' --rounds 1
refuses 'want --log FILE' --resume

status=0
CUDA_VISIBLE_DEVICES='' "$program" --device cuda --network gemm >"$work/out" 2>"$work/err" || status=$?
[ "$status" = 3 ] || fail "no device: exit status $status, want 3"
[ ! -s "$work/out" ] || fail "no device: wrote to standard output"
[ "$(wc -l <"$work/err")" = 1 ] || fail "no device: $(wc -l <"$work/err") lines, want 1"

dense() { "$program" --network gemm --layers 1x1000x512 --rounds 3 --json "$@"; }
dense --seconds 2 --log "$work/log" >"$work/first" || fail "tuning"
[ "$(wc -l <"$work/log")" -gt 8 ] || fail "the log has $(wc -l <"$work/log") lines"
lines=$(wc -l <"$work/log")
dense --seconds 2 --log "$work/log" --resume >"$work/again" || fail "--resume"
[ "$(wc -l <"$work/log")" = "$lines" ] || fail "a run that was over went on"
before=$(cksum <"$work/log")
dense --from-log "$work/log" >"$work/again" || fail "--from-log"
[ "$(cksum <"$work/log")" = "$before" ] || fail "--from-log changed the log"
for field in '"form": "dense"' '"against": "best_peer"' '"peak_gflops"' '"product_vs_openblas"' '"low"'; do
    grep -qF -- "$field" "$work/again" || fail "no $field in the JSON"
done
exit $bad
