// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Direct convolution in blocked layouts: run-time blocking around a table of micro-kernels.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/detail/blocked.hpp"
#include "tunekit/kernels/detail/rows.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels {

/// A direct convolution in a number format whose `group` is 1, made from a configuration. It is planned once and runs
/// many times without allocation.
///
///     conv2d_kernel kernel(shape, config, kernel_table(), weights);       // weights OIHW
///     kernel.pack_input(x, blocked_x);
///     kernel.run(blocked_x, blocked_y);
///     kernel.unpack_output(blocked_y, y);
///
/// Input is [batch][ci / ic_block][height][width][ic_block], output [batch][ceil(co / nr)][oh][ow][nr] with nr = nv vl.
/// Padding channels in the last output block are 0. Each group is a separate convolution over its blocks; nr must then
/// divide its output channels.
///
/// Errors:  std::invalid_argument from the constructor where the configuration does not fit the shape or the table.
/// Cost:    shape.macs() fused multiply-adds and, with padding_mode::copy, one pass over the input, per run.
/// Threads: distinct objects are independent; one object has one `run` at a time (it owns the scratch). A run can be
///          divided: shares of the input can be copied at the same time, and then pieces that do not overlap computed.
template <class Format = formats::fp32>
class conv2d_kernel {
    using call = detail::tile_args<Format>;

public:
    static_assert(Format::group == 1, "the layouts of blocked channels keep single elements side by side");
    using element = typename Format::sum;            ///< of inputs, weights and outputs
    using table = detail::product_table_of<Format>;  ///< the micro-kernels

    /// Packs the weights, which are OIHW.
    conv2d_kernel(const conv2d_shape& shape, const conv2d_config& config, const table& tiles,
                  std::span<const element> weights)
        : shape_(shape), config_(config)
    {
        detail::require_valid(shape);
        part_ = detail::group_of(shape);
        check(tiles);
        require(weights.size() == static_cast<std::size_t>(shape.weights()),
                "conv2d_kernel: weights of another size, want OIHW");
        nr_ = config.nv * config.vl;
        ic_blocks_ = part_.ci / config.ic_block;
        oc_blocks_ = (part_.co + nr_ - 1) / nr_;
        plan_geometry();
        segments_ =
            detail::cut_row({.length = rows_length_,
                             .stride = stride_w_,
                             .taps = flat_ ? 1 : shape.kernel_w,
                             .padding = copies_ ? 0 : shape.padding_w,
                             .width = flat_ ? rows_length_ : in_width_},
                            config.mr, config.edge, [&](int mr) { return tiles.find(mr, config.nv, config.vl)->run; });
        pack_weights(weights);
        whole_ = piece_of({0, images()}, {0, oc_blocks_}, {0, row_blocks()});
    }

    /// From `begin` to the one before `end`.
    struct range {
        int begin = 0;  ///< The first.
        int end = 0;    ///< One behind the last.
    };

    /// A part of the output: ranges of images (of a batch, each with its groups one behind the other), of each one's
    /// blocks of channels and of its blocks of rows.
    class piece {
        friend conv2d_kernel;
        range images, channels, rows;
        std::vector<call> calls;  // by segment
    };

    [[nodiscard]] const conv2d_shape& shape() const noexcept { return shape_; }
    [[nodiscard]] const conv2d_config& config() const noexcept { return config_; }
    [[nodiscard]] std::size_t input_size() const noexcept { return static_cast<std::size_t>(shape_.inputs()); }
    [[nodiscard]] std::size_t output_size() const noexcept
    {
        return static_cast<std::size_t>(shape_.batch * shape_.groups * oc_blocks_) *
               static_cast<std::size_t>(shape_.oh() * shape_.ow() * nr_);
    }
    /// The number of elements kept for packed weights and padded input.
    [[nodiscard]] std::size_t scratch_size() const noexcept { return weights_.size() + padded_.size(); }

    /// Converts NCHW to the kernel's input layout.
    void pack_input(std::span<const element> nchw, std::span<element> blocked) const
    {
        require(nchw.size() == input_size() && blocked.size() == input_size(),
                "conv2d_kernel.pack_input: want input_size() elements");
        detail::pack_channels<element>(nchw, shape_.batch * shape_.groups * ic_blocks_, config_.ic_block,
                                       shape_.height * shape_.width, blocked);
    }

