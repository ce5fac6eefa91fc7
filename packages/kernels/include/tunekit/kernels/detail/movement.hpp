// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Moving floats between layouts: transposition, strided reading and rows into panels, compiled where the micro-kernels
/// are.

#include <cstddef>
#include <cstring>
#include <utility>

#include "tunekit/kernels/detail/vectors.hpp"

namespace tunekit::kernels::detail {

/// What place e takes, where a vector's elements are 0 and up and the other's N and up: the butterfly of a
/// transposition, whose bit D of the place selects.
template <int D, int N, bool High>
constexpr int butterfly(int e)
{
    if constexpr (High) return (e & D) == 0 ? e + D : e + N;
    return (e & D) == 0 ? e : e - D + N;
}

/// One round: rows D apart exchange their off-diagonal blocks of D x D.
template <int D, int N, class V, int... J>
[[gnu::always_inline]] inline void exchange(V* row, std::integer_sequence<int, J...>)
{
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) {
        if ((i & D) != 0) continue;
        const V a = row[i], b = row[i + D];
        row[i] = __builtin_shufflevector(a, b, butterfly<D, N, false>(J)...);
        row[i + D] = __builtin_shufflevector(a, b, butterfly<D, N, true>(J)...);
    }
}

/// N x N floats through registers.
template <int N>
[[gnu::always_inline]] inline void transpose_square(const float* from, std::ptrdiff_t from_row, float* to,
                                                    std::ptrdiff_t to_row)
{
    using vec = typename vector_of<N>::type;
    vec row[static_cast<std::size_t>(N)];
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) std::memcpy(&row[i], from + i * from_row, sizeof(vec));
    constexpr auto elements = std::make_integer_sequence<int, N>{};
    exchange<1, N>(row, elements);
    exchange<2, N>(row, elements);
    if constexpr (N > 4) exchange<4, N>(row, elements);
    if constexpr (N > 8) exchange<8, N>(row, elements);
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) std::memcpy(to + i * to_row, &row[i], sizeof(vec));
}

/// Squares of N while they fit, the rest in squares of half the size, down to single floats.
template <int N>
inline void transpose_by(const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row, int rows,
                         int columns)
{
    if constexpr (N < 4) {
        for (int c = 0; c < columns; ++c) {
            for (int r = 0; r < rows; ++r) to[c * to_row + r] = from[r * from_row + c];
        }
    } else {
        const int whole_rows = rows / N * N, whole_columns = columns / N * N;
        for (int c = 0; c < whole_columns; c += N) {
            for (int r = 0; r < whole_rows; r += N) {
                transpose_square<N>(from + r * from_row + c, from_row, to + c * to_row + r, to_row);
            }
        }
        if (whole_columns < columns && whole_rows > 0) {
            transpose_by<N / 2>(from + whole_columns, from_row, to + whole_columns * to_row, to_row, whole_rows,
                                columns - whole_columns);
        }
        if (whole_rows < rows) {
            transpose_by<N / 2>(from + whole_rows * from_row, from_row, to + whole_rows, to_row, rows - whole_rows,
                                columns);
        }
    }
}

/// n floats in vectors of N, the last one moved back; fewer than N in vectors of half the length.
template <int N>
[[gnu::always_inline]] inline void copy_run(const float* from, float* to, int n)
{
    if constexpr (N < 4) {
        for (int j = 0; j < n; ++j) to[j] = from[j];
    } else if (n >= N) {
        using vec = typename vector_of<N>::type;
        vec v;
        for (int j = 0; j < n; j += N) {
            const int at = j + N <= n ? j : n - N;
            std::memcpy(&v, from + at, sizeof(vec));
            std::memcpy(to + at, &v, sizeof(vec));
        }
    } else {
        copy_run<N / 2>(from, to, n);
    }
}

/// Every other float of 2 N - 1: the first half from `a` at the first of them, the second half from `b`, which ends at
/// the last.
template <class V, int... J>
[[gnu::always_inline]] inline void pick_even(const V& a, const V& b, V& out, std::integer_sequence<int, J...>)
{
    constexpr int n = sizeof...(J);
    out = __builtin_shufflevector(a, b, (2 * J < n ? 2 * J : 2 * J + 1)...);
}

/// n floats, every other one, as `copy_run` does.
template <int N>
[[gnu::always_inline]] inline void copy_even(const float* from, float* to, int n)
{
    if constexpr (N < 4) {
        for (int j = 0; j < n; ++j) to[j] = from[2 * j];
    } else if (n >= N) {
        using vec = typename vector_of<N>::type;
        for (int j = 0; j < n; j += N) {
            const int at = j + N <= n ? j : n - N;
            vec a, b, picked;
            std::memcpy(&a, from + 2 * at, sizeof(vec));
            std::memcpy(&b, from + 2 * at + N - 1, sizeof(vec));
            pick_even(a, b, picked, std::make_integer_sequence<int, N>{});
            std::memcpy(to + at, &picked, sizeof(vec));
        }
    } else {
        copy_even<N / 2>(from, to, n);
    }
}

/// The transposition of that machine; reads and writes the named elements only.
template <machine M>
void transpose_floats(const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row, int rows,
                      int columns)
{
    transpose_by<M.lanes>(from, from_row, to, to_row, rows, columns);
}

/// Strided reading of that machine; reads and writes the named elements only.
template <machine M>
void gather_floats(const float* from, std::ptrdiff_t from_row, int stride, float* to, std::ptrdiff_t to_row, int rows,
                   int n)
{
    if (stride == 1) {
        for (int r = 0; r < rows; ++r) copy_run<M.lanes>(from + r * from_row, to + r * to_row, n);
    } else if (stride == 2) {
        for (int r = 0; r < rows; ++r) copy_even<M.lanes>(from + r * from_row, to + r * to_row, n);
    } else {
        for (int r = 0; r < rows; ++r) {
            for (int j = 0; j < n; ++j) to[r * to_row + j] = from[r * from_row + std::ptrdiff_t{j} * stride];
        }
    }
}

/// The copying of that machine; reads and writes the named elements only. For rows so short that a call for each would
/// tell.
template <machine M>
void copy_floats(const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row, int rows, int columns,
                 int filled)
{
    for (int r = 0; r < rows; ++r, from += from_row, to += to_row) {
        copy_run<M.lanes>(from, to, columns);
        for (int c = columns; c < filled; ++c) to[c] = 0;
    }
}

}  // namespace tunekit::kernels::detail
