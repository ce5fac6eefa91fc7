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
        : shape_(part), config_(config), moves_(table.moves), nr_(config.nv * config.vl)
    {
        const auto& s = shape_;
        const bool point = pointwise(s),
                   pads = config.pad == padding_mode::copy && (s.padding_h > 0 || s.padding_w > 0);
        copies_ = config.ic_block > 1 || (config.pad == padding_mode::copy && helps_copy(s));
        compacts_ = copies_ && point;  // the pixels that are read, side by side
        flat_ = point && (compacts_ || (s.stride_h == 1 && s.stride_w == 1));
        padding_h_ = pads ? s.padding_h : 0;
        padding_w_ = pads ? s.padding_w : 0;
        ic_blocks_ = s.ci / config.ic_block;
        oc_blocks_ = (s.co + nr_ - 1) / nr_;
        length_ = flat_ ? config.oh_block * s.ow() : s.ow();
        x_row_ = config.ic_block * (flat_ ? 1 : s.stride_w);
        in_width_ = compacts_ ? s.ow() : s.width + 2 * padding_w_;
        in_rows_ = !copies_ ? s.height : compacts_ ? config.oh_block : (config.oh_block - 1) * s.stride_h + s.kernel_h;
        split_ = config.ic_chunk < ic_blocks_;
        plane_ = std::ptrdiff_t{s.oh()} * s.ow();
        segments_ = cut_row({.length = length_,
                             .stride = flat_ ? 1 : s.stride_w,
                             .taps = s.kernel_w,
                             .padding = s.padding_w - padding_w_,
                             .width = flat_ ? length_ : in_width_},
                            config.mr, config.edge, [&](int mr) { return table.find(mr, config.nv, config.vl)->run; });
        pack_weights(groups, weights);
        if (copies_) rows_ = buffer(size(std::ptrdiff_t{s.ci} * in_rows_ * in_width_));
        if (copies_ && compacts_ && config.ic_block > 1 && s.stride_w > 1)
            strip_ = buffer(size(std::ptrdiff_t{config.ic_block} * s.ow()));
        // With the whole reduction at once a row of each channel tile waits to be transposed, else all of the output.
        row_size_ = std::ptrdiff_t{length_} * nr_;
        out_block_ = split_ ? row_size_ * (flat_ ? s.oh() / config.oh_block : s.oh()) : row_size_;
        sums_ = buffer(size(out_block_ * (split_ ? oc_blocks_ : (std::min)(config.oc_block, oc_blocks_))));
    }

    [[nodiscard]] std::size_t scratch_size() const noexcept
    {
        return weights_.size() + rows_.size() + strip_.size() + sums_.size();
    }

    void image(const float* x, float* y, int group)
    {
        const auto& c = config_;
        const float* weights = weights_.data() + group * w_block_ * ic_blocks_ * oc_blocks_;
        int filled = -1;
        visit_blocks(c.order, {c.oc_block, c.oh_block, c.ic_chunk}, {oc_blocks_, shape_.oh(), ic_blocks_},
                     [&](run_of o, run_of r, run_of i) {
                         if (copies_ && filled != r.begin) fill(x, filled = r.begin);
                         block({copies_ ? rows_.data() : x, weights, y}, o, r, i.begin);
                     });
    }