    /// Converts the kernel's output layout to NCHW.
    void unpack_output(std::span<const element> blocked, std::span<element> nchw) const
    {
        require(blocked.size() == output_size() && nchw.size() == static_cast<std::size_t>(shape_.outputs()),
                "conv2d_kernel.unpack_output: want output_size() and shape().outputs() elements");
        detail::unpack_channels<element>(blocked, shape_.batch, shape_.co, shape_.oh() * shape_.ow(), nr_, nchw);
    }

    /// Computes y, the convolution of x, both in the kernel's layouts. Preconditions: input_size() and output_size()
    /// elements; no overlap.
    void run(const element* x, element* y)
    {
        copy_input(x, 0, 1);
        compute(x, y, whole_);
    }

    /// The number of images that a piece can take some of: each group of a batch's image counts.
    [[nodiscard]] int images() const noexcept { return shape_.batch * shape_.groups; }
    /// The number of blocks of output channels of each of them.
    [[nodiscard]] int channel_blocks() const noexcept { return oc_blocks_; }
    /// The number of blocks of `oh_block` output rows.
    [[nodiscard]] int row_blocks() const noexcept { return shape_.oh() / config_.oh_block; }
    /// Whether a run begins with a copy of its input.
    [[nodiscard]] bool copies() const noexcept { return copies_; }

    /// The piece of these images, blocks of channels and blocks of rows. Precondition: all are within the output.
    [[nodiscard]] piece piece_of(range images, range channels, range rows) const
    {
        piece out;
        out.images = images;
        out.channels = channels;
        out.rows = rows;
        for (const auto& s : segments_) out.calls.push_back(call_of(s));
        return out;
    }

    /// Copies share `i` of `n` of the input into the scratch, where the configuration says so.
    void copy_input(const element* x, int i, int n)
    {
        if (!copies_) return;
        const std::ptrdiff_t blocks = std::ptrdiff_t{images()} * ic_blocks_;
        for (std::ptrdiff_t block = blocks * i / n; block < blocks * (i + 1) / n; ++block) copy_padded(x, block);
    }

    /// Computes a piece of y. Precondition: all shares of the input x were copied.
    void compute(const element* x, element* y, piece& p) const
    {
        const element* const from = copies_ ? padded_.data() : x;
        for (int i = p.images.begin; i < p.images.end; ++i)
            image(from + i * in_block_ * ic_blocks_, weights_.data() + i % shape_.groups * group_weights(),
                  y + i * out_block_ * oc_blocks_, p);
    }

private:
    using segment = detail::segment_of<detail::tile_function<Format>>;
    using elements = buffer<element>;

    void check(const table& tiles) const
    {
        const auto& c = config_;
        const auto refuse = [](const char* name, int value, const char* want) {
            invalid("conv2d_config: " + std::string(name) + " is " + std::to_string(value) + ", want " + want);
        };
        for (int mr = 1; mr <= (std::max)(c.mr, 1); ++mr) {
            if (c.mr > 0 && tiles.find(mr, c.nv, c.vl) != nullptr) continue;
            invalid("conv2d_config: no tile " + std::to_string(c.mr) + " x " + std::to_string(c.nv) + " x " +
                    std::to_string(c.vl) + " in the table, want one of its tiles");
        }
        if (c.ku != 0 && c.ku != 1 && c.ku != 2 && c.ku != 4 && c.ku != 8) refuse("ku", c.ku, "1, 2, 4 or 8");
        if (c.prefetch < 0) refuse("prefetch", c.prefetch, ">= 0");
        if (c.ic_block < 1 || part_.ci % c.ic_block != 0)
            refuse("ic_block", c.ic_block, "a divisor of the input channels");
        if (c.ic_chunk < 1 || part_.ci / c.ic_block % c.ic_chunk != 0)
            refuse("ic_chunk", c.ic_chunk, "a divisor of the input blocks");
        if (c.oh_block < 1 || shape_.oh() % c.oh_block != 0)
            refuse("oh_block", c.oh_block, "a divisor of the output height");
        if (c.oc_block < 1) refuse("oc_block", c.oc_block, ">= 1");
        require(shape_.groups == 1 || part_.co % (c.nv * c.vl) == 0,
                "conv2d_config: nv vl is " + std::to_string(c.nv * c.vl) + ", want a divisor of a group's " +
                    std::to_string(part_.co) + " output channels");
        require(c.edge != edge_mode::overlap || c.ic_chunk * c.ic_block == part_.ci,
                "conv2d_config: edge is overlap with a split reduction, want ic_chunk to take all input blocks");
    }

