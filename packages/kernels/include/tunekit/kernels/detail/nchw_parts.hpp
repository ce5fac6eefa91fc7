// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the two ways of vectorising a plain NCHW convolution have in common.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/detail/rows.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels::detail {

/// A half-open run of indices.
struct run_of {
    int begin = 0, end = 0;
};

/// Visits the blocks of three loops (0 = o, 1 = r, 2 = i), nested as `order` says: f(o, r, i), the last block of a loop
/// cut short.
template <class F>
void visit_blocks(loop_order order, const std::array<int, 3>& steps, const std::array<int, 3>& ends, F&& f)
{
    const auto nest = loops_of(order);
    const auto a = static_cast<std::size_t>(nest[0]), b = static_cast<std::size_t>(nest[1]),
               c = static_cast<std::size_t>(nest[2]);
    std::array<int, 3> at{};
    const auto part = [&](std::size_t loop) -> run_of {
        return {at[loop], (std::min)(at[loop] + steps[loop], ends[loop])};
    };
    for (at[a] = 0; at[a] < ends[a]; at[a] += steps[a]) {
        for (at[b] = 0; at[b] < ends[b]; at[b] += steps[b]) {
            for (at[c] = 0; at[c] < ends[c]; at[c] += steps[c]) f(part(0), part(1), part(2));
        }
    }
}

[[nodiscard]] constexpr bool pointwise(const conv2d_shape& s) noexcept { return s.kernel_h == 1 && s.kernel_w == 1; }

/// Whether a pixel kernel reads the image where it lies: rows of pixels of a pointwise convolution without stride.
[[nodiscard]] constexpr bool pixels_in_place(const conv2d_shape& s, padding_mode pad) noexcept
{
    return pad == padding_mode::clip && pointwise(s) && s.stride_h == 1 && s.stride_w == 1;
}

/// Throws std::invalid_argument where the configuration does not fit one group `s`, or the table.
inline void check_nchw(const conv2d_shape& s, const nchw_config& c, const tile_table& table)
{
    const auto refuse = [](const char* name, int value, const char* want) {
        invalid("nchw_config: " + std::string(name) + " is " + std::to_string(value) + ", want " + want);
    };
    for (int mr = 1; mr <= (std::max)(c.mr, 1); ++mr) {
        if (c.mr > 0 && table.find(mr, c.nv, c.vl) != nullptr) continue;
        invalid("nchw_config: no tile " + std::to_string(c.mr) + " x " + std::to_string(c.nv) + " x " +
                std::to_string(c.vl) + " in the table, want one of its tiles");
    }
    if (c.ku != 1 && c.ku != 2 && c.ku != 4 && c.ku != 8) refuse("ku", c.ku, "1, 2, 4 or 8");
    if (c.prefetch < 0) refuse("prefetch", c.prefetch, ">= 0");
    if (c.ic_block < 1 || s.ci % c.ic_block != 0)
        refuse("ic_block", c.ic_block, "a divisor of a group's input channels");
    if (c.ic_chunk < 1 || s.ci / c.ic_block % c.ic_chunk != 0)
        refuse("ic_chunk", c.ic_chunk, "a divisor of the input blocks");
    if (c.oh_block < 1 || s.oh() % c.oh_block != 0) refuse("oh_block", c.oh_block, "a divisor of the output height");
    if (c.oc_block < 1) refuse("oc_block", c.oc_block, ">= 1");
    require(c.edge != edge_mode::overrun, "nchw_config: edge is overrun, want balanced, remainder or overlap");
    require(c.edge != edge_mode::overlap || c.ic_chunk * c.ic_block == s.ci,
            "nchw_config: edge is overlap with a split reduction, want ic_chunk to take all input blocks");
}

/// A run of pixels whose outputs are columns of one tile.
struct pixel_strip {
    int begin = 0, width = 0, capacity = 0;  ///< pixels: the first, those wanted, those computed
    bool partial = false;
    std::size_t kernels = 0;  ///< where the micro-kernels of this width begin, by rows - 1
};

/// Pixels into strips of whole vectors, of which the last alone may not be filled; their micro-kernels go to `kernels`.
[[nodiscard]] inline std::vector<pixel_strip> cut_pixels(const nchw_config& c, const tile_table& table, int length,
                                                         std::vector<tile_function<>>& kernels)
{
    std::vector<pixel_strip> strips;
    const auto add = [&](int begin, int nv) {
        while (table.find(c.mr, nv, c.vl) == nullptr) ++nv;  // the configured nv is in the table
        const int capacity = nv * c.vl, width = (std::min)(capacity, length - begin);
        strips.push_back({begin, width, capacity, width < capacity, kernels.size()});
        for (int mr = 1; mr <= c.mr; ++mr) kernels.push_back(table.find(mr, nv, c.vl)->run);
        return begin + capacity;
    };
    if (c.edge == edge_mode::overlap && length >= c.nv * c.vl) {
        for (const auto& t : tiles_of_row(length, c.nv * c.vl, c.edge)) add(t.begin, c.nv);
        return strips;
    }
    const auto edge = c.edge == edge_mode::balanced ? edge_mode::balanced : edge_mode::remainder;
    int begin = 0;
    for (const auto& t : tiles_of_row((length + c.vl - 1) / c.vl, c.nv, edge)) {
        if (begin < length) begin = add(begin, t.length);
    }
    return strips;
}

/// [group][tile of channels][ci / ic_block][tap][channel][kernel row][ic_block], the taps of a row in the order of
/// their phases.
[[nodiscard]] inline buffer<> pack_pixel_weights(const conv2d_shape& s, int groups, int ic_block,
                                                 const std::vector<row_tile>& tiles, const float* oihw)
{
    const std::ptrdiff_t taps = std::ptrdiff_t{s.kernel_h} * s.kernel_w;
    buffer<> packed(static_cast<std::size_t>(taps * s.ci * s.co * groups));
    float* to = packed.data();
    const auto pack = [&](const row_tile& t, const float* from, int tap) {
        for (int o = t.begin; o < t.begin + t.length; ++o) {
            for (int r = 0; r < s.kernel_h; ++r) {
                const float* row = from + std::ptrdiff_t{o} * s.ci * taps + r * s.kernel_w + tap;
                for (int i = 0; i < ic_block; ++i) *to++ = row[i * taps];
            }
        }
    };
    for (int g = 0; g < groups; ++g, oihw += taps * s.ci * s.co) {
        for (const auto& t : tiles) {
            for (int b = 0; b < s.ci; b += ic_block) {
                for (int f = 0; f < s.stride_w; ++f) {
                    for (int tap = f; tap < s.kernel_w; tap += s.stride_w) pack(t, oihw + b * taps, tap);
                }
            }
        }
    }
    return packed;
}

}  // namespace tunekit::kernels::detail
