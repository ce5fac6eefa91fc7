// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Convolution of plain NCHW images with output pixels in vectors and weights broadcast.

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/nchw_parts.hpp"
#include "tunekit/kernels/rows.hpp"

namespace tunekit::kernels::detail {

/// One image and group at a time. Rows of a tile are output channels, its columns pixels of a row; the rows of a block
/// of a pointwise convolution are joined into one.
///
/// Input is read in place (`pixels_in_place`), or copied per block of rows into
/// [ic / ic_block][row][ic_block][phase][pixel]: a phase holds every stride-th pixel, so that a tap's inputs lie side
/// by side, and the channels of all kernel rows follow each other at one distance, so that they are one loop.
class nchw_pixel {
public:
    nchw_pixel(const conv2d_shape& part, int groups, const nchw_config& config, const tile_table& table,
               const float* weights)
        : shape_(part),
          config_(config),
          moves_(table.moves),
          in_place_(pixels_in_place(part, config.pad)),
          flat_(pointwise(part))
    {
        const auto& s = shape_;
        phases_ = flat_ ? 1 : (std::min)(s.stride_w, s.kernel_w);
        length_ = flat_ ? config.oh_block * s.ow() : s.ow();
        pitch_ = flat_ ? length_ : s.ow() + (s.kernel_w - 1) / s.stride_w;
        in_rows_ = flat_ ? 1 : (config.oh_block - 1) * s.stride_h + s.kernel_h;
        w_step_ = in_place_ ? std::ptrdiff_t{s.height} * s.width : std::ptrdiff_t{phases_} * pitch_;
        plane_ = std::ptrdiff_t{s.oh()} * s.ow();
        reduction_ = std::ptrdiff_t{s.ci} * s.kernel_h * s.kernel_w;
        tiles_ = tiles_of_row(s.co, config.mr,
                              config.edge == edge_mode::balanced ? edge_mode::balanced : edge_mode::remainder);
        strips_ = cut_pixels(config, table, length_, kernels_);
        weights_ = pack_pixel_weights(s, groups, config.ic_block, tiles_, weights);
        if (in_place_) {
            if (strips_.back().partial) tail_ = buffer(size(std::ptrdiff_t{s.ci} * strips_.back().capacity));
        } else {
            rows_ = buffer(size(w_step_ * in_rows_ * s.ci +
                                config.nv * config.vl));  // the last vector may reach past the last row
        }
        tile_ = buffer(size(std::ptrdiff_t{config.mr} * config.nv * config.vl));
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
        visit_blocks(c.order, {c.oc_block, c.oh_block, c.ic_chunk},
                     {count(tiles_), shape_.oh(), shape_.ci / c.ic_block}, [&](run_of o, run_of r, run_of i) {
                         if (filled != r.begin) {
                             if (in_place_)
                                 fill_tail(x, r.begin);
                             else
                                 fill(x, r.begin);
                             filled = r.begin;
                         }
                         block({x, weights, y}, o, r, i.begin);
                     });
    }

private:
    using strip = pixel_strip;
    struct operands {
        const float* x;
        const float* w;
        float* y;
    };

    static std::size_t size(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }
    template <class V>
    static int count(const V& v)
    {
        return static_cast<int>(v.size());
    }

    /// Copies what the block of output rows from `row` reads. Margins hold the zeros they were made with.
    void fill(const float* x, int row)
    {
        const auto& s = shape_;
        const std::ptrdiff_t image = std::ptrdiff_t{s.height} * s.width;
        if (flat_) {
            const bool joined = s.stride_h == 1 && s.stride_w == 1;
            for (int i = 0; i < s.ci; ++i) {
                moves_.gather(x + i * image + std::ptrdiff_t{row} * s.stride_h * s.width,
                              std::ptrdiff_t{s.stride_h} * s.width, s.stride_w,
                              rows_.data() + std::ptrdiff_t{i} * pitch_, s.ow(), joined ? 1 : config_.oh_block,
                              joined ? length_ : s.ow());
            }
            return;
        }
        const int top = row * s.stride_h - s.padding_h;
        for (int r = 0; r < in_rows_; ++r) {
            const int h = top + r;
            const bool outside = h < 0 || h >= s.height;
            if (r % s.stride_h >= s.kernel_h || (outside && config_.pad == padding_mode::clip)) continue;
            for (int b = 0; b < s.ci; b += config_.ic_block) {
                float* to =
                    rows_.data() + (std::ptrdiff_t{b} * in_rows_ + std::ptrdiff_t{r} * config_.ic_block) * w_step_;
                if (outside) {
                    std::fill_n(to, w_step_ * config_.ic_block, 0.0F);
                    continue;
                }
                const float* from = x + b * image + std::ptrdiff_t{h} * s.width;
                for (int f = 0; f < phases_; ++f, to += pitch_) {
                    const int missing = s.padding_w - f;  // inputs of the phase's first windows left of the image
                    const int first = missing > 0 ? (missing + s.stride_w - 1) / s.stride_w : 0;
                    const int end = (std::min)(pitch_, (s.width - 1 + missing + s.stride_w) / s.stride_w);
                    if (first >= end) continue;
                    moves_.gather(from + (std::ptrdiff_t{first} * s.stride_w - missing), image, s.stride_w, to + first,
                                  w_step_, config_.ic_block, end - first);
                }
            }
        }
    }