    void plan_geometry()
    {
        const auto& s = shape_;
        const bool pointwise = s.kernel_h == 1 && s.kernel_w == 1;  // then padding is 0
        copies_ = config_.pad == padding_mode::copy && detail::helps_copy(s);
        const bool compacts = copies_ && pointwise;  // the strided pixels alone are copied, side by side
        stride_h_ = compacts ? 1 : s.stride_h;
        stride_w_ = compacts ? 1 : s.stride_w;
        in_height_ = compacts ? s.oh() : copies_ ? s.height + 2 * s.padding_h : s.height;
        in_width_ = compacts ? s.ow() : copies_ ? s.width + 2 * s.padding_w : s.width;
        in_block_ = std::ptrdiff_t{in_height_} * in_width_ * config_.ic_block;
        out_block_ = std::ptrdiff_t{s.oh()} * s.ow() * nr_;
        // Pixels of a pointwise convolution without stride lie side by side across rows: the rows of a block become
        // one.
        flat_ = pointwise && stride_h_ == 1 && stride_w_ == 1;
        rows_per_block_ = flat_ ? 1 : config_.oh_block;
        rows_length_ = flat_ ? config_.oh_block * s.ow() : s.ow();
        if (copies_)
            padded_ = elements(static_cast<std::size_t>(s.batch * s.groups * ic_blocks_) *
                               static_cast<std::size_t>(in_block_));
    }

    void pack_weights(std::span<const element> oihw)
    {
        const auto& s = shape_;
        const int ib = config_.ic_block, taps = s.kernel_h * s.kernel_w;
        w_tap_ = std::ptrdiff_t{s.kernel_w} * ib * nr_;
        w_block_ = w_tap_ * s.kernel_h;
        weights_ = elements(static_cast<std::size_t>(group_weights() * s.groups));
        for (int o = 0; o < s.co; ++o) {
            const int block = o / part_.co * oc_blocks_ + o % part_.co / nr_, lane = o % part_.co % nr_;
            for (int i = 0; i < part_.ci; ++i) {
                const element* from = oihw.data() + (std::ptrdiff_t{o} * part_.ci + i) * taps;
                element* to =
                    weights_.data() + (std::ptrdiff_t{block} * ic_blocks_ + i / ib) * w_block_ + (i % ib) * nr_ + lane;
                for (int t = 0; t < taps; ++t) to[std::ptrdiff_t{t} * ib * nr_] = from[t];
            }
        }
    }

    [[nodiscard]] std::ptrdiff_t group_weights() const noexcept { return w_block_ * ic_blocks_ * oc_blocks_; }

    /// One block of channels of the input.
    void copy_padded(const element* x, std::ptrdiff_t block)
    {
        const auto& s = shape_;
        const int ib = config_.ic_block;
        const std::size_t pixel = static_cast<std::size_t>(ib) * sizeof(element);
        const element* from = x + block * s.height * s.width * ib;
        element* to = padded_.data() + block * in_block_;
        if (s.kernel_h == 1 && s.kernel_w == 1) {
            for (int p = 0; p < s.oh(); ++p) {
                for (int q = 0; q < s.ow(); ++q, to += ib) {
                    std::memcpy(to, from + (std::ptrdiff_t{p} * s.stride_h * s.width + q * s.stride_w) * ib, pixel);
                }
            }
        } else {
            to += (std::ptrdiff_t{s.padding_h} * in_width_ + s.padding_w) * ib;
            for (int h = 0; h < s.height; ++h) {
                std::memcpy(to + std::ptrdiff_t{h} * in_width_ * ib, from + std::ptrdiff_t{h} * s.width * ib,
                            pixel * static_cast<std::size_t>(s.width));
            }
        }
    }

