// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Convolution of plain NCHW images with output channels in vectors and inputs broadcast.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/detail/nchw_parts.hpp"
#include "tunekit/kernels/detail/rows.hpp"

namespace tunekit::kernels::detail {

/// One image and group at a time. Rows of a tile are pixels of an output row, its columns output channels; a row of
/// tiles is transposed into the image when its last input channel has been added.
///
/// With ic_block = 1 the input is read in place unless padding is copied. Otherwise it is transposed per block of rows
/// into [ic / ic_block][row][pixel][ic_block], which is the blocked layout of `conv2d_kernel`.
class nchw_channel {
public:
    nchw_channel(const conv2d_shape& part, int groups, const nchw_config& config, const tile_table& table,
                 const float* weights)
        : shape_(part), config_(config), moves_(table.moves)
    {
        out_.width = config.nv * config.vl;
        const auto& s = shape_;
        const bool point = pointwise(s),
                   pads = config.pad == padding_mode::copy && (s.padding_h > 0 || s.padding_w > 0);
        in_.copies = config.ic_block > 1 || (config.pad == padding_mode::copy && helps_copy(s));
        in_.compacts = in_.copies && point;
        in_.flat = point && (in_.compacts || (s.stride_h == 1 && s.stride_w == 1));
        in_.padding_h = pads ? s.padding_h : 0;
        in_.padding_w = pads ? s.padding_w : 0;
        in_.blocks = s.ci / config.ic_block;
        out_.blocks = (s.co + out_.width - 1) / out_.width;
        out_.length = in_.flat ? config.oh_block * s.ow() : s.ow();
        in_.x_row = config.ic_block * (in_.flat ? 1 : s.stride_w);
        in_.width = in_.compacts ? s.ow() : s.width + 2 * in_.padding_w;
        in_.rows = !in_.copies    ? s.height
                   : in_.compacts ? config.oh_block
                                  : (config.oh_block - 1) * s.stride_h + s.kernel_h;
        out_.split = config.ic_chunk < in_.blocks;
        out_.plane = std::ptrdiff_t{s.oh()} * s.ow();
        out_.segments =
            cut_row({.length = out_.length,
                     .stride = in_.flat ? 1 : s.stride_w,
                     .taps = s.kernel_w,
                     .padding = s.padding_w - in_.padding_w,
                     .width = in_.flat ? out_.length : in_.width},
                    config.mr, config.edge, [&](int mr) { return table.find(mr, config.nv, config.vl)->run; });
        pack_weights(groups, weights);
        if (in_.copies) own_.rows = buffer(size(std::ptrdiff_t{s.ci} * in_.rows * in_.width));
        if (in_.copies && in_.compacts && config.ic_block > 1 && s.stride_w > 1)
            own_.strip = buffer(size(std::ptrdiff_t{config.ic_block} * s.ow()));
        // With the whole reduction at once a row of each channel tile waits to be transposed, else all of the output.
        out_.row_size = std::ptrdiff_t{out_.length} * out_.width;
        out_.block_size = out_.split ? out_.row_size * (in_.flat ? s.oh() / config.oh_block : s.oh()) : out_.row_size;
        own_.sums =
            buffer(size(out_.block_size * (out_.split ? out_.blocks : (std::min)(config.oc_block, out_.blocks))));
    }

    [[nodiscard]] std::size_t scratch_size() const noexcept
    {
        return own_.weights.size() + own_.rows.size() + own_.strip.size() + own_.sums.size();
    }

    void image(const float* x, float* y, int group)
    {
        const auto& c = config_;
        const float* weights = own_.weights.data() + group * own_.w_block * in_.blocks * out_.blocks;
        int filled = -1;
        visit_blocks(c.order, {c.oc_block, c.oh_block, c.ic_chunk}, {out_.blocks, shape_.oh(), in_.blocks},
                     [&](run_of o, run_of r, run_of i) {
                         if (in_.copies && filled != r.begin) fill(x, filled = r.begin);
                         block({in_.copies ? own_.rows.data() : x, weights, y}, o, r, i.begin);
                     });
    }

private:
    /// How the input is read: in place, or from rows that are copied.
    struct layout {
        bool copies = false;
        bool compacts = false;  // the pixels that are read, side by side
        bool flat = false;      // rows of a block are one
        int padding_h = 0, padding_w = 0, width = 0, rows = 0;
        int blocks = 0;  // of channels
        std::ptrdiff_t x_row = 0;
    };

