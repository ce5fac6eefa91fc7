// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What follows from the configuration of a Winograd convolution for a shape, and the weights in its order.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/detail/winograd_matrices.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels::detail {

/// Sizes and strides, in floats, of a Winograd convolution. Arrays that many lines of a matrix fall into are strided by
/// an odd number of cache lines, so that they do not compete for the same few sets.
struct winograd_strides {
    int t_h = 0, t_w = 0;          ///< inputs of a tile
    int tiles_h = 0, tiles_w = 0;  ///< tiles down and across an image
    int tiles = 0;                 ///< of the whole batch
    int blocks = 0;                ///< of tiles, of nearly equal sizes
    int nr = 0, ic_blocks = 0, oc_blocks = 0;
    int step = 0;                                          ///< input channels between two visits of a product's result
    bool whole_vectors = false;                            ///< blocks of input channels are whole vectors
    std::ptrdiff_t input_tile = 0, input_element = 0;      ///< between transformed inputs
    std::ptrdiff_t product_tile = 0, product_element = 0;  ///< between products
    std::ptrdiff_t inputs = 0, products = 0,
                   half = 0;  ///< all of a block's; of a tile between the passes of a transform

    winograd_strides(const conv2d_shape& s, const winograd_config& c)
        : t_h(c.tile_h + 2),
          t_w(c.tile_w + 2),
          tiles_h((s.oh() + c.tile_h - 1) / c.tile_h),
          tiles_w((s.ow() + c.tile_w - 1) / c.tile_w),
          tiles(s.batch * tiles_h * tiles_w),
          blocks((tiles + c.tile_block - 1) / c.tile_block),
          nr(c.nv * c.vl),
          ic_blocks(s.ci / c.ic_block),
          oc_blocks((s.co + nr - 1) / nr),
          step(c.ic_block * c.ic_chunk),
          whole_vectors(c.ic_block % c.vl == 0)
    {
        const std::ptrdiff_t block = (tiles + blocks - 1) / blocks, elements = t_h * t_w;
        const auto place = [&](std::ptrdiff_t row, std::ptrdiff_t& tile, std::ptrdiff_t& element) {
            const bool by_tile = c.layout == winograd_config::products::by_tile;
            element = odd_lines(by_tile ? row : block * row);
            tile = by_tile ? odd_lines(elements * element) : row;
            return by_tile ? block * tile : elements * element;
        };
        inputs = place(odd_lines((s.ci + c.vl - 1) / c.vl * c.vl), input_tile, input_element);
        products =
            place(odd_lines(std::ptrdiff_t{1} * (std::min)(c.oc_block, oc_blocks) * nr), product_tile, product_element);
        half = elements * (std::max)(passed_at_once * c.vl, nr);
    }

    /// Vectors of input channels that a transform takes through both passes before the next.
    static constexpr int passed_at_once = 4;

    /// First tile of a block; of the one behind the last: the number of tiles.
    [[nodiscard]] int first_tile(int block) const { return static_cast<int>(std::int64_t{1} * tiles * block / blocks); }

    /// Output blocks that are multiplied together with `o`, and where that run of them begins.
    [[nodiscard]] int oc_run(int first, int oc_block) const { return (std::min)(oc_block, oc_blocks - first); }

    [[nodiscard]] static std::ptrdiff_t odd_lines(std::ptrdiff_t floats)
    {
        constexpr std::ptrdiff_t line = 16;
        return ((floats + line - 1) / line | 1) * line;
    }
};

/// Floats of scratch that a Winograd convolution keeps besides its weights.
[[nodiscard]] inline std::ptrdiff_t winograd_scratch(const conv2d_shape& s, const winograd_config& c)
{
    const winograd_strides strides(s, c);
    return strides.inputs + strides.products + strides.half;
}