    /// In place, the last columns alone are copied: a vector there would reach past the image.
    void fill_tail(const float* x, int row)
    {
        const strip& last = strips_.back();
        if (!last.partial) return;
        moves_.gather(x + std::ptrdiff_t{row} * shape_.width + last.begin, w_step_, 1, tail_.data(), last.capacity,
                      shape_.ci, last.width);
    }

    void block(const operands& p, run_of oc, run_of rows, int ic)
    {
        const int end = flat_ ? rows.begin + 1 : rows.end;
        if (config_.inner == inner_order::channels_outside) {
            for (int o = oc.begin; o < oc.end; ++o) {
                for (int r = rows.begin; r < end; ++r) {
                    for (const auto& c : strips_)
                        compute(p, tiles_[size(o)], r, r - rows.begin, c, ic);
                }
            }
        } else {
            for (int r = rows.begin; r < end; ++r) {
                for (const auto& c : strips_) {
                    for (int o = oc.begin; o < oc.end; ++o)
                        compute(p, tiles_[size(o)], r, r - rows.begin, c, ic);
                }
            }
        }
    }

    void compute(const operands& p, const row_tile& t, int row, int row_in_block, const strip& c, int ic)
    {
        const auto& s = shape_;
        const int ib = config_.ic_block;
        const std::ptrdiff_t taps = std::ptrdiff_t{s.kernel_h} * ib;  // steps of one tap's column
        const int top = row * s.stride_h - s.padding_h;
        const int first = config_.pad == padding_mode::clip ? (std::max)(0, -top) : 0;
        const int last = config_.pad == padding_mode::clip ? (std::min)(s.kernel_h, s.height - top) : s.kernel_h;
        float* const y = p.y + t.begin * plane_ + std::ptrdiff_t{row} * s.ow() + c.begin;
        tile_args a{
            .x = p.w + t.begin * reduction_ + std::ptrdiff_t{ic} * ib * t.length * s.kernel_h * s.kernel_w + first * ib,
            .y = c.partial ? tile_.data() : y,
            .x_row = taps,
            .x_block = taps * t.length * s.kernel_w,
            .x_tap = taps * t.length,
            .w_step = w_step_,
            .w_tap = 1,
            .y_row = c.partial ? c.capacity : plane_,
            .blocks = config_.ic_chunk,
            .depth = (last - first) * ib,
            .unroll = config_.ku,
            .prefetch = config_.prefetch,
            .accumulate = ic > 0};
        if (!in_place_) {
            const std::ptrdiff_t row_size = w_step_ * ib;
            a.w = rows_.data() +
                  (std::ptrdiff_t{ic} * in_rows_ + (flat_ ? 0 : row_in_block * s.stride_h) + first) * row_size +
                  c.begin;
            a.w_block = row_size * in_rows_;
        } else if (c.partial) {
            a.w = tail_.data() + std::ptrdiff_t{ic} * ib * c.capacity;
            a.w_step = c.capacity;
            a.w_block = std::ptrdiff_t{ib} * c.capacity;
        } else {
            a.w = p.x + std::ptrdiff_t{ic} * ib * w_step_ + std::ptrdiff_t{row} * s.width + c.begin;
            a.w_block = ib * w_step_;
        }
        if (c.partial && a.accumulate) moves_.gather(y, plane_, 1, tile_.data(), c.capacity, t.length, c.width);
        const tile_function run = kernels_[c.kernels + size(t.length - 1)];
        for (int f = 0; f < phases_; ++f) {
            a.taps = (s.kernel_w - f + s.stride_w - 1) / s.stride_w;
            run(a);
            a.x += a.taps * a.x_tap;
            a.w += pitch_;
            a.accumulate = true;
        }
        if (c.partial) moves_.gather(tile_.data(), c.capacity, 1, y, plane_, t.length, c.width);
    }

    conv2d_shape shape_;
    nchw_config config_;
    movement moves_;
    bool in_place_ = false, flat_ = false;
    int phases_ = 1, length_ = 0, pitch_ = 0, in_rows_ = 0;
    std::ptrdiff_t w_step_ = 0, plane_ = 0, reduction_ = 0;
    std::vector<row_tile> tiles_;  // of channels
    std::vector<strip> strips_;
    std::vector<tile_function> kernels_;
    buffer weights_, rows_, tail_, tile_;
};

}  // namespace tunekit::kernels::detail