    /// The three outer loops over a piece of one group of one image, in the configured order.
    void image(const element* x, const element* w, element* y, piece& p) const
    {
        const int steps[3] = {config_.oc_block, rows_per_block_, config_.ic_chunk};
        const int begins[3] = {p.channels.begin, p.rows.begin * rows_per_block_, 0};
        const int ends[3] = {p.channels.end, p.rows.end * rows_per_block_, ic_blocks_};
        const auto nest = detail::loops_of(config_.order);
        int at[3];
        for (at[nest[0]] = begins[nest[0]]; at[nest[0]] < ends[nest[0]]; at[nest[0]] += steps[nest[0]]) {
            for (at[nest[1]] = begins[nest[1]]; at[nest[1]] < ends[nest[1]]; at[nest[1]] += steps[nest[1]]) {
                for (at[nest[2]] = begins[nest[2]]; at[nest[2]] < ends[nest[2]]; at[nest[2]] += steps[nest[2]]) {
                    block(x, w, y, {at[0], (std::min)(at[0] + steps[0], ends[0])}, {at[1], at[1] + steps[1]}, at[2],
                          p.calls);
                }
            }
        }
    }

    void block(const element* x, const element* w, element* y, range oc, range rows, int ic,
               std::vector<call>& calls) const
    {
        if (config_.inner == inner_order::channels_outside) {
            for (int o = oc.begin; o < oc.end; ++o) {
                for (int r = rows.begin; r < rows.end; ++r) {
                    const row_view row = view(x, w, y, r, ic);
                    for (std::size_t s = 0; s < calls.size(); ++s) compute_row(row, o, ic, segments_[s], calls[s]);
                }
            }
        } else {
            for (int r = rows.begin; r < rows.end; ++r) {
                const row_view row = view(x, w, y, r, ic);
                for (std::size_t s = 0; s < calls.size(); ++s) {
                    for (int o = oc.begin; o < oc.end; ++o) compute_row(row, o, ic, segments_[s], calls[s]);
                }
            }
        }
    }

    /// What a call of this segment's micro-kernel has in common for all rows and channels.
    [[nodiscard]] call call_of(const segment& s) const
    {
        return {.x_row = std::ptrdiff_t{stride_w_} * config_.ic_block,
                .x_block = in_block_,
                .x_tap = std::ptrdiff_t{in_width_} * config_.ic_block,
                .w_step = nr_,
                .w_block = w_block_,
                .w_tap = w_tap_,
                .y_row = nr_,
                .blocks = config_.ic_chunk,
                .depth = s.taps * config_.ic_block,
                .unroll = config_.ku,
                .prefetch = config_.prefetch};
    }

    /// One output row: where its inputs, weights and outputs begin, and the taps of its windows inside the image.
    struct row_view {
        const element* x;
        const element* w;
        element* y;
        int taps;
    };

    [[nodiscard]] row_view view(const element* x, const element* w, element* y, int row, int ic) const
    {
        const int top = flat_ ? row * config_.oh_block : row * stride_h_ - (copies_ ? 0 : shape_.padding_h);
        const int first = (std::max)(0, -top), last = (std::min)(flat_ ? 1 : shape_.kernel_h, in_height_ - top);
        return {x + ic * in_block_ + std::ptrdiff_t{top + first} * in_width_ * config_.ic_block,
                w + ic * w_block_ + first * w_tap_, y + std::ptrdiff_t{row} * rows_length_ * nr_, last - first};
    }

    void compute_row(const row_view& row, int o, int ic, const segment& s, call& to) const
    {
        element* const y = row.y + o * out_block_;
        if (s.clears && ic == 0)
            std::fill_n(y + std::ptrdiff_t{s.tile_pixel} * nr_, std::ptrdiff_t{s.tile_pixels} * nr_, element{});
        to.x = row.x + std::ptrdiff_t{s.input} * config_.ic_block;
        to.w = row.w + std::ptrdiff_t{o} * ic_blocks_ * w_block_ + std::ptrdiff_t{s.tap} * config_.ic_block * nr_;
        to.y = y + std::ptrdiff_t{s.pixel} * nr_;
        to.taps = row.taps;
        to.accumulate = ic > 0 || s.accumulates;
        s.run(to);
    }

    conv2d_shape shape_, part_;  // all of it, and one group
    conv2d_config config_;
    int nr_ = 0, ic_blocks_ = 0, oc_blocks_ = 0;
    bool copies_ = false, flat_ = false;
    int stride_h_ = 1, stride_w_ = 1, in_height_ = 0, in_width_ = 0, rows_per_block_ = 1, rows_length_ = 0;
    std::ptrdiff_t in_block_ = 0, out_block_ = 0, w_block_ = 0, w_tap_ = 0;
    std::vector<segment> segments_;
    piece whole_;
    elements weights_, padded_;
};

}  // namespace tunekit::kernels