/// Throws std::invalid_argument with the parameter that does not fit.
inline void require_winograd(const conv2d_shape& s, const winograd_config& c, const tile_table& table)
{
    const auto refuse = [](const char* name, int value, const char* want) {
        invalid("winograd_config: " + std::string(name) + " is " + std::to_string(value) + ", want " + want);
    };
    require_valid(s);
    require(s.fits_winograd(),
            "winograd_kernel: a convolution that is not 3 x 3 without stride and groups, want conv2d_kernel");
    for (int mr = 1; mr <= (std::max)(c.mr, 1); ++mr) {
        if (c.mr > 0 && table.find(mr, c.nv, c.vl) != nullptr) continue;
        invalid("winograd_config: no tile " + std::to_string(c.mr) + " x " + std::to_string(c.nv) + " x " +
                std::to_string(c.vl) + " in the table, want one of its tiles");
    }
    for (const int tile : {c.tile_h, c.tile_w}) {
        if (table.find_winograd(tile, c.vl) != nullptr) continue;
        invalid("winograd_config: no transform of tiles of " + std::to_string(tile) + " for vectors of " +
                std::to_string(c.vl) + " in the table, want one of its transforms");
    }
    if (c.ku != 1 && c.ku != 2 && c.ku != 4 && c.ku != 8) refuse("ku", c.ku, "1, 2, 4 or 8");
    if (c.prefetch < 0) refuse("prefetch", c.prefetch, ">= 0");
    if (c.ic_block < 1 || s.ci % c.ic_block != 0) refuse("ic_block", c.ic_block, "a divisor of the input channels");
    if (c.ic_chunk < 1 || s.ci / c.ic_block % c.ic_chunk != 0)
        refuse("ic_chunk", c.ic_chunk, "a divisor of the input blocks");
    if (c.tile_block < 1) refuse("tile_block", c.tile_block, ">= 1");
    if (c.oc_block < 1) refuse("oc_block", c.oc_block, ">= 1");
}

/// Transformed weights in the order in which products read them:
/// [run of oc_block output blocks][element][step of input channels][output block of the run][channel of the step][nr].
/// Transformed in double, for some output channels at once, so that they are written side by side.
[[nodiscard]] inline buffer<> winograd_weights(const winograd_strides& p, const conv2d_shape& s,
                                               const winograd_config& c, std::span<const float> oihw)
{
    constexpr int lanes = 8;
    using vector = std::array<double, lanes>;
    const auto down = winograd_filter(c.tile_h), across = winograd_filter(c.tile_w);
    const std::ptrdiff_t matrix = std::ptrdiff_t{1} * s.ci * p.nr;  // of one element and one output block
    buffer out(static_cast<std::size_t>(p.oc_blocks * p.t_h * p.t_w * matrix));
    const auto combined = [](const std::array<double, 3>& row, const vector& x, const vector& y, const vector& z) {
        vector sum;
        for (std::size_t l = 0; l < lanes; ++l) sum[l] = row[0] * x[l] + row[1] * y[l] + row[2] * z[l];
        return sum;
    };
    for (int block = 0; block < p.oc_blocks; ++block) {
        const int first = block / c.oc_block * c.oc_block, run = p.oc_run(first, c.oc_block);
        for (int i = 0; i < s.ci; ++i) {
            float* const channel = out.data() + first * p.t_h * p.t_w * matrix +
                                   ((i / p.step * run + block - first) * p.step + i % p.step) * std::ptrdiff_t{p.nr};
            for (int lane = 0; lane < p.nr; lane += lanes) {
                const int o = block * p.nr + lane, inside = (std::min)({lanes, p.nr - lane, s.co - o});
                std::array<vector, 9> taps{};
                for (int l = 0; l < inside; ++l) {
                    const float* const from = oihw.data() + (std::ptrdiff_t{o + l} * s.ci + i) * 9;
                    for (std::size_t t = 0; t < 9; ++t)
                        taps[t][static_cast<std::size_t>(l)] = static_cast<double>(from[t]);
                }
                float* to = channel + lane;
                for (const auto& row : down) {
                    const auto x = combined(row, taps[0], taps[3], taps[6]),
                               y = combined(row, taps[1], taps[4], taps[7]),
                               z = combined(row, taps[2], taps[5], taps[8]);
                    for (const auto& column : across) {
                        const vector sum = combined(column, x, y, z);
                        for (int l = 0; l < inside; ++l) to[l] = static_cast<float>(sum[static_cast<std::size_t>(l)]);
                        to += run * matrix;
                    }
                }
            }
        }
    }
    return out;
}
}  // namespace tunekit::kernels::detail