    /// How the outputs are cut.
    struct tiles {
        int width = 0, blocks = 0;  // channels of a tile, tiles of all channels
        int length = 0;             // pixels of a row
        bool split = false;         // the reduction
        std::ptrdiff_t plane = 0, row_size = 0, block_size = 0;
        std::vector<segment> segments;
    };

    struct buffers {
        buffer<> weights, rows, strip, sums;
        std::ptrdiff_t w_tap = 0, w_block = 0;  // strides of the weights
    };

    struct operands {
        const float* x;
        const float* w;
        float* y;
    };

    /// One output row: where its inputs, weights and sums begin, and the taps of its windows inside the image.
    struct row_view {
        const float* x;
        const float* w;
        float* sums;
        int taps;
    };

    static std::size_t size(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

    void pack_weights(int groups, const float* oihw)
    {
        const auto& s = shape_;
        const int ib = config_.ic_block, taps = s.kernel_h * s.kernel_w;
        own_.w_tap = std::ptrdiff_t{s.kernel_w} * ib * out_.width;
        own_.w_block = own_.w_tap * s.kernel_h;
        own_.weights = buffer(size(own_.w_block * in_.blocks * out_.blocks * groups));
        for (int g = 0; g < groups; ++g) {
            for (int o = 0; o < s.co; ++o) {
                for (int i = 0; i < s.ci; ++i) {
                    const float* from = oihw + ((std::ptrdiff_t{g} * s.co + o) * s.ci + i) * taps;
                    const std::ptrdiff_t block =
                        (std::ptrdiff_t{g} * out_.blocks + o / out_.width) * in_.blocks + i / ib;
                    float* to = own_.weights.data() + block * own_.w_block + (i % ib) * out_.width + o % out_.width;
                    for (int t = 0; t < taps; ++t) to[std::ptrdiff_t{t} * ib * out_.width] = from[t];
                }
            }
        }
    }

    /// Transposes what the block of output rows from `row` reads. Margins at the sides hold the zeros they were made
    /// with.
    void fill(const float* x, int row)
    {
        const auto& s = shape_;
        const int ib = config_.ic_block, top = row * s.stride_h - s.padding_h;
        const std::ptrdiff_t image = std::ptrdiff_t{s.height} * s.width, to_row = std::ptrdiff_t{in_.width} * ib;
        for (int b = 0; b < in_.blocks; ++b) {
            const float* from = x + b * ib * image;
            float* to = own_.rows.data() + b * in_.rows * to_row;
            if (in_.compacts && s.stride_w > 1) {
                for (int p = 0; p < in_.rows; ++p, to += to_row)
                    gather(from + std::ptrdiff_t{row + p} * s.stride_h * s.width, image, to);
            } else if (in_.padding_w == 0 && (s.stride_h == 1 || !in_.compacts)) {
                const int first = (std::max)(top, 0),
                          end = (std::min)(top + in_.rows, s.height);  // rows without margins are one
                if (in_.padding_h > 0) {
                    std::fill_n(to, (first - top) * to_row, 0.0F);
                    std::fill_n(to + (end - top) * to_row, (top + in_.rows - end) * to_row, 0.0F);
                }
                if (first < end) {
                    move(from + std::ptrdiff_t{first} * s.width, image, to + (first - top) * to_row,
                         (end - first) * s.width);
                }
            } else {
                for (int r = 0; r < in_.rows; ++r, to += to_row) {
                    const int h = in_.compacts ? (row + r) * s.stride_h : top + r;
                    if (h >= 0 && h < s.height)
                        move(from + std::ptrdiff_t{h} * s.width, image, to + std::ptrdiff_t{in_.padding_w} * ib,
                             s.width);
                    else if (in_.padding_h > 0) std::fill_n(to, to_row, 0.0F);
                }
            }
        }
    }

    /// A block's pixels side by side.
    void move(const float* from, std::ptrdiff_t image, float* to, int pixels) const
    {
        if (config_.ic_block == 1) moves_.gather(from, 0, 1, to, 0, 1, pixels);
        else moves_.transpose(from, image, to, config_.ic_block, config_.ic_block, pixels);
    }

    /// The same of every stride-th pixel of a row.
    void gather(const float* from, std::ptrdiff_t image, float* to)
    {
        const int ib = config_.ic_block, pixels = shape_.ow();
        moves_.gather(from, image, shape_.stride_w, ib == 1 ? to : own_.strip.data(), pixels, ib, pixels);
        if (ib > 1) moves_.transpose(own_.strip.data(), pixels, to, ib, ib, pixels);
    }

    void block(const operands& p, run_of oc, run_of rows, int ic)
    {
        const int end = in_.flat ? rows.begin + 1 : rows.end;
        if (config_.inner == inner_order::channels_outside) {
            for (int o = oc.begin; o < oc.end; ++o) {
                for (int r = rows.begin; r < end; ++r) {
                    const row_view row = view(p, r, r - rows.begin, ic);
                    for (const auto& s : out_.segments) compute(row, o, o - oc.begin, ic, s);
                    finish(p, row, o, o - oc.begin, r, ic);
                }
            }
        } else {
            for (int r = rows.begin; r < end; ++r) {
                const row_view row = view(p, r, r - rows.begin, ic);
                for (const auto& s : out_.segments) {
                    for (int o = oc.begin; o < oc.end; ++o) compute(row, o, o - oc.begin, ic, s);
                }
                for (int o = oc.begin; o < oc.end; ++o) finish(p, row, o, o - oc.begin, r, ic);
            }
        }
    }

    [[nodiscard]] row_view view(const operands& p, int row, int row_in_block, int ic)
    {
        const auto& s = shape_;
        const int top = row * s.stride_h - s.padding_h;  // in the image; a flat block has one tap
        const bool clips = in_.padding_h == 0 && !in_.flat;
        const int first = clips ? (std::max)(0, -top) : 0,
                  last = clips ? (std::min)(s.kernel_h, s.height - top) : s.kernel_h;
        const int at = in_.copies ? (in_.flat ? 0 : row_in_block * s.stride_h) : top;
        float* const sums =
            own_.sums.data() + (out_.split ? (in_.flat ? row / config_.oh_block : row) * out_.row_size : 0);
        return {p.x + (std::ptrdiff_t{ic} * in_.rows + at + first) * in_.width * config_.ic_block,
                p.w + ic * own_.w_block + first * own_.w_tap, sums, last - first};
    }

    void compute(const row_view& row, int o, int o_in_block, int ic, const segment& s) const
    {
        float* const sums = row.sums + (out_.split ? o : o_in_block) * out_.block_size;
        if (s.clears && ic == 0)
            std::fill_n(sums + std::ptrdiff_t{s.tile_pixel} * out_.width, std::ptrdiff_t{s.tile_pixels} * out_.width,
                        0.0F);
        s.run({.x = row.x + std::ptrdiff_t{s.input} * config_.ic_block,
               .w = row.w + std::ptrdiff_t{o} * in_.blocks * own_.w_block +
                    std::ptrdiff_t{s.tap} * config_.ic_block * out_.width,
               .y = sums + std::ptrdiff_t{s.pixel} * out_.width,
               .x_row = in_.x_row,
               .x_block = std::ptrdiff_t{in_.rows} * in_.width * config_.ic_block,
               .x_tap = std::ptrdiff_t{in_.width} * config_.ic_block,
               .w_step = out_.width,
               .w_block = own_.w_block,
               .w_tap = own_.w_tap,
               .y_row = out_.width,
               .blocks = config_.ic_chunk,
               .taps = row.taps,
               .depth = s.taps * config_.ic_block,
               .unroll = config_.ku,
               .prefetch = config_.prefetch,
               .accumulate = ic > 0 || s.accumulates});
    }

    /// Transposes a row of one channel tile into the image, once its last input channels are in.
    void finish(const operands& p, const row_view& row, int o, int o_in_block, int r, int ic) const
    {
        if (ic + config_.ic_chunk < in_.blocks) return;
        const float* sums = row.sums + (out_.split ? o : o_in_block) * out_.block_size;
        moves_.transpose(sums, out_.width,
                         p.y + std::ptrdiff_t{o} * out_.width * out_.plane + std::ptrdiff_t{r} * shape_.ow(),
                         out_.plane, out_.length, (std::min)(out_.width, shape_.co - o * out_.width));
    }

    conv2d_shape shape_;
    nchw_config config_;
    movement moves_;
    layout in_;
    tiles out_;
    buffers own_;
};

}  // namespace tunekit::kernels::detail
