#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: slow
# What bench_products promises: wrong input is one line and exit status 2; a row has ours, the peers of its format and their ratio.
set -eu
program=$1/bench/bench_products
if [ ! -x "$program" ]; then
    echo "skipped: bench_products is not built here, it needs oneDNN and OpenBLAS"
    exit 0
fi
. "$(dirname "$0")/../../../../tests/support/refuses.sh"
refuses 'want fp64, bf16, u8s8, or one of them with _packed' --forms fast
refuses 'names none of the products' --layers R9
refuses '--rounds' --rounds 1

"$program" --layers 1x1000x512 --forms fp64,bf16_packed,u8s8 --seconds 0.3 --rounds 3 --json >"$work/out" || fail "a run"
for name in openblas_fp64 eigen_fp64 onednn_bf16_packed onednn_u8s8 '"form": "bf16_packed"' '"ratio"' fp64_vs_best_peer; do
    grep -q "$name" "$work/out" || fail "the JSON has no $name"
done