private:
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
        w_tap_ = std::ptrdiff_t{s.kernel_w} * ib * nr_;
        w_block_ = w_tap_ * s.kernel_h;
        weights_ = buffer(size(w_block_ * ic_blocks_ * oc_blocks_ * groups));
        for (int g = 0; g < groups; ++g) {
            for (int o = 0; o < s.co; ++o) {
                for (int i = 0; i < s.ci; ++i) {
                    const float* from = oihw + ((std::ptrdiff_t{g} * s.co + o) * s.ci + i) * taps;
                    const std::ptrdiff_t block = (std::ptrdiff_t{g} * oc_blocks_ + o / nr_) * ic_blocks_ + i / ib;
                    float* to = weights_.data() + block * w_block_ + (i % ib) * nr_ + o % nr_;
                    for (int t = 0; t < taps; ++t) to[std::ptrdiff_t{t} * ib * nr_] = from[t];
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
        const std::ptrdiff_t image = std::ptrdiff_t{s.height} * s.width, to_row = std::ptrdiff_t{in_width_} * ib;
        for (int b = 0; b < ic_blocks_; ++b) {
            const float* from = x + b * ib * image;
            float* to = rows_.data() + b * in_rows_ * to_row;
            if (compacts_ && s.stride_w > 1) {
                for (int p = 0; p < in_rows_; ++p, to += to_row)
                    gather(from + std::ptrdiff_t{row + p} * s.stride_h * s.width, image, to);
            } else if (padding_w_ == 0 && (s.stride_h == 1 || !compacts_)) {
                const int first = (std::max)(top, 0),
                          end = (std::min)(top + in_rows_, s.height);  // rows without margins are one
                if (padding_h_ > 0) {
                    std::fill_n(to, (first - top) * to_row, 0.0F);
                    std::fill_n(to + (end - top) * to_row, (top + in_rows_ - end) * to_row, 0.0F);
                }
                if (first < end) {
                    move(from + std::ptrdiff_t{first} * s.width, image, to + (first - top) * to_row,
                         (end - first) * s.width);
                }
            } else {
                for (int r = 0; r < in_rows_; ++r, to += to_row) {
                    const int h = compacts_ ? (row + r) * s.stride_h : top + r;
                    if (h >= 0 && h < s.height)
                        move(from + std::ptrdiff_t{h} * s.width, image, to + std::ptrdiff_t{padding_w_} * ib, s.width);
                    else if (padding_h_ > 0) std::fill_n(to, to_row, 0.0F);
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
        moves_.gather(from, image, shape_.stride_w, ib == 1 ? to : strip_.data(), pixels, ib, pixels);
        if (ib > 1) moves_.transpose(strip_.data(), pixels, to, ib, ib, pixels);
    }

    void block(const operands& p, run_of oc, run_of rows, int ic)
    {
        const int end = flat_ ? rows.begin + 1 : rows.end;
        if (config_.inner == inner_order::channels_outside) {
            for (int o = oc.begin; o < oc.end; ++o) {
                for (int r = rows.begin; r < end; ++r) {
                    const row_view row = view(p, r, r - rows.begin, ic);
                    for (const auto& s : segments_) compute(row, o, o - oc.begin, ic, s);
                    finish(p, row, o, o - oc.begin, r, ic);
                }
            }
        } else {
            for (int r = rows.begin; r < end; ++r) {
                const row_view row = view(p, r, r - rows.begin, ic);
                for (const auto& s : segments_) {
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
        const bool clips = padding_h_ == 0 && !flat_;
        const int first = clips ? (std::max)(0, -top) : 0,
                  last = clips ? (std::min)(s.kernel_h, s.height - top) : s.kernel_h;
        const int at = copies_ ? (flat_ ? 0 : row_in_block * s.stride_h) : top;
        float* const sums = sums_.data() + (split_ ? (flat_ ? row / config_.oh_block : row) * row_size_ : 0);
        return {p.x + (std::ptrdiff_t{ic} * in_rows_ + at + first) * in_width_ * config_.ic_block,
                p.w + ic * w_block_ + first * w_tap_, sums, last - first};
    }

    void compute(const row_view& row, int o, int o_in_block, int ic, const segment& s) const
    {
        float* const sums = row.sums + (split_ ? o : o_in_block) * out_block_;
        if (s.clears && ic == 0)
            std::fill_n(sums + std::ptrdiff_t{s.tile_pixel} * nr_, std::ptrdiff_t{s.tile_pixels} * nr_, 0.0F);
        s.run({.x = row.x + std::ptrdiff_t{s.input} * config_.ic_block,
               .w = row.w + std::ptrdiff_t{o} * ic_blocks_ * w_block_ + std::ptrdiff_t{s.tap} * config_.ic_block * nr_,
               .y = sums + std::ptrdiff_t{s.pixel} * nr_,
               .x_row = x_row_,
               .x_block = std::ptrdiff_t{in_rows_} * in_width_ * config_.ic_block,
               .x_tap = std::ptrdiff_t{in_width_} * config_.ic_block,
               .w_step = nr_,
               .w_block = w_block_,
               .w_tap = w_tap_,
               .y_row = nr_,
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
        if (ic + config_.ic_chunk < ic_blocks_) return;
        const float* sums = row.sums + (split_ ? o : o_in_block) * out_block_;
        moves_.transpose(sums, nr_, p.y + std::ptrdiff_t{o} * nr_ * plane_ + std::ptrdiff_t{r} * shape_.ow(), plane_,
                         length_, (std::min)(nr_, shape_.co - o * nr_));
    }

    conv2d_shape shape_;
    nchw_config config_;
    movement moves_;
    int nr_ = 0, ic_blocks_ = 0, oc_blocks_ = 0;
    bool copies_ = false, compacts_ = false, flat_ = false, split_ = false;
    int padding_h_ = 0, padding_w_ = 0, length_ = 0, in_width_ = 0, in_rows_ = 0;
    std::ptrdiff_t x_row_ = 0, plane_ = 0, w_tap_ = 0, w_block_ = 0, row_size_ = 0, out_block_ = 0;
    std::vector<segment> segments_;
    buffer weights_, rows_, strip_, sums_;
};

}  // namespace tunekit::kernels::detail
