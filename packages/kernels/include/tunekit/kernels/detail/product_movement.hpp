// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Moving the operands of products: rows of A, and rows of B that are laid side by side in groups.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tunekit/kernels/detail/micro_kernel.hpp"
#include "tunekit/kernels/detail/movement.hpp"

namespace tunekit::kernels::detail {

/// n elements in pieces of `Bytes`, the last one moved back; fewer in pieces of half the length. A call for each row
/// would tell.
template <int Bytes, class T>
[[gnu::always_inline]] inline void copy_pieces(const T* from, T* to, int n)
{
    constexpr int piece = Bytes / static_cast<int>(sizeof(T));
    if constexpr (piece < 2) {
        for (int j = 0; j < n; ++j) to[j] = from[j];
    } else if (n >= piece) {
        for (int j = 0; j < n; j += piece) {
            const int at = j + piece <= n ? j : n - piece;
            __builtin_memcpy(to + at, from + at, Bytes);
        }
    } else {
        copy_pieces<Bytes / 2>(from, to, n);
    }
}

/// The copying of that machine; reads and writes the named elements only.
template <class T, machine M>
void copy_elements(const T* from, std::ptrdiff_t from_row, T* to, std::ptrdiff_t to_row, int rows, int columns,
                   int filled)
{
    for (int r = 0; r < rows; ++r, from += from_row, to += to_row) {
        copy_pieces<M.lanes * 4>(from, to, columns);
        for (int c = columns; c < filled; ++c) to[c] = T{};
    }
}

/// Element j of the interleaving of vectors of N elements: of the first and the second in turn, from place `From` on.
template <int N, int From, class V, int... J>
[[gnu::always_inline]] inline void interleave(const V& a, const V& b, V& out, std::integer_sequence<int, J...>)
{
    out = __builtin_shufflevector(a, b, ((J % 2 == 0 ? 0 : N) + From + J / 2)...);
}

/// N columns of two rows.
template <int N>
[[gnu::always_inline]] inline void pair_up(const bfloat16* a, const bfloat16* b, bfloat16* to)
{
    using vec = typename vector_of<N, std::int16_t>::type;
    constexpr auto elements = std::make_integer_sequence<int, N>{};
    vec va, vb, low, high;
    std::memcpy(&va, a, sizeof(vec));
    std::memcpy(&vb, b, sizeof(vec));
    interleave<N, 0>(va, vb, low, elements);
    interleave<N, N / 2>(va, vb, high, elements);
    std::memcpy(static_cast<void*>(to), &low, sizeof(vec));
    std::memcpy(static_cast<void*>(to + N), &high, sizeof(vec));
}

/// Columns of a pair of rows; returns how many are done.
template <machine M>
[[gnu::always_inline]] inline int group_columns(const bfloat16* from, std::ptrdiff_t row, bfloat16* to, int columns)
{
    int c = 0;
    for (; c + 2 * M.lanes <= columns; c += 2 * M.lanes) pair_up<2 * M.lanes>(from + c, from + row + c, to + 2 * c);
    for (; c + 8 <= columns; c += 8) pair_up<8>(from + c, from + row + c, to + 2 * c);
    return c;
}

/// Two vectors one behind the other.
template <class V, class W, int... J>
[[gnu::always_inline]] inline void join(const V& a, const V& b, W& out, std::integer_sequence<int, J...>)
{
    out = __builtin_shufflevector(a, b, J...);
}

/// The transposition of 4 rows of 16 elements that lie one behind the other.
template <class V, int... J>
[[gnu::always_inline]] inline void transpose_fours(const V& rows, V& out, std::integer_sequence<int, J...>)
{
    out = __builtin_shufflevector(rows, rows, (J % 4 * 16 + J / 4)...);
}

/// Columns of four rows; returns how many are done.
template <machine M>
[[gnu::always_inline]] inline int group_columns(const std::int8_t* from, std::ptrdiff_t row, std::int8_t* to,
                                                int columns)
{
    using vec = typename vector_of<16, std::int8_t>::type;
    int c = 0;
    for (; c + 16 <= columns; c += 16, to += 64) {
        vec r[4];
        for (int i = 0; i < 4; ++i) std::memcpy(&r[i], from + i * row + c, sizeof(vec));
#if defined(__AVX512VBMI__)
        typename vector_of<32, std::int8_t>::type low, high;
        typename vector_of<64, std::int8_t>::type all, out;
        join(r[0], r[1], low, std::make_integer_sequence<int, 32>{});
        join(r[2], r[3], high, std::make_integer_sequence<int, 32>{});
        join(low, high, all, std::make_integer_sequence<int, 64>{});
        transpose_fours(all, out, std::make_integer_sequence<int, 64>{});
        std::memcpy(to, &out, sizeof(out));
#else
        using pairs = typename vector_of<8, std::int16_t>::type;
        constexpr auto bytes = std::make_integer_sequence<int, 16>{};
        constexpr auto shorts = std::make_integer_sequence<int, 8>{};
        for (int half = 0; half < 2; ++half) {
            vec first, second;
            if (half == 0) {
                interleave<16, 0>(r[0], r[1], first, bytes);
                interleave<16, 0>(r[2], r[3], second, bytes);
            } else {
                interleave<16, 8>(r[0], r[1], first, bytes);
                interleave<16, 8>(r[2], r[3], second, bytes);
            }
            pairs a, b, low, high;
            std::memcpy(&a, &first, sizeof(a));
            std::memcpy(&b, &second, sizeof(b));
            interleave<8, 0>(a, b, low, shorts);
            interleave<8, 4>(a, b, high, shorts);
            std::memcpy(to + 32 * half, &low, sizeof(low));
            std::memcpy(to + 32 * half + 16, &high, sizeof(high));
        }
#endif
    }
    return c;
}

/// Rows of B in groups, as `product_table::pack_right` says; reads the named elements only.
template <class F, machine M>
void pack_groups(const typename F::right* from, std::ptrdiff_t from_row, typename F::right* to, std::ptrdiff_t to_row,
                 int rows, int columns, int filled)
{
    constexpr int g = F::group;
    for (int r = 0; r < rows; r += g, from += g * from_row, to += to_row) {
        int c = 0;
        if (r + g <= rows) c = group_columns<M>(from, from_row, to, columns);
        for (; c < filled; ++c) {
            for (int i = 0; i < g; ++i)
                to[c * g + i] = c < columns && r + i < rows ? from[i * from_row + c] : typename F::right{};
        }
    }
}

}  // namespace tunekit::kernels::detail
