// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The micro-kernel of products with few rows: rows of the weights pass as streams, the outputs stay in the first-level
/// cache.

#include <cstddef>

#include "tunekit/kernels/detail/vectors.hpp"

namespace tunekit::kernels::detail {

/// What a pass over the columns uses, in registers: outputs may alias all that is in memory.
template <int MR, int Rows>
struct dense_pass {
    float x[static_cast<std::size_t>(MR)][static_cast<std::size_t>(Rows)];
    const float* w;
    float* y;
    std::ptrdiff_t w_row, y_row;
    int columns, prefetch;
};

/// Columns from `j` in vectors of VL, what is left in vectors of half the length, down to single ones.
template <int MR, int Rows, int VL, bool Accumulate>
[[gnu::always_inline]] inline void dense_columns(const dense_pass<MR, Rows>& p, int j)
{
    using vec = typename vector_of<VL>::type;
    for (; j + VL <= p.columns; j += VL) {
        typename vector_of<VL>::template list<Rows> wv;
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
            __builtin_memcpy(&wv[r], p.w + r * p.w_row + j, sizeof(vec));
            if (p.prefetch != 0) __builtin_prefetch(p.w + r * p.w_row + j + p.prefetch);
        }
#pragma GCC unroll 8
        for (int m = 0; m < MR; ++m) {
            vec sum{};
            if constexpr (Accumulate) __builtin_memcpy(&sum, p.y + m * p.y_row + j, sizeof(vec));
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) sum += wv[r] * p.x[m][r];
            __builtin_memcpy(p.y + m * p.y_row + j, &sum, sizeof(vec));
        }
    }
    if constexpr (VL > 1) {
        if (j < p.columns) dense_columns<MR, Rows, VL / 2, Accumulate>(p, j);
    }
}

/// The micro-kernel for MR rows of x and Rows rows of w at a time. Reads and writes the named elements only.
template <int MR, int Rows, machine M>
void dense_rows(const dense_args& a)
{
    dense_pass<MR, Rows> p{
        .x = {}, .w = a.w, .y = a.y, .w_row = a.w_row, .y_row = a.y_row, .columns = a.columns, .prefetch = a.prefetch};
    const float* x = a.x;
    const std::ptrdiff_t x_row = a.x_row;
    const int depth = a.depth;
    bool accumulate = a.accumulate;
    for (int k = 0; k < depth; k += Rows, x += Rows, p.w += Rows * p.w_row, accumulate = true) {
#pragma GCC unroll 8
        for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) p.x[m][r] = x[m * x_row + r];
        }
        accumulate ? dense_columns<MR, Rows, M.lanes, true>(p, 0) : dense_columns<MR, Rows, M.lanes, false>(p, 0);
    }
}

}  // namespace tunekit::kernels::detail
