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
        : shape_(shape),
          config_(config),
          moves_(table.moves),
          clips_(config.pad == padding_mode::clip),
          in_place_(pixels_in_place(shape, config.pad)),
          flat_(pointwise(shape))
    {
        const auto& s = shape_;
        phases_ = flat_ ? 1 : (std::min)(s.stride_w, s.kernel_w);
        row_pixels_ = flat_ ? config.oh_block * s.ow() : s.ow();
        phase_pixels_ = flat_ ? row_pixels_ : s.ow() + (s.kernel_w - 1) / s.stride_w;
        block_rows_ = flat_ ? 1 : (config.oh_block - 1) * s.stride_h + s.kernel_h;
        in_plane_ = std::ptrdiff_t{s.height} * s.width;
        out_plane_ = std::ptrdiff_t{s.oh()} * s.ow();
        step_ = in_place_ ? in_plane_ : std::ptrdiff_t{phases_} * phase_pixels_;
        reduction_ = std::ptrdiff_t{s.ci} * s.kernel_h * s.kernel_w;
        tiles_ = tiles_of_row(s.co, config.mr,
                              config.edge == edge_mode::balanced ? edge_mode::balanced : edge_mode::remainder);
        strips_ = cut_pixels(config, table, row_pixels_, kernels_);
        weights_ = pack_pixel_weights(s, groups, config.ic_block, tiles_, weights);
        const int widest = config.nv * config.vl;
        if (!in_place_) {
            rows_ = buffer(size(step_ * block_rows_ * s.ci + widest));  // the last vector may reach past the last row
        } else if (strips_.back().partial) {
            tail_ = buffer(size(std::ptrdiff_t{s.ci} * strips_.back().capacity));
        }
        tile_ = buffer(size(std::ptrdiff_t{config.mr} * widest));
    }

    [[nodiscard]] std::size_t scratch_size() const noexcept
    {
        return weights_.size() + rows_.size() + tail_.size() + tile_.size();
    }

    void image(const float* x, float* y, int group)
    {
        const auto& c = config_;
        const float* weights = weights_.data() + group * reduction_ * shape_.co;
        int filled = -1;
        const auto visit = [&](run_of channels, run_of rows, run_of inputs) {
            if (filled != rows.begin) fill(x, rows.begin);
            filled = rows.begin;
            block({x, weights, y}, channels, rows, inputs.begin);
        };
        visit_blocks(c.order, {c.oc_block, c.oh_block, c.ic_chunk},
                     {static_cast<int>(tiles_.size()), shape_.oh(), shape_.ci / c.ic_block}, visit);
    }

