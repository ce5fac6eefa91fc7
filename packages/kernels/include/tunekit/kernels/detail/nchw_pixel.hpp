// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Convolution of plain NCHW images with output pixels in vectors and weights broadcast.

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/detail/nchw_parts.hpp"
#include "tunekit/kernels/detail/rows.hpp"

namespace tunekit::kernels::detail {

/// One image and group at a time. Rows of a tile are output channels, its columns pixels of a row; the rows of a block
/// of a pointwise convolution are joined into one.
///
/// Input is read in place (`pixels_in_place`), or copied per block of rows into
/// [ic / ic_block][row][ic_block][phase][pixel]: a phase holds every stride-th pixel, so that a tap's inputs lie side
/// by side, and the channels of all kernel rows follow each other at one distance, so that they are one loop.
class nchw_pixel {
public:
    nchw_pixel(const conv2d_shape& shape, int groups, const nchw_config& config, const tile_table& table,
               const float* weights)
        : shape_(shape), config_(config), moves_(table.moves)
    {
        in_.clips = config.pad == padding_mode::clip;
        in_.in_place = pixels_in_place(shape, config.pad);
        in_.flat = pointwise(shape);
        const auto& s = shape_;
        in_.phases = in_.flat ? 1 : (std::min)(s.stride_w, s.kernel_w);
        out_.row_pixels = in_.flat ? config.oh_block * s.ow() : s.ow();
        in_.phase_pixels = in_.flat ? out_.row_pixels : s.ow() + (s.kernel_w - 1) / s.stride_w;
        in_.rows = in_.flat ? 1 : (config.oh_block - 1) * s.stride_h + s.kernel_h;
        in_.plane = std::ptrdiff_t{s.height} * s.width;
        out_.plane = std::ptrdiff_t{s.oh()} * s.ow();
        in_.step = in_.in_place ? in_.plane : std::ptrdiff_t{in_.phases} * in_.phase_pixels;
        out_.reduction = std::ptrdiff_t{s.ci} * s.kernel_h * s.kernel_w;
        out_.channels = tiles_of_row(s.co, config.mr,
                                     config.edge == edge_mode::balanced ? edge_mode::balanced : edge_mode::remainder);
        out_.strips = cut_pixels(config, table, out_.row_pixels, out_.kernels);
        own_.weights = pack_pixel_weights(s, groups, config.ic_block, out_.channels, weights);
        const int widest = config.nv * config.vl;
        if (!in_.in_place) {
            own_.rows =
                buffer(size(in_.step * in_.rows * s.ci + widest));  // the last vector may reach past the last row
        } else if (out_.strips.back().partial) {
            own_.tail = buffer(size(std::ptrdiff_t{s.ci} * out_.strips.back().capacity));
        }
        own_.tile = buffer(size(std::ptrdiff_t{config.mr} * widest));
    }

    [[nodiscard]] std::size_t scratch_size() const noexcept
    {
        return own_.weights.size() + own_.rows.size() + own_.tail.size() + own_.tile.size();
    }

    void image(const float* x, float* y, int group)
    {
        const auto& c = config_;
        const float* weights = own_.weights.data() + group * out_.reduction * shape_.co;
        int filled = -1;
        const auto visit = [&](run_of channels, run_of rows, run_of inputs) {
            if (filled != rows.begin) fill(x, rows.begin);
            filled = rows.begin;
            block({x, weights, y}, channels, rows, inputs.begin);
        };
        visit_blocks(c.order, {c.oc_block, c.oh_block, c.ic_chunk},
                     {static_cast<int>(out_.channels.size()), shape_.oh(), shape_.ci / c.ic_block}, visit);
    }

private:
    /// How the input is read.
    struct layout {
        bool clips = true;        // taps above and below the image are left out
        bool in_place = true;     // the image is read where it lies
        bool flat = false;        // rows of a block are one
        int phases = 1;           // pixels of a stride that some tap reads
        int phase_pixels = 0;     // inputs of a row's phase
        int rows = 0;             // that a block reads
        std::ptrdiff_t step = 0;  // between two channels of a row
        std::ptrdiff_t plane = 0;
    };

