// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parts of a table of micro-kernels: the arguments of each kind of micro-kernel, and the machine that it was
/// compiled for. `make_table.hpp` makes the micro-kernels themselves.

#include <cstddef>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/formats.hpp"

namespace tunekit::kernels::detail {

/// The arguments of one call of the micro-kernel of a convolution or a product. Strides are in elements.
///
///     y[m][j] (+)= sum over b < blocks, t < taps, k < depth, i < group of
///                  x[m x_row + b x_block + t x_tap + k group + i] w[b w_block + t w_tap + k w_step + j group + i]
///
/// for j < nv vl, where `group` is the format's. It is 1 for float and double.
template <class Format = formats::fp32>
struct tile_args {
    const typename Format::left* x = nullptr;           ///< inputs
    const typename Format::right* w = nullptr;          ///< weights
    typename Format::sum* y = nullptr;                  ///< outputs
    std::ptrdiff_t x_row = 0, x_block = 0, x_tap = 0;   ///< strides of x
    std::ptrdiff_t w_step = 0, w_block = 0, w_tap = 0;  ///< strides of w
    std::ptrdiff_t y_row = 0;                           ///< stride of y
    int blocks = 1, taps = 1, depth = 0;                ///< limits of the sums
    int unroll = 1;    ///< steps of k per iteration: 1, 2, 4 or 8; with 0 the loop never advances (hazardous spaces)
    int prefetch = 0;  ///< steps of k that w is fetched ahead; 0: none
    bool accumulate = false;  ///< add to y instead of replacing it
    bool fetch_y = false;     ///< prefetch y's lines before the reduction, so that they are in the cache at its end
};

/// A micro-kernel of convolutions and products.
template <class Format = formats::fp32>
using tile_function = void (*)(const tile_args<Format>&);

/// One micro-kernel of a table.
template <class Format = formats::fp32>
struct tile {
    int mr = 0, nv = 0, vl = 0;           ///< its size: mr by nv vectors of vl sums
    tile_function<Format> run = nullptr;  ///< the function
};

/// The arguments of one call of a dense micro-kernel. Strides are in floats.
///
///     y[m][j] (+)= sum over k < depth of x[m x_row + k] w[k w_row + j],     j < columns
struct dense_args {
    const float* x = nullptr;                        ///< inputs
    const float* w = nullptr;                        ///< weights
    float* y = nullptr;                              ///< outputs
    std::ptrdiff_t x_row = 0, w_row = 0, y_row = 0;  ///< strides
    int columns = 0;                                 ///< of w and y
    int depth = 0;                                   ///< a multiple of the micro-kernel's rows of w
    int prefetch = 0;                                ///< floats that each row of w is fetched ahead; 0: none
    bool accumulate = false;                         ///< add to y instead of replacing it
};

/// A matrix product's micro-kernel.
using dense_function = void (*)(const dense_args&);

/// The arguments of one call of a depthwise micro-kernel. Strides are in floats.
///
/// Channels in vectors: y[m][j] (+)= sum over r < kernel_h, s < kernel_w of x[m x_next + r x_row + s x_tap + j] w[r
/// w_row + s w_tap + j].
///
/// Pixels in vectors, mr rows of them: y[m][j] = sum over r < kernel_h, s < kernel_w of
/// x[(m stride_h + r) x_row + (s % stride_w) x_phase + s / stride_w + j] w[r w_row + k(s)], where k(s) is the place of
/// s among the taps in the order of s % stride_w, then s.
struct depthwise_args {
    const float* x = nullptr;                                      ///< inputs
    const float* w = nullptr;                                      ///< weights
    float* y = nullptr;                                            ///< outputs
    std::ptrdiff_t x_row = 0, x_next = 0, x_tap = 0, x_phase = 0;  ///< strides of x
    std::ptrdiff_t w_row = 0, w_tap = 0;                           ///< strides of w
    std::ptrdiff_t y_row = 0;                                      ///< stride of y
    int kernel_h = 1, kernel_w = 1, stride_w = 1;                  ///< of the convolution
    bool accumulate = false;  ///< channels in vectors: add to y instead of replacing it
};

/// A depthwise convolution's micro-kernel.
using depthwise_function = void (*)(const depthwise_args&);

/// The arguments of one call of a sweeping depthwise micro-kernel: mr rows of outputs from end to end, with channels in
/// vectors. Strides are in floats.
///
///     y[m y_row + o pixel + j] = sum over r < kernel, s < kernel of
///                                x[m stride + r][(o stride + s - padding) pixel + j] w[(r kernel + s) w_tap + j]
///
/// for o < outputs, where pixels outside [0, width) count as 0.
struct depthwise_sweep_args {
    const float* const* x = nullptr;                 ///< rows of inputs: (mr - 1) stride + kernel of them
    const float* w = nullptr;                        ///< weights
    float* y = nullptr;                              ///< outputs
    std::ptrdiff_t pixel = 0, w_tap = 0, y_row = 0;  ///< strides
    int width = 0;                                   ///< pixels of a row of inputs
    int outputs = 0;                                 ///< pixels of a row of outputs
    int padding = 0;                                 ///< pixels of the first window left of the row
};

/// A sweeping micro-kernel of depthwise convolutions.
using depthwise_sweep_function = void (*)(const depthwise_sweep_args&);

/// One pass of a transform: the same small matrix applied to `lines` x `vectors` columns of vectors. Strides are in
/// floats.
///
///     out[k out_step + l out_line + v vl] = sum over i of matrix[k][i] in[i in_step + l in_line + v vl]
struct winograd_pass {
    const float* in = nullptr;                                            ///< inputs
    float* out = nullptr;                                                 ///< outputs
    std::ptrdiff_t in_step = 0, in_line = 0, out_step = 0, out_line = 0;  ///< strides
    int lines = 0, vectors = 1;                                           ///< columns of vectors
    int first = 0,
        last = 0;     ///< input transform: i outside [first, last) counts as 0, and `in` points to i = first
    int outputs = 0;  ///< output transform: only this many, the first, are written
};

/// A transform of Winograd's convolution.
using winograd_function = void (*)(const winograd_pass&);

/// A transposition: to[c to_row + r] = from[r from_row + c] for r < rows, c < columns.
using transpose_function = void (*)(const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row,
                                    int rows, int columns);

/// A gather: to[r to_row + j] = from[r from_row + j stride] for r < rows, j < n. Nothing overlaps.
using gather_function = void (*)(const float* from, std::ptrdiff_t from_row, int stride, float* to,
                                 std::ptrdiff_t to_row, int rows, int n);

/// A copy with zero padding: to[r to_row + c] = from[r from_row + c] for r < rows, c < columns, and 0 for columns <= c
/// < filled.
template <class T = float>
using copy_function = void (*)(const T* from, std::ptrdiff_t from_row, T* to, std::ptrdiff_t to_row, int rows,
                               int columns, int filled);

inline void transpose_plainly(const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row, int rows,
                              int columns)
{
    for (int c = 0; c < columns; ++c) {
        for (int r = 0; r < rows; ++r) to[c * to_row + r] = from[r * from_row + c];
    }
}

inline void gather_plainly(const float* from, std::ptrdiff_t from_row, int stride, float* to, std::ptrdiff_t to_row,
                           int rows, int n)
{
    for (int r = 0; r < rows; ++r) {
        for (int j = 0; j < n; ++j) to[r * to_row + j] = from[r * from_row + std::ptrdiff_t{j} * stride];
    }
}

inline void copy_plainly(const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row, int rows,
                         int columns, int filled)
{
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < filled; ++c) to[r * to_row + c] = c < columns ? from[r * from_row + c] : 0;
    }
}

