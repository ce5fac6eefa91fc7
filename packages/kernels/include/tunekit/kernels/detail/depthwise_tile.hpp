// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The micro-kernels of depthwise convolutions: every lane has a filter of its own, or all lanes share one channel's.

#include <cstddef>

#include "tunekit/kernels/detail/vectors.hpp"

namespace tunekit::kernels::detail {

template <int MR, int NV, int VL>
[[gnu::always_inline]] inline void store_tile(const typename vector_of<VL>::template grid<MR, NV>& acc, float* y,
                                              std::ptrdiff_t y_row)
{
#pragma GCC unroll 16
    for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 8
        for (int n = 0; n < NV; ++n) __builtin_memcpy(y + m * y_row + n * VL, &acc[m][n], sizeof(acc[m][n]));
    }
}

/// One tap of all its rows: each input vector is loaded once and serves every output row whose window it lies in.
template <int MR, int NV, int VL, int KH, int SH>
[[gnu::always_inline]] inline void depthwise_tap(typename vector_of<VL>::template grid<MR, NV>& acc, const float* x,
                                                 std::ptrdiff_t x_row, const float* w, std::ptrdiff_t w_row)
{
    using vec = typename vector_of<VL>::type;
#pragma GCC unroll 32
    for (int i = 0; i < (MR - 1) * SH + KH; ++i) {
        typename vector_of<VL>::template list<NV> xv;
#pragma GCC unroll 8
        for (int n = 0; n < NV; ++n) __builtin_memcpy(&xv[n], x + i * x_row + n * VL, sizeof(vec));
#pragma GCC unroll 16
        for (int m = 0; m < MR; ++m) {
            const int r = i - m * SH;
            if (r < 0 || r >= KH) continue;
            const float tap = w[r * w_row];
#pragma GCC unroll 8
            for (int n = 0; n < NV; ++n) acc[m][n] += xv[n] * tap;
        }
    }
}

/// Channels in vectors; its vectors never leave it.
template <int MR, int NV, int VL, machine M>
void depthwise_channels(const depthwise_args& a)
{
    using vec = typename vector_of<VL>::type;
    typename vector_of<VL>::template grid<MR, NV> acc;
#pragma GCC unroll 16
    for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 8
        for (int n = 0; n < NV; ++n) {
            acc[m][n] = vec{};
            if (a.accumulate) __builtin_memcpy(&acc[m][n], a.y + m * a.y_row + n * VL, sizeof(vec));
        }
    }
    for (int r = 0; r < a.kernel_h; ++r) {
        const float* w = a.w + r * a.w_row;
        row_addresses<MR> x;
#pragma GCC unroll 16
        for (int g = 0; g < (MR + 2) / 3; ++g) x[g] = a.x + r * a.x_row + 3 * g * a.x_next;
        for (int s = 0; s < a.kernel_w; ++s, w += a.w_tap) {
            typename vector_of<VL>::template list<NV> wv;
#pragma GCC unroll 8
            for (int n = 0; n < NV; ++n) {
                __builtin_memcpy(&wv[n], w + n * VL, sizeof(vec));
                keep_vector<M>(wv[n]);
            }
#pragma GCC unroll 16
            for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 8
                for (int n = 0; n < NV; ++n) {
                    vec xv;
                    __builtin_memcpy(&xv, x[m / 3] + (m % 3) * a.x_next + n * VL, sizeof(vec));
                    acc[m][n] += xv * wv[n];
                }
            }
#pragma GCC unroll 16
            for (int g = 0; g < (MR + 2) / 3; ++g) x[g] += a.x_tap;
        }
    }
    store_tile<MR, NV, VL>(acc, a.y, a.y_row);
}

/// Pixels in vectors; KH and SH are 0 for any kernel height, with one row.
template <int MR, int NV, int VL, int KH, int SH, machine M>
void depthwise_pixels(const depthwise_args& a)
{
    static_assert(KH > 0 || MR == 1, "tunekit: depthwise_pixels: several rows need the kernel's height");
    using vec = typename vector_of<VL>::type;
    typename vector_of<VL>::template grid<MR, NV> acc;
#pragma GCC unroll 16
    for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 8
        for (int n = 0; n < NV; ++n) acc[m][n] = vec{};
    }
    const float* w = a.w;
    for (int f = 0; f < a.stride_w && f < a.kernel_w; ++f) {
        const float* x = a.x + f * a.x_phase;
        for (int s = f; s < a.kernel_w; s += a.stride_w, ++x, ++w) {
            if constexpr (KH > 0) {
                depthwise_tap<MR, NV, VL, KH, SH>(acc, x, a.x_row, w, a.w_row);
            } else {
                for (int r = 0; r < a.kernel_h; ++r) {
                    depthwise_tap<MR, NV, VL, 1, 1>(acc, x + r * a.x_row, a.x_row, w + r * a.w_row, a.w_row);
                }
            }
        }
    }
    store_tile<MR, NV, VL>(acc, a.y, a.y_row);
}

}  // namespace tunekit::kernels::detail
