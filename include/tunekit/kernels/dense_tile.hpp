// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The micro-kernel of products with few rows: some rows of the weights pass as streams, the outputs stay in the first-level cache.

#include <cstddef>

#include "tunekit/kernels/tile.hpp"

namespace tunekit::kernels {

/// What one call works on. Strides are in floats.
///
///     y[m][j] (+)= sum over k < depth of x[m x_row + k] w[k w_row + j],     j < columns
struct dense_args {
    const float* x = nullptr;
    const float* w = nullptr;
    float* y = nullptr;
    std::ptrdiff_t x_row = 0, w_row = 0, y_row = 0;
    int columns = 0;
    int depth = 0;            ///< a multiple of the micro-kernel's rows of w
    int prefetch = 0;         ///< floats that each row of w is fetched ahead; 0 is not at all
    bool accumulate = false;  ///< add to y instead of replacing it
};

using dense_function = void (*)(const dense_args&);

/// One micro-kernel of a table: `mr` rows of x, `rows` rows of w at once.
struct dense_tile {
    int mr = 0, rows = 0;
    dense_function run = nullptr;
};

namespace detail {

/// Columns from `j` in vectors of VL, what is left in vectors of half the length, down to single ones.
template <int MR, int Rows, int VL>
[[gnu::always_inline]] inline void dense_columns(const dense_args& a, const float* x, const float* w, int j, bool accumulate)
{
    using vec = typename vector_of<VL>::type;
    for (; j + VL <= a.columns; j += VL) {
        typename vector_of<VL>::template list<Rows> wv;
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
            __builtin_memcpy(&wv[r], w + r * a.w_row + j, sizeof(vec));
            if (a.prefetch != 0) __builtin_prefetch(w + r * a.w_row + j + a.prefetch);
        }
#pragma GCC unroll 8
        for (int m = 0; m < MR; ++m) {
            vec sum{};
            if (accumulate) __builtin_memcpy(&sum, a.y + m * a.y_row + j, sizeof(vec));
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) sum += wv[r] * x[m * a.x_row + r];
            __builtin_memcpy(a.y + m * a.y_row + j, &sum, sizeof(vec));
        }
    }
    if constexpr (VL > 1) {
        if (j < a.columns) dense_columns<MR, Rows, VL / 2>(a, x, w, j, accumulate);
    }
}

}  // namespace detail

/// The micro-kernel for MR rows of x and Rows rows of w at a time. Reads and writes the named elements only.
template <int MR, int Rows, machine M>
void dense_rows(const dense_args& a)
{
    for (int k = 0; k < a.depth; k += Rows) {
        detail::dense_columns<MR, Rows, M.lanes>(a, a.x + k, a.w + k * a.w_row, 0, a.accumulate || k > 0);
    }
}

/// One entry of a table for this translation unit's machine.
template <int MR, int Rows, machine M = native>
[[nodiscard]] constexpr dense_tile make_dense_tile() noexcept
{
    return {MR, Rows, &dense_rows<MR, Rows, M>};
}

}  // namespace tunekit::kernels
