#!/bin/sh
# SPDX-License-Identifier: MIT
# cublaslt_product.sh BUILD: the example over an emulated library of six algorithms. It tells of those that are wrong, crash or are
# refused, finds the fastest, keeps the library's first choice where nothing is faster, writes a header that restores the winner, and says in a
# line what is wrong.
set -eu
program=$1/examples/cublaslt_product
. "$(dirname "$0")/../../../../tests/support/refuses.sh"
mkdir "$work/lib"
for name in libcuda.so.1 libcublasLt.so.13; do ln -s "$(realpath "$1/tests/libemulated_cuda.so")" "$work/lib/$name"; done
run() { LD_LIBRARY_PATH=$work/lib "$program" "$@" >"$work/out" 2>"$work/err"; }

run 48 24 40 "$work/choice.hpp" || fail "exit status $?: $(cat "$work/out" "$work/err")"
grep -q '^algorithm 0: 300.00 us' "$work/out" || fail "the first choice is not measured: $(cat "$work/out")"
[ "$(grep -n '^algorithm 0' "$work/out" | cut -d: -f1)" = 1 ] || fail "the first choice is not first: $(cat "$work/out")"
for words in '^algorithm 1: 100.00 us' '^algorithm 2: .*differ\|^algorithm 2: .*want' '^algorithm 3: .*SIGABRT\|^algorithm 3: .*signal 6' '^algorithm 4: 200.00 us'; do
    grep -q "$words" "$work/out" || fail "no line '$words': $(cat "$work/out")"
done
[ "$(grep -c '^algorithm ' "$work/out")" = 5 ] || fail "an algorithm that is not supported is measured: $(cat "$work/out")"
grep -q 'Emulated Device, cuBLASLt 130000, 48 x 40 x 24: best of 5: algorithm 1, .* (the baseline takes 0.3 ms, 3 times as long); separated' "$work/out" || fail "the last line: $(tail -n 1 "$work/out")"

# The header: the 64 bytes of algorithm 1, for a stand-in of the library's type.
printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' 'typedef struct { uint64_t data[8]; } cublasLtMatmulAlgo_t;' >"$work/cublasLt.h"
printf '%s\n' '#include "choice.hpp"' 'static_assert(product_algorithm.data[0] == 1 && product_algorithm.data[1] == 0xABCDEF0123456789U && product_algorithm.data[2] == 0);' \
    'static_assert(product_workspace == 0);' >"$work/use.cpp"
"${CXX:-c++}" -std=c++17 -I"$work" -fsyntax-only "$work/use.cpp" || fail "the header: $(cat "$work/choice.hpp")"

# Nothing is faster than the first choice of a square product.
run 32 32 16 "$work/square.hpp" || fail "square: exit status $?: $(cat "$work/err")"
grep -q 'best of 5: algorithm 0, .* (the baseline: nothing faster was found)' "$work/out" || fail "square: $(tail -n 1 "$work/out")"
grep -q '{{0ULL, ' "$work/square.hpp" || fail "square: $(cat "$work/square.hpp")"

# What the example says of the library's types is what its header says, where there is one.
cat >"$work/same.cpp" <<'END'
#include <cublasLt.h>
#include <cstddef>
static_assert(sizeof(cublasLtMatmulHeuristicResult_t) == 96 && sizeof(cublasLtMatmulAlgo_t) == 64);
static_assert(offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize) == 64 && offsetof(cublasLtMatmulHeuristicResult_t, state) == 72);
static_assert(CUBLAS_COMPUTE_32F == 68 && CUDA_R_32F == 0 && CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES == 1 && sizeof(cublasComputeType_t) == sizeof(int));
size_t (*version)() = cublasLtGetVersion;
cublasStatus_t (*offers)(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                         cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t*, int*) = cublasLtMatmulAlgoGetHeuristic;
cublasStatus_t (*run)(cublasLtHandle_t, cublasLtMatmulDesc_t, const void*, const void*, cublasLtMatrixLayout_t, const void*, cublasLtMatrixLayout_t, const void*,
                      const void*, cublasLtMatrixLayout_t, void*, cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t*, void*, size_t, cudaStream_t) = cublasLtMatmul;
cublasStatus_t (*description)(cublasLtMatmulDesc_t*, cublasComputeType_t, cudaDataType_t) = cublasLtMatmulDescCreate;
cublasStatus_t (*layout)(cublasLtMatrixLayout_t*, cudaDataType, uint64_t, uint64_t, int64_t) = cublasLtMatrixLayoutCreate;
END
for include in /usr/local/cuda/include /usr/local/include /usr/include; do
    [ -e "$include/cublasLt.h" ] || continue
    "${CXX:-c++}" -std=c++17 -I"$include" -fsyntax-only "$work/same.cpp" 2>"$work/err" || fail "$include/cublasLt.h: $(cat "$work/err")"
    break
done

status=0
LD_LIBRARY_PATH=$work/lib "$program" 0 1 1 >"$work/out" 2>"$work/err" || status=$?
[ $status = 2 ] && grep -q "size '0', want 1 to 65536" "$work/err" || fail "a size of 0: $status, $(cat "$work/err")"
rm "$work/lib/libcublasLt.so.13"
printf 'no library' >"$work/lib/libcublasLt.so.13"
cp "$work/lib/libcublasLt.so.13" "$work/lib/libcublasLt.so.12"
status=0
run 8 8 8 || status=$?
[ $status = 3 ] && grep -q 'no cuBLASLt: .*; install it' "$work/err" || fail "without the library: $status, $(cat "$work/err")"
exit $bad
