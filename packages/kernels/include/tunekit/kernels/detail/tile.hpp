// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The micro-kernel: a tile of mr rows by nv vectors of vl sums, held in registers while a reduction runs.

#include <cstddef>

#include "tunekit/kernels/detail/micro_kernel.hpp"
#include "tunekit/kernels/detail/vectors.hpp"

namespace tunekit::kernels::detail {

/// How a format's elements become sums. Here each element of w is multiplied by one of x, and added.
template <class Format, int VL, machine M>
struct arithmetic {
    using sums = typename vector_of<VL, typename Format::sum>::type;       ///< a vector of y
    using weights = typename vector_of<VL, typename Format::right>::type;  ///< a vector of w: one step of its sums
    using input = typename Format::left;                                   ///< one step of a row of x

    [[gnu::always_inline]] static input read(const typename Format::left* x) { return *x; }
    [[gnu::always_inline]] static void add(sums& y, const weights& w, const input& x) { y += w * x; }
    [[gnu::always_inline]] static void add(sums& y, const weights& w, const weights& x) { y += w * x; }
};

/// The sums of a tile.
template <class F, int MR, int NV, int VL>
using sums_of = typename vector_of<VL, typename F::sum>::template grid<MR, NV>;

/// `Unroll` steps of k. Rows are addressed from every third one, so that a row costs no address register of its own:
/// base + {0, 1, 2} x_row + constant is one operand on most machines. Besides the accumulators, the shorter side of the
/// tile stays in registers and the longer one passes through one; where even that does not fit, rows are read again per
/// vector.
template <class F, int MR, int NV, int VL, machine M, int Unroll>
[[gnu::always_inline]] inline void steps(sums_of<F, MR, NV, VL>& acc, const row_addresses<MR, typename F::left>& x,
                                         std::ptrdiff_t x_row, const typename F::right* w, std::ptrdiff_t w_step)
{
    using how = arithmetic<F, VL, M>;
    using vec = typename how::weights;
    constexpr int g = F::group;
    constexpr bool fits = MR * NV + (MR < NV ? MR : NV) + 1 <= M.registers;
#pragma GCC unroll 8
    for (int u = 0; u < Unroll; ++u) {
        if constexpr (fits && NV <= MR) {
            vec wv[static_cast<std::size_t>(NV)];
#pragma GCC unroll 16
            for (int n = 0; n < NV; ++n) {
                __builtin_memcpy(&wv[n], w + n * VL * g, sizeof(vec));
                keep_vector<M>(wv[n]);
            }
#pragma GCC unroll 32
            for (int m = 0; m < MR; ++m) {
                const auto xv = how::read(x[m / 3] + (m % 3) * x_row + u * g);
#pragma GCC unroll 16
                for (int n = 0; n < NV; ++n) how::add(acc[m][n], wv[n], xv);
            }
        } else if constexpr (fits) {
            vec xv[static_cast<std::size_t>(MR)];
#pragma GCC unroll 32
            for (int m = 0; m < MR; ++m) {
                xv[m] = how::read(x[m / 3] + (m % 3) * x_row + u * g) - vec{};
                keep_vector<M>(xv[m]);
            }
#pragma GCC unroll 16
            for (int n = 0; n < NV; ++n) {
                vec wv;
                __builtin_memcpy(&wv, w + n * VL * g, sizeof(vec));
                keep_vector<M>(wv);
#pragma GCC unroll 32
                for (int m = 0; m < MR; ++m) how::add(acc[m][n], wv, xv[m]);
            }
        } else {
#pragma GCC unroll 16
            for (int n = 0; n < NV; ++n) {
                vec wv;
                __builtin_memcpy(&wv, w + n * VL * g, sizeof(vec));
                keep_vector<M>(wv);
#pragma GCC unroll 32
                for (int m = 0; m < MR; ++m) {
                    vec xv = how::read(x[m / 3] + (m % 3) * x_row + u * g) - vec{};
                    keep_vector<M>(xv);
                    how::add(acc[m][n], wv, xv);
                }
            }
        }
        w += w_step;
    }
}

/// All of `depth`: whole iterations of `Unroll` steps, then single ones.
template <class F, int MR, int NV, int VL, machine M, int Unroll>
[[gnu::always_inline]] inline void reduce(sums_of<F, MR, NV, VL>& acc, const typename F::left* x0,
                                          const typename F::right* w, const tile_args<F>& a)
{
    row_addresses<MR, typename F::left> x;
#pragma GCC unroll 16
    for (int g = 0; g < (MR + 2) / 3; ++g) x[g] = x0 + 3 * g * a.x_row;
    const std::ptrdiff_t x_row = a.x_row, w_step = a.w_step, ahead = a.prefetch * w_step;
    int k = a.depth;
    if constexpr (Unroll > 1) {
        for (; k >= Unroll; k -= Unroll) {
            if (ahead != 0) __builtin_prefetch(w + ahead);
            steps<F, MR, NV, VL, M, Unroll>(acc, x, x_row, w, w_step);
#pragma GCC unroll 16
            for (int g = 0; g < (MR + 2) / 3; ++g) {
                x[g] += Unroll * F::group;
                keep_pointer(x[g]);
            }
            w += Unroll * w_step;
            keep_pointer(w);
        }
    }
    const int step = Unroll > 1 ? 1 : a.unroll;
    for (; k > 0; k -= step) {
        if (Unroll == 1 && ahead != 0) __builtin_prefetch(w + ahead);
        steps<F, MR, NV, VL, M, 1>(acc, x, x_row, w, w_step);
#pragma GCC unroll 16
        for (int g = 0; g < (MR + 2) / 3; ++g) x[g] += step * F::group;
        w += step * w_step;
    }
}

template <class F, int MR, int NV, int VL, machine M, int Unroll>
[[gnu::always_inline]] inline void tile_unrolled(const tile_args<F>& a)
{
    using vec = typename vector_of<VL, typename F::sum>::type;
    sums_of<F, MR, NV, VL> acc;
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
        constexpr int line = 64 / static_cast<int>(sizeof(typename F::sum));
#pragma GCC unroll 32
        for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 16
            for (int n = 0; n < NV * VL; n += line) __builtin_prefetch(a.y + m * a.y_row + n, 1);
            __builtin_prefetch(a.y + m * a.y_row + NV * VL - 1, 1);
        }
    }
    for (int b = 0; b < a.blocks; ++b) {
        for (int t = 0; t < a.taps; ++t) {
            reduce<F, MR, NV, VL, M, Unroll>(acc, a.x + b * a.x_block + t * a.x_tap, a.w + b * a.w_block + t * a.w_tap,
                                             a);
        }
    }
#pragma GCC unroll 32
    for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 16
        for (int n = 0; n < NV; ++n) __builtin_memcpy(a.y + m * a.y_row + n * VL, &acc[m][n], sizeof(vec));
    }
}

/// The micro-kernel of one tile; its vectors never leave it. The machine decides how the tile is fed.
template <class F, int MR, int NV, int VL, machine M>
void tile_kernel(const tile_args<F>& a)
{
    switch (a.unroll) {
        case 2:
            return tile_unrolled<F, MR, NV, VL, M, 2>(a);
        case 4:
            return tile_unrolled<F, MR, NV, VL, M, 4>(a);
        case 8:
            return tile_unrolled<F, MR, NV, VL, M, 8>(a);
        default:
            return tile_unrolled<F, MR, NV, VL, M, 1>(a);
    }
}

}  // namespace tunekit::kernels::detail
