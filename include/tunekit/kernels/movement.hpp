// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Moving floats between layouts: transposition, strided reading and rows into panels, compiled where the micro-kernels are.

#include <cstddef>
#include <cstring>
#include <utility>

#include "tunekit/kernels/tile.hpp"

namespace tunekit::kernels {

/// to[c to_row + r] = from[r from_row + c] for r < rows, c < columns.
using transpose_function = void (*)(const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row, int rows, int columns);

/// to[j] = from[j stride] for j < n.
using gather_function = void (*)(const float* from, int stride, float* to, int n);

/// to[r to_row + c] = from[r from_row + c] for r < rows, c < columns, and 0 for columns <= c < filled.
using copy_function = void (*)(const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row, int rows, int columns, int filled);

namespace detail {

/// Elements [0, N) of two vectors, a's 0 and up and b's N and up, where bit D of the place selects: the butterfly of a transposition.
template <int D, int N, bool High>
constexpr int butterfly(int e)
{
    if constexpr (High) return (e & D) == 0 ? e + D : e + N;
    return (e & D) == 0 ? e : e - D + N;
}

/// One round: rows D apart exchange their off-diagonal blocks of D x D.
template <int D, int N, class V, int... E>
[[gnu::always_inline]] inline void exchange(V* row, std::integer_sequence<int, E...>)
{
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) {
        if ((i & D) != 0) continue;
        const V a = row[i], b = row[i + D];
        row[i] = __builtin_shufflevector(a, b, butterfly<D, N, false>(E)...);
        row[i + D] = __builtin_shufflevector(a, b, butterfly<D, N, true>(E)...);
    }
}

/// N x N floats through registers.
template <int N>
[[gnu::always_inline]] inline void transpose_square(const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row)
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
inline void transpose_by(const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row, int rows, int columns)
{
    if constexpr (N < 4) {
        for (int c = 0; c < columns; ++c) {
            for (int r = 0; r < rows; ++r) to[c * to_row + r] = from[r * from_row + c];
        }
    } else {
        const int whole_rows = rows / N * N, whole_columns = columns / N * N;
        for (int c = 0; c < whole_columns; c += N) {
            for (int r = 0; r < whole_rows; r += N) transpose_square<N>(from + r * from_row + c, from_row, to + c * to_row + r, to_row);
        }
        if (whole_columns < columns && whole_rows > 0) {
            transpose_by<N / 2>(from + whole_columns, from_row, to + whole_columns * to_row, to_row, whole_rows, columns - whole_columns);
        }
        if (whole_rows < rows) transpose_by<N / 2>(from + whole_rows * from_row, from_row, to + whole_rows, to_row, rows - whole_rows, columns);
    }
}

}  // namespace detail

/// The transposition of that machine; reads and writes the named elements only.
template <machine M>
void transpose_floats(const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row, int rows, int columns)
{
    detail::transpose_by<M.lanes>(from, from_row, to, to_row, rows, columns);
}

/// Strided reading of that machine; reads and writes the named elements only.
template <machine M>
void gather_floats(const float* from, int stride, float* to, int n)
{
    if (stride == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float));
        return;
    }
    int j = 0;
    if (stride == 2) {
        constexpr int lanes = M.lanes;
        using vec = typename detail::vector_of<lanes>::type;
        const auto even = []<int... E>(const vec& a, const vec& b, vec& out, std::integer_sequence<int, E...>) {
            out = __builtin_shufflevector(a, b, (2 * E)...);
        };
        for (; j + lanes < n; j += lanes) {  // the last float read lies between two that are asked for
            vec a, b, picked;
            std::memcpy(&a, from + 2 * j, sizeof(vec));
            std::memcpy(&b, from + 2 * j + lanes, sizeof(vec));
            even(a, b, picked, std::make_integer_sequence<int, lanes>{});
            std::memcpy(to + j, &picked, sizeof(vec));
        }
    }
    for (; j < n; ++j) to[j] = from[std::ptrdiff_t{j} * stride];
}

/// The copying of that machine; reads and writes the named elements only. For rows so short that a call for each would tell.
template <machine M>
void copy_floats(const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row, int rows, int columns, int filled)
{
    using vec = typename detail::vector_of<M.lanes>::type;
    for (int r = 0; r < rows; ++r, from += from_row, to += to_row) {
        int c = 0;
        for (; c + M.lanes <= columns; c += M.lanes) {
            vec v;
            std::memcpy(&v, from + c, sizeof(vec));
            std::memcpy(to + c, &v, sizeof(vec));
        }
        for (; c < columns; ++c) to[c] = from[c];
        for (; c < filled; ++c) to[c] = 0;
    }
}

/// The functions of one machine that move floats.
struct movement {
    transpose_function transpose = nullptr;
    gather_function gather = nullptr;
    copy_function copy = nullptr;
};

/// Those of this translation unit's machine.
template <machine M = native>
[[nodiscard]] constexpr movement make_movement() noexcept
{
    return {&transpose_floats<M>, &gather_floats<M>, &copy_floats<M>};
}

}  // namespace tunekit::kernels