    /// How the outputs are cut.
    struct tiles {
        int row_pixels = 0;  // of a row
        std::ptrdiff_t plane = 0;
        std::ptrdiff_t reduction = 0;  // products in an output
        std::vector<row_tile> channels;
        std::vector<pixel_strip> strips;
        std::vector<tile_function<>> kernels;
    };

    struct buffers {
        buffer<> weights;  // packed
        buffer<> rows;     // of the input, copied
        buffer<> tail;     // the image's last columns
        buffer<> tile;     // outputs of a partial strip
    };

    struct operands {
        const float* x;
        const float* w;
        float* y;
    };

    /// What one call of a micro-kernel computes: a tile of channels, a strip of pixels of a row, from some blocks of
    /// inputs on.
    struct part {
        const row_tile& channels;
        const pixel_strip& pixels;
        int row;           // of outputs
        int row_in_block;  // the same, from the block's first
        int ic;            // first block of input channels
    };

    /// Rows of the kernel, from `first` up to `last`: those inside the image where padding is clipped.
    struct taps {
        int first, last;
    };

    static std::size_t size(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

    /// Copies what the block of output rows from `row` reads and does not find where it lies.
    void fill(const float* x, int row)
    {
        if (in_.in_place) fill_tail(x, row);
        else if (in_.flat) fill_flat(x, row);
        else fill_rows(x, row);
    }

    /// In place, the last columns alone are copied: a vector there would reach past the image.
    void fill_tail(const float* x, int row)
    {
        const pixel_strip& last = out_.strips.back();
        if (!last.partial) return;
        moves_.gather(x + std::ptrdiff_t{row} * shape_.width + last.begin, in_.step, 1, own_.tail.data(), last.capacity,
                      shape_.ci, last.width);
    }

    /// The pixels that a pointwise convolution reads, side by side.
    void fill_flat(const float* x, int row)
    {
        const auto& s = shape_;
        const bool joined = s.stride_h == 1 && s.stride_w == 1;
        const std::ptrdiff_t line = std::ptrdiff_t{s.stride_h} * s.width;
        for (int channel = 0; channel < s.ci; ++channel) {
            moves_.gather(x + channel * in_.plane + row * line, line, s.stride_w,
                          own_.rows.data() + std::ptrdiff_t{channel} * in_.phase_pixels, s.ow(),
                          joined ? 1 : config_.oh_block, joined ? out_.row_pixels : s.ow());
        }
    }

    /// Rows in phases. Margins at the sides hold the zeros they were made with.
    void fill_rows(const float* x, int row)
    {
        const auto& s = shape_;
        const int ib = config_.ic_block, top = row * s.stride_h - s.padding_h;
        for (int r = 0; r < in_.rows; ++r) {
            const bool outside = top + r < 0 || top + r >= s.height;
            const bool unread = r % s.stride_h >= s.kernel_h;
            if (unread || (outside && in_.clips)) continue;
            for (int channel = 0; channel < s.ci; channel += ib) {
                float* const to =
                    own_.rows.data() + (std::ptrdiff_t{channel} * in_.rows + std::ptrdiff_t{r} * ib) * in_.step;
                if (outside) std::fill_n(to, in_.step * ib, 0.0F);
                else fill_phases(x + channel * in_.plane + std::ptrdiff_t{top + r} * s.width, to);
            }
        }
    }

    /// A row of a block of channels: every stride-th pixel side by side.
    void fill_phases(const float* from, float* to)
    {
        const auto& s = shape_;
        for (int phase = 0; phase < in_.phases; ++phase, to += in_.phase_pixels) {
            const int missing = s.padding_w - phase;  // inputs of the phase's first windows left of the image
            const int first = missing > 0 ? (missing + s.stride_w - 1) / s.stride_w : 0;
            const int end = (std::min)(in_.phase_pixels, (s.width - 1 + missing + s.stride_w) / s.stride_w);
            if (first >= end) continue;
            moves_.gather(from + (std::ptrdiff_t{first} * s.stride_w - missing), in_.plane, s.stride_w, to + first,
                          in_.step, config_.ic_block, end - first);
        }
    }

    void block(const operands& on, run_of channels, run_of rows, int ic)
    {
        const int end = in_.flat ? rows.begin + 1 : rows.end;
        const auto one = [&](int tile, int row, const pixel_strip& pixels) {
            compute(on, {out_.channels[size(tile)], pixels, row, row - rows.begin, ic});
        };
        if (config_.inner == inner_order::channels_outside) {
            for (int tile = channels.begin; tile < channels.end; ++tile) {
                for (int row = rows.begin; row < end; ++row) {
                    for (const auto& pixels : out_.strips) one(tile, row, pixels);
                }
            }
        } else {
            for (int row = rows.begin; row < end; ++row) {
                for (const auto& pixels : out_.strips) {
                    for (int tile = channels.begin; tile < channels.end; ++tile) one(tile, row, pixels);
                }
            }
        }
    }

    void compute(const operands& on, const part& p)
    {
        const auto& s = shape_;
        const pixel_strip& pixels = p.pixels;
        const int ib = config_.ic_block, top = p.row * s.stride_h - s.padding_h;
        const taps rows{.first = in_.clips ? (std::max)(0, -top) : 0,
                        .last = in_.clips ? (std::min)(s.kernel_h, s.height - top) : s.kernel_h};
        const std::ptrdiff_t column = std::ptrdiff_t{s.kernel_h} * ib;  // of the weights: steps of one tap
        float* const y = on.y + p.channels.begin * out_.plane + std::ptrdiff_t{p.row} * s.ow() + pixels.begin;
        tile_args<> a{.x = on.w + p.channels.begin * out_.reduction +
                           std::ptrdiff_t{p.ic} * ib * p.channels.length * s.kernel_h * s.kernel_w + rows.first * ib,
                      .y = pixels.partial ? own_.tile.data() : y,
                      .x_row = column,
                      .x_block = column * p.channels.length * s.kernel_w,
                      .x_tap = column * p.channels.length,
                      .w_tap = 1,
                      .y_row = pixels.partial ? pixels.capacity : out_.plane,
                      .blocks = config_.ic_chunk,
                      .depth = (rows.last - rows.first) * ib,
                      .unroll = config_.ku,
                      .prefetch = config_.prefetch,
                      .accumulate = p.ic > 0};
        read_from(on, p, rows, a);
        const auto exchange = [&](const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row) {
            moves_.gather(from, from_row, 1, to, to_row, p.channels.length, pixels.width);
        };
        if (pixels.partial && a.accumulate) exchange(y, out_.plane, own_.tile.data(), pixels.capacity);
        const tile_function<> run = out_.kernels[pixels.kernels + size(p.channels.length - 1)];
        for (int phase = 0; phase < in_.phases; ++phase) {
            a.taps = (s.kernel_w - phase + s.stride_w - 1) / s.stride_w;
            run(a);
            a.x += a.taps * a.x_tap;
            a.w += in_.phase_pixels;
            a.accumulate = true;
        }
        if (pixels.partial) exchange(own_.tile.data(), pixels.capacity, y, out_.plane);
    }

    /// Where the pixels lie: in the copied rows, in the copied tail, or in the image.
    void read_from(const operands& on, const part& p, const taps& rows, tile_args<>& a) const
    {
        const std::ptrdiff_t channel = std::ptrdiff_t{p.ic} * config_.ic_block;
        if (!in_.in_place) {
            const int row = (in_.flat ? 0 : p.row_in_block * shape_.stride_h) + rows.first;
            a.w_step = in_.step;
            a.w = own_.rows.data() + (channel * in_.rows + std::ptrdiff_t{row} * config_.ic_block) * in_.step +
                  p.pixels.begin;
            a.w_block = config_.ic_block * in_.rows * in_.step;
        } else if (p.pixels.partial) {
            a.w_step = p.pixels.capacity;
            a.w = own_.tail.data() + channel * a.w_step;
            a.w_block = config_.ic_block * a.w_step;
        } else {
            a.w_step = in_.step;
            a.w = on.x + channel * in_.step + std::ptrdiff_t{p.row} * shape_.width + p.pixels.begin;
            a.w_block = config_.ic_block * in_.step;
        }
    }

    conv2d_shape shape_;
    nchw_config config_;
    movement moves_;
    layout in_;
    tiles out_;
    buffers own_;
};

}  // namespace tunekit::kernels::detail
