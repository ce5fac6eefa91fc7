// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The micro-kernel: a tile of mr rows by nv vectors of vl floats, held in registers while a reduction runs.

#include <cstddef>

#include "tunekit/core/config.hpp"

namespace tunekit::kernels {

/// What one call of a micro-kernel works on. Strides are in floats.
///
///     y[m][j] (+)= sum over b < blocks, t < taps, k < depth of
///                  x[m x_row + b x_block + t x_tap + k] w[b w_block + t w_tap + k w_step + j],     j < nv vl
struct tile_args {
    const float* x = nullptr;
    const float* w = nullptr;
    float* y = nullptr;
    std::ptrdiff_t x_row = 0, x_block = 0, x_tap = 0;
    std::ptrdiff_t w_step = 0, w_block = 0, w_tap = 0;
    std::ptrdiff_t y_row = 0;
    int blocks = 1, taps = 1, depth = 0;
    int unroll = 1;           ///< steps of k per iteration: 1, 2, 4 or 8; with 0 the loop never advances (hazardous spaces)
    int prefetch = 0;         ///< steps of k that w is fetched ahead; 0 is not at all
    bool accumulate = false;  ///< add to y instead of replacing it
    bool fetch_y = false;     ///< ask for y's lines before the reduction, so that they are there when it ends
};

using tile_function = void (*)(const tile_args&);

/// What a translation unit is compiled for. Part of a micro-kernel's type, so that units with other flags keep theirs apart.
struct machine {
    int registers = 16;  ///< vector registers
    int lanes = 4;       ///< floats in each
    bool fused = false;  ///< multiplies and adds in one instruction
};

#if defined(__AVX512F__)
inline constexpr machine native{.registers = 32, .lanes = 16, .fused = true};
#elif defined(__AVX__) && defined(__FMA__)
inline constexpr machine native{.registers = 16, .lanes = 8, .fused = true};
#elif defined(__AVX__)
inline constexpr machine native{.registers = 16, .lanes = 8, .fused = false};
#elif defined(__aarch64__)
inline constexpr machine native{.registers = 32, .lanes = 4, .fused = true};
#else
inline constexpr machine native{.registers = 16, .lanes = 4, .fused = false};
#endif

namespace detail {

template <int VL>
struct vector_of {
    typedef float type __attribute__((vector_size(VL * sizeof(float))));
    template <int N>
    using list = type[static_cast<std::size_t>(N)];
    template <int M, int N>
    using grid = type[static_cast<std::size_t>(M)][static_cast<std::size_t>(N)];
};

/// One address for every three rows.
template <int MR>
using row_addresses = const float* [static_cast<std::size_t>(MR + 2) / 3];

/// Tells the optimiser that a register's value is news, without an instruction: it then neither loads it again from memory
/// where it has a register for it, nor turns one bumped pointer into many.
template <machine M, class T>
[[gnu::always_inline]] inline void keep_vector([[maybe_unused]] T& v)
{
    if constexpr (sizeof(T) == static_cast<std::size_t>(M.lanes) * sizeof(float)) {
#if defined(__x86_64__)
        __asm__("" : "+x"(v));
#elif defined(__aarch64__)
        __asm__("" : "+w"(v));
#endif
    }
}

template <class T>
[[gnu::always_inline]] inline void keep_pointer(T*& p)
{
    __asm__("" : "+r"(p));
}

/// `Unroll` steps of k. Rows are addressed from every third one, so that a row costs no address register of its own:
/// base + {0, 1, 2} x_row + constant is one operand on most machines. Besides the accumulators, the shorter side of the tile
/// stays in registers and the longer one passes through one; where even that does not fit, rows are read again per vector.
template <int MR, int NV, int VL, machine M, int Unroll>
[[gnu::always_inline]] inline void steps(typename vector_of<VL>::template grid<MR, NV>& acc, const row_addresses<MR>& x,
                                         std::ptrdiff_t x_row, const float* w, std::ptrdiff_t w_step)
{
    using vec = typename vector_of<VL>::type;
    constexpr bool fits = MR * NV + (MR < NV ? MR : NV) + 1 <= M.registers;
#pragma GCC unroll 8
    for (int u = 0; u < Unroll; ++u) {
        if constexpr (fits && NV <= MR) {
            typename vector_of<VL>::template list<NV> wv;
#pragma GCC unroll 16
            for (int n = 0; n < NV; ++n) {
                __builtin_memcpy(&wv[n], w + n * VL, sizeof(vec));
                keep_vector<M>(wv[n]);
            }
#pragma GCC unroll 32
            for (int m = 0; m < MR; ++m) {
                const float xv = x[m / 3][(m % 3) * x_row + u];
#pragma GCC unroll 16
                for (int n = 0; n < NV; ++n) acc[m][n] += wv[n] * xv;
            }
        } else if constexpr (fits) {
            typename vector_of<VL>::template list<MR> xv;
#pragma GCC unroll 32
            for (int m = 0; m < MR; ++m) {
                xv[m] = x[m / 3][(m % 3) * x_row + u] - vec{};
                keep_vector<M>(xv[m]);
            }
#pragma GCC unroll 16
            for (int n = 0; n < NV; ++n) {
                vec wv;
                __builtin_memcpy(&wv, w + n * VL, sizeof(vec));
                keep_vector<M>(wv);
#pragma GCC unroll 32
                for (int m = 0; m < MR; ++m) acc[m][n] += wv * xv[m];
            }
        } else {
#pragma GCC unroll 16
            for (int n = 0; n < NV; ++n) {
                vec wv;
                __builtin_memcpy(&wv, w + n * VL, sizeof(vec));
                keep_vector<M>(wv);
#pragma GCC unroll 32
                for (int m = 0; m < MR; ++m) {
                    vec xv = x[m / 3][(m % 3) * x_row + u] - vec{};
                    keep_vector<M>(xv);
                    acc[m][n] += wv * xv;
                }
            }
        }
        w += w_step;
    }
}

/// All of `depth`: whole iterations of `Unroll` steps, then single ones.
template <int MR, int NV, int VL, machine M, int Unroll>
[[gnu::always_inline]] inline void reduce(typename vector_of<VL>::template grid<MR, NV>& acc, const float* x0, const float* w,
                                          const tile_args& a)
{
    row_addresses<MR> x;
#pragma GCC unroll 16
    for (int g = 0; g < (MR + 2) / 3; ++g) x[g] = x0 + 3 * g * a.x_row;
    const std::ptrdiff_t x_row = a.x_row, w_step = a.w_step, ahead = a.prefetch * w_step;
    int k = a.depth;
    if constexpr (Unroll > 1) {
        for (; k >= Unroll; k -= Unroll) {
            if (ahead != 0) __builtin_prefetch(w + ahead);
            steps<MR, NV, VL, M, Unroll>(acc, x, x_row, w, w_step);
#pragma GCC unroll 16
            for (int g = 0; g < (MR + 2) / 3; ++g) {
                x[g] += Unroll;
                keep_pointer(x[g]);
            }
            w += Unroll * w_step;
            keep_pointer(w);
        }
    }
    const int step = Unroll > 1 ? 1 : a.unroll;
    for (; k > 0; k -= step) {
        if (Unroll == 1 && ahead != 0) __builtin_prefetch(w + ahead);
        steps<MR, NV, VL, M, 1>(acc, x, x_row, w, w_step);
#pragma GCC unroll 16
        for (int g = 0; g < (MR + 2) / 3; ++g) x[g] += step;
        w += step * w_step;
    }
}

template <int MR, int NV, int VL, machine M, int Unroll>
[[gnu::always_inline]] inline void tile_unrolled(const tile_args& a)
{
    using vec = typename vector_of<VL>::type;
    typename vector_of<VL>::template grid<MR, NV> acc;
    if (a.accumulate) {
#pragma GCC unroll 32
        for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 16
            for (int n = 0; n < NV; ++n) __builtin_memcpy(&acc[m][n], a.y + m * a.y_row + n * VL, sizeof(vec));
        }
    } else {
#pragma GCC unroll 32
        for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 16
            for (int n = 0; n < NV; ++n) acc[m][n] = vec{};
        }
    }
    if (a.fetch_y) {
        constexpr int line = 16;  // floats
#pragma GCC unroll 32
        for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 16
            for (int n = 0; n < NV * VL; n += line) __builtin_prefetch(a.y + m * a.y_row + n, 1);
            __builtin_prefetch(a.y + m * a.y_row + NV * VL - 1, 1);
        }
    }
    for (int b = 0; b < a.blocks; ++b) {
        for (int t = 0; t < a.taps; ++t) {
            reduce<MR, NV, VL, M, Unroll>(acc, a.x + b * a.x_block + t * a.x_tap, a.w + b * a.w_block + t * a.w_tap, a);
        }
    }
#pragma GCC unroll 32
    for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 16
        for (int n = 0; n < NV; ++n) __builtin_memcpy(a.y + m * a.y_row + n * VL, &acc[m][n], sizeof(vec));
    }
}

}  // namespace detail

/// The micro-kernel of one tile; its vectors never leave it. The machine decides how the tile is fed.
template <int MR, int NV, int VL, machine M>
void tile_kernel(const tile_args& a)
{
    switch (a.unroll) {
        case 2: return detail::tile_unrolled<MR, NV, VL, M, 2>(a);
        case 4: return detail::tile_unrolled<MR, NV, VL, M, 4>(a);
        case 8: return detail::tile_unrolled<MR, NV, VL, M, 8>(a);
        default: return detail::tile_unrolled<MR, NV, VL, M, 1>(a);
    }
}

}  // namespace tunekit::kernels