/// The machine that a translation unit is compiled for. It is part of a micro-kernel's type, so that units with
/// different flags do not share a micro-kernel.
struct machine {
    int registers = 16;  ///< vector registers
    int lanes = 4;       ///< floats in each
    bool fused = false;  ///< whether it multiplies and adds in one instruction
    int bf16_lanes = 0;  ///< sums of its widest instruction for pairs of bfloat16; 0: it has none
    int u8s8_lanes = 0;  ///< sums of its widest instruction for four products of bytes; 0: it has none
};

/// One dense micro-kernel of a table: `mr` rows of x, `rows` rows of w at once.
struct dense_tile {
    int mr = 0, rows = 0;          ///< rows of x, rows of w
    dense_function run = nullptr;  ///< the function
};

/// One depthwise micro-kernel of a table: mr pixels by nv vectors of channels, or mr rows by nv vectors of pixels. One
/// with several rows of pixels is for one height and stride of the kernel. One with a single row is for any height and
/// stride; its `kernel_h` and `stride_h` are 0.
struct depthwise_tile {
    vectorise_mode vectorise = vectorise_mode::channel;  ///< what a vector holds
    int mr = 0, nv = 0, vl = 0;                          ///< its size
    int kernel_h = 0, stride_h = 0;                      ///< 0: any
    depthwise_function run = nullptr;                    ///< the function
};

/// One sweeping micro-kernel of a table: mr rows of outputs by one vector of channels, for kernels of that height and
/// width and that stride in both directions.
struct depthwise_sweep {
    int mr = 0, vl = 0;                      ///< its size
    int kernel = 0, stride = 0;              ///< what it is for
    depthwise_sweep_function run = nullptr;  ///< the function
};

/// The two transforms of a tile size for vectors of vl floats: B and A of F(tile, 3).
struct winograd_transform {
    int tile = 0, vl = 0;                                 ///< outputs per side; floats of a vector
    winograd_function input = nullptr, output = nullptr;  ///< the functions
};

/// The functions of one machine that move floats.
struct movement {
    transpose_function transpose = nullptr;  ///< transposes
    gather_function gather = nullptr;        ///< gathers
    copy_function<> copy = nullptr;          ///< copies with zero padding
};

/// Movement by plain loops, for tables that have none of their own.
inline constexpr movement plain_movement{
    .transpose = &transpose_plainly, .gather = &gather_plainly, .copy = &copy_plainly};

}  // namespace tunekit::kernels::detail
