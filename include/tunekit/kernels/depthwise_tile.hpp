// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The micro-kernels of depthwise convolutions: every lane has a filter of its own, or all lanes share one channel's.

#include <cstddef>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/tile.hpp"

namespace tunekit::kernels {

/// What one call of a depthwise micro-kernel works on. Strides are in floats.
///
/// Channels in vectors: y[m][j] (+)= sum over r < kernel_h, s < kernel_w of x[m x_next + r x_row + s x_tap + j] w[r
/// w_row + s w_tap + j].
///
/// Pixels in vectors, mr rows of them: y[m][j] = sum over r < kernel_h, s < kernel_w of
/// x[(m stride_h + r) x_row + (s % stride_w) x_phase + s / stride_w + j] w[r w_row + k(s)], where k(s) is the place of
/// s among the taps in the order of s % stride_w, then s.
struct depthwise_args {
    const float* x = nullptr;
    const float* w = nullptr;
    float* y = nullptr;
    std::ptrdiff_t x_row = 0, x_next = 0, x_tap = 0, x_phase = 0;
    std::ptrdiff_t w_row = 0, w_tap = 0;
    std::ptrdiff_t y_row = 0;
    int kernel_h = 1, kernel_w = 1, stride_w = 1;
    bool accumulate = false;  ///< channels in vectors: add to y instead of replacing it
};

using depthwise_function = void (*)(const depthwise_args&);

/// One depthwise micro-kernel of a table: mr pixels by nv vectors of channels, or mr rows by nv vectors of pixels. The
/// latter are for one height and stride of the kernel if they have several rows, for any if one (`kernel_h` and
/// `stride_h` are 0).
struct depthwise_tile {
    vectorise_mode vectorise = vectorise_mode::channel;
    int mr = 0, nv = 0, vl = 0;
    int kernel_h = 0, stride_h = 0;
    depthwise_function run = nullptr;
};

namespace detail {

template <int MR, int NV, int VL>
[[gnu::always_inline]] inline void store_tile(const typename vector_of<VL>::template grid<MR, NV>& acc, float* y,
                                              std::ptrdiff_t y_row)
{
#pragma GCC unroll 16
    for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 8
        for (int n = 0; n < NV; ++n)
            __builtin_memcpy(y + m * y_row + n * VL, &acc[m][n], sizeof(acc[m][n]));
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
        for (int n = 0; n < NV; ++n)
            __builtin_memcpy(&xv[n], x + i * x_row + n * VL, sizeof(vec));
#pragma GCC unroll 16
        for (int m = 0; m < MR; ++m) {
            const int r = i - m * SH;
            if (r < 0 || r >= KH) continue;
            const float tap = w[r * w_row];
#pragma GCC unroll 8
            for (int n = 0; n < NV; ++n)
                acc[m][n] += xv[n] * tap;
        }
    }
}

}  // namespace detail

/// Channels in vectors; its vectors never leave it.
template <int MR, int NV, int VL, machine M>
void depthwise_channels(const depthwise_args& a)
{
    using vec = typename detail::vector_of<VL>::type;
    typename detail::vector_of<VL>::template grid<MR, NV> acc;
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
        detail::row_addresses<MR> x;
#pragma GCC unroll 16
        for (int g = 0; g < (MR + 2) / 3; ++g)
            x[g] = a.x + r * a.x_row + 3 * g * a.x_next;
        for (int s = 0; s < a.kernel_w; ++s, w += a.w_tap) {
            typename detail::vector_of<VL>::template list<NV> wv;
#pragma GCC unroll 8
            for (int n = 0; n < NV; ++n) {
                __builtin_memcpy(&wv[n], w + n * VL, sizeof(vec));
                detail::keep_vector<M>(wv[n]);
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
            for (int g = 0; g < (MR + 2) / 3; ++g)
                x[g] += a.x_tap;
        }
    }
    detail::store_tile<MR, NV, VL>(acc, a.y, a.y_row);
}

/// Pixels in vectors; KH and SH are 0 for any kernel height, with one row.
template <int MR, int NV, int VL, int KH, int SH, machine M>
void depthwise_pixels(const depthwise_args& a)
{
    static_assert(KH > 0 || MR == 1, "tunekit: depthwise_pixels: several rows need the kernel's height");
    using vec = typename detail::vector_of<VL>::type;
    typename detail::vector_of<VL>::template grid<MR, NV> acc;
#pragma GCC unroll 16
    for (int m = 0; m < MR; ++m) {
#pragma GCC unroll 8
        for (int n = 0; n < NV; ++n)
            acc[m][n] = vec{};
    }
    const float* w = a.w;
    for (int f = 0; f < a.stride_w && f < a.kernel_w; ++f) {
        const float* x = a.x + f * a.x_phase;
        for (int s = f; s < a.kernel_w; s += a.stride_w, ++x, ++w) {
            if constexpr (KH > 0) {
                detail::depthwise_tap<MR, NV, VL, KH, SH>(acc, x, a.x_row, w, a.w_row);
            } else {
                for (int r = 0; r < a.kernel_h; ++r) {
                    detail::depthwise_tap<MR, NV, VL, 1, 1>(acc, x + r * a.x_row, a.x_row, w + r * a.w_row, a.w_row);
                }
            }
        }
    }
    detail::store_tile<MR, NV, VL>(acc, a.y, a.y_row);
}

/// One entry of a table for this translation unit's machine: channels in vectors.
template <int MR, int NV, int VL, machine M = native>
[[nodiscard]] constexpr depthwise_tile make_depthwise_channels() noexcept
{
    return {vectorise_mode::channel, MR, NV, VL, 0, 0, &depthwise_channels<MR, NV, VL, M>};
}

/// The same with pixels in vectors.
template <int MR, int NV, int VL, int KH = 0, int SH = 0, machine M = native>
[[nodiscard]] constexpr depthwise_tile make_depthwise_pixels() noexcept
{
    return {vectorise_mode::pixel, MR, NV, VL, KH, SH, &depthwise_pixels<MR, NV, VL, KH, SH, M>};
}

}  // namespace tunekit::kernels