private:
    struct operands {
        const float* x;
        const float* w;
        float* y;
    };

    /// What one call of a micro-kernel computes: a tile of channels, a strip of pixels of a row, from some blocks of inputs on.
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
        if (in_place_) fill_tail(x, row);
        else if (flat_) fill_flat(x, row);
        else fill_rows(x, row);
    }

    /// In place, the last columns alone are copied: a vector there would reach past the image.
    void fill_tail(const float* x, int row)
    {
        const pixel_strip& last = strips_.back();
        if (!last.partial) return;
        moves_.gather(x + std::ptrdiff_t{row} * shape_.width + last.begin, step_, 1, tail_.data(), last.capacity,
                      shape_.ci, last.width);
    }

    /// The pixels that a pointwise convolution reads, side by side.
    void fill_flat(const float* x, int row)
    {
        const auto& s = shape_;
        const bool joined = s.stride_h == 1 && s.stride_w == 1;
        const std::ptrdiff_t line = std::ptrdiff_t{s.stride_h} * s.width;
        for (int channel = 0; channel < s.ci; ++channel) {
            moves_.gather(x + channel * in_plane_ + row * line, line, s.stride_w,
                          rows_.data() + std::ptrdiff_t{channel} * phase_pixels_, s.ow(), joined ? 1 : config_.oh_block,
                          joined ? row_pixels_ : s.ow());
        }
    }

    /// Rows in phases. Margins at the sides hold the zeros they were made with.
    void fill_rows(const float* x, int row)
    {
        const auto& s = shape_;
        const int ib = config_.ic_block, top = row * s.stride_h - s.padding_h;
        for (int r = 0; r < block_rows_; ++r) {
            const bool outside = top + r < 0 || top + r >= s.height;
            const bool unread = r % s.stride_h >= s.kernel_h;
            if (unread || (outside && clips_)) continue;
            for (int channel = 0; channel < s.ci; channel += ib) {
                float* const to =
                    rows_.data() + (std::ptrdiff_t{channel} * block_rows_ + std::ptrdiff_t{r} * ib) * step_;
                if (outside) std::fill_n(to, step_ * ib, 0.0F);
                else fill_phases(x + channel * in_plane_ + std::ptrdiff_t{top + r} * s.width, to);
            }
        }
    }

    /// A row of a block of channels: every stride-th pixel side by side.
    void fill_phases(const float* from, float* to)
    {
        const auto& s = shape_;
        for (int phase = 0; phase < phases_; ++phase, to += phase_pixels_) {
            const int missing = s.padding_w - phase;  // inputs of the phase's first windows left of the image
            const int first = missing > 0 ? (missing + s.stride_w - 1) / s.stride_w : 0;
            const int end = (std::min)(phase_pixels_, (s.width - 1 + missing + s.stride_w) / s.stride_w);
            if (first >= end) continue;
            moves_.gather(from + (std::ptrdiff_t{first} * s.stride_w - missing), in_plane_, s.stride_w, to + first,
                          step_, config_.ic_block, end - first);
        }
    }

    void block(const operands& on, run_of channels, run_of rows, int ic)
    {
        const int end = flat_ ? rows.begin + 1 : rows.end;
        const auto one = [&](int tile, int row, const pixel_strip& pixels) {
            compute(on, {tiles_[size(tile)], pixels, row, row - rows.begin, ic});
        };
        if (config_.inner == inner_order::channels_outside) {
            for (int tile = channels.begin; tile < channels.end; ++tile) {
                for (int row = rows.begin; row < end; ++row) {
                    for (const auto& pixels : strips_) one(tile, row, pixels);
                }
            }
        } else {
            for (int row = rows.begin; row < end; ++row) {
                for (const auto& pixels : strips_) {
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
        const taps rows{.first = clips_ ? (std::max)(0, -top) : 0,
                        .last = clips_ ? (std::min)(s.kernel_h, s.height - top) : s.kernel_h};
        const std::ptrdiff_t column = std::ptrdiff_t{s.kernel_h} * ib;  // of the weights: steps of one tap
        float* const y = on.y + p.channels.begin * out_plane_ + std::ptrdiff_t{p.row} * s.ow() + pixels.begin;
        tile_args a{.x = on.w + p.channels.begin * reduction_ +
                         std::ptrdiff_t{p.ic} * ib * p.channels.length * s.kernel_h * s.kernel_w + rows.first * ib,
                    .y = pixels.partial ? tile_.data() : y,
                    .x_row = column,
                    .x_block = column * p.channels.length * s.kernel_w,
                    .x_tap = column * p.channels.length,
                    .w_tap = 1,
                    .y_row = pixels.partial ? pixels.capacity : out_plane_,
                    .blocks = config_.ic_chunk,
                    .depth = (rows.last - rows.first) * ib,
                    .unroll = config_.ku,
                    .prefetch = config_.prefetch,
                    .accumulate = p.ic > 0};
        read_from(on, p, rows, a);
        const auto exchange = [&](const float* from, std::ptrdiff_t from_row, float* to, std::ptrdiff_t to_row) {
            moves_.gather(from, from_row, 1, to, to_row, p.channels.length, pixels.width);
        };
        if (pixels.partial && a.accumulate) exchange(y, out_plane_, tile_.data(), pixels.capacity);
        const tile_function run = kernels_[pixels.kernels + size(p.channels.length - 1)];
        for (int phase = 0; phase < phases_; ++phase) {
            a.taps = (s.kernel_w - phase + s.stride_w - 1) / s.stride_w;
            run(a);
            a.x += a.taps * a.x_tap;
            a.w += phase_pixels_;
            a.accumulate = true;
        }
        if (pixels.partial) exchange(tile_.data(), pixels.capacity, y, out_plane_);
    }

    /// Where the pixels lie: in the copied rows, in the copied tail, or in the image.
    void read_from(const operands& on, const part& p, const taps& rows, tile_args& a) const
    {
        const std::ptrdiff_t channel = std::ptrdiff_t{p.ic} * config_.ic_block;
        if (!in_place_) {
            const int row = (flat_ ? 0 : p.row_in_block * shape_.stride_h) + rows.first;
            a.w_step = step_;
            a.w = rows_.data() + (channel * block_rows_ + std::ptrdiff_t{row} * config_.ic_block) * step_ +
                  p.pixels.begin;
            a.w_block = config_.ic_block * block_rows_ * step_;
        } else if (p.pixels.partial) {
            a.w_step = p.pixels.capacity;
            a.w = tail_.data() + channel * a.w_step;
            a.w_block = config_.ic_block * a.w_step;
        } else {
            a.w_step = step_;
            a.w = on.x + channel * step_ + std::ptrdiff_t{p.row} * shape_.width + p.pixels.begin;
            a.w_block = config_.ic_block * step_;
        }
    }

    conv2d_shape shape_;
    nchw_config config_;
    movement moves_;
    bool clips_ = true;        // taps above and below the image are left out
    bool in_place_ = true;     // the image is read where it lies
    bool flat_ = false;        // rows of a block are one
    int phases_ = 1;           // pixels of a stride that some tap reads
    int row_pixels_ = 0;       // outputs of a row
    int phase_pixels_ = 0;     // inputs of a row's phase
    int block_rows_ = 0;       // inputs that a block reads
    std::ptrdiff_t step_ = 0;  // between two channels of an input row
    std::ptrdiff_t in_plane_ = 0, out_plane_ = 0;
    std::ptrdiff_t reduction_ = 0;  // products in an output
    std::vector<row_tile> tiles_;   // of channels
    std::vector<pixel_strip> strips_;
    std::vector<tile_function> kernels_;
    buffer weights_;  // packed
    buffer rows_;     // of the input, copied
    buffer tail_;     // the image's last columns
    buffer tile_;     // outputs of a partial strip
};

}  // namespace tunekit::kernels::detail
