// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Depthwise convolution in its two layouts, a plane or a block of channels at a time.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/detail/rows.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels::detail {

/// The weights of blocks of `width` channels, [block][tap][channel], from [channel][tap].
[[nodiscard]] inline buffer<> pack_taps(const conv2d_shape& s, int width, std::span<const float> oihw)
{
    const int taps = s.kernel_h * s.kernel_w, blocks = (s.ci + width - 1) / width;
    buffer out(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(taps * width));
    for (int c = 0; c < s.ci; ++c) {
        for (int t = 0; t < taps; ++t) {
            const int to = (c / width * taps + t) * width + c % width;
            out[static_cast<std::size_t>(to)] = oihw[static_cast<std::size_t>(c * taps + t)];
        }
    }
    return out;
}

/// Channels in vectors: input and output are blocks of nv vl channels, of which the last is filled up with zeros.
class depthwise_by_channel {
public:
    depthwise_by_channel(const conv2d_shape& shape, const depthwise_config& config, const tile_table& table,
                         std::span<const float> oihw)
        : shape_(shape), config_(config), moves_(table.moves), width_(config.nv * config.vl)
    {
        const auto& s = shape_;
        copies_ = config.pad == padding_mode::copy && (s.padding_h > 0 || s.padding_w > 0);
        in_width_ = copies_ ? s.width + 2 * s.padding_w : s.width;
        segments_ = cut_row(
            {.length = s.ow(),
             .stride = s.stride_w,
             .taps = s.kernel_w,
             .padding = copies_ ? 0 : s.padding_w,
             .width = in_width_},
            config.mr, edge_mode::balanced,
            [&](int mr) { return table.find_depthwise(vectorise_mode::channel, mr, config.nv, config.vl, 0, 0)->run; });
        weights_ = pack_taps(s, width_, oihw);
        in_rows_ = (config.oh_block - 1) * s.stride_h + s.kernel_h;
        if (copies_) rows_ = buffer(static_cast<std::size_t>(in_rows_) * static_cast<std::size_t>(in_width_ * width_));
    }

    [[nodiscard]] std::size_t scratch_size() const noexcept { return weights_.size() + rows_.size(); }

    void image(const float* x, float* y)
    {
        const auto& s = shape_;
        const std::ptrdiff_t in = std::ptrdiff_t{s.height} * s.width * width_,
                             out = std::ptrdiff_t{s.oh()} * s.ow() * width_;
        const float* w = weights_.data();
        for (int c = 0; c < s.ci; c += width_, x += in, y += out, w += s.kernel_h * s.kernel_w * width_) {
            for (int r = 0; r < s.oh(); ++r) {
                if (copies_ && r % config_.oh_block == 0) fill(x, r * s.stride_h - s.padding_h);
                row(x, w, y + std::ptrdiff_t{r} * s.ow() * width_, r);
            }
        }
    }

private:
    void fill(const float* x, int top)
    {
        const auto& s = shape_;
        const std::ptrdiff_t pitch = std::ptrdiff_t{in_width_} * width_, line = std::ptrdiff_t{s.width} * width_;
        const int first = (std::max)(top, 0), end = (std::min)(top + in_rows_, s.height);
        std::fill_n(rows_.data(), (first - top) * pitch, 0.0F);
        std::fill_n(rows_.data() + (end - top) * pitch, (top + in_rows_ - end) * pitch, 0.0F);
        moves_.gather(x + first * line, line, 1,
                      rows_.data() + (first - top) * pitch + std::ptrdiff_t{s.padding_w} * width_, pitch, end - first,
                      s.width * width_);
    }

    void row(const float* x, const float* w, float* y, int row) const
    {
        const auto& s = shape_;
        const int top = row * s.stride_h - s.padding_h;
        const int first = copies_ ? 0 : (std::max)(0, -top),
                  last = copies_ ? s.kernel_h : (std::min)(s.kernel_h, s.height - top);
        const float* from = copies_ ? rows_.data() : x;
        const int at = copies_ ? row % config_.oh_block * s.stride_h : top + first;
        for (const auto& part : segments_) {
            if (part.clears)
                std::fill_n(y + std::ptrdiff_t{part.tile_pixel} * width_, std::ptrdiff_t{part.tile_pixels} * width_,
                            0.0F);
            part.run({.x = from + (std::ptrdiff_t{at} * in_width_ + part.input) * width_,
                      .w = w + (std::ptrdiff_t{first} * s.kernel_w + part.tap) * width_,
                      .y = y + std::ptrdiff_t{part.pixel} * width_,
                      .x_row = std::ptrdiff_t{in_width_} * width_,
                      .x_next = std::ptrdiff_t{s.stride_w} * width_,
                      .x_tap = width_,
                      .w_row = std::ptrdiff_t{s.kernel_w} * width_,
                      .w_tap = width_,
                      .y_row = width_,
                      .kernel_h = last - first,
                      .kernel_w = part.taps,
                      .accumulate = part.accumulates});
        }
    }

    conv2d_shape shape_;
    depthwise_config config_;
    movement moves_;
    int width_ = 0, in_width_ = 0, in_rows_ = 0;
    bool copies_ = false;
    std::vector<segment_of<depthwise_function>> segments_;
    buffer<> weights_, rows_;
};

/// The same by sweeps over bands of whole rows. Rows above and below the image are a row of zeros.
class depthwise_by_sweep {
public:
    depthwise_by_sweep(const conv2d_shape& shape, const depthwise_config& config, const tile_table& table,
                       std::span<const float> oihw)
        : shape_(shape), vl_(config.vl), width_(config.nv * config.vl), weights_(pack_taps(shape, width_, oihw))
    {
        for (const auto& rows : tiles_of_row(shape.oh(), config.mr, edge_mode::balanced)) {
            bands_.push_back({.first = rows.begin,
                              .lines = (rows.length - 1) * shape.stride_h + shape.kernel_h,
                              .run = table.find_sweep(rows.length, config.vl, shape)->run});
        }
        lines_.resize(static_cast<std::size_t>((config.mr - 1) * shape.stride_h + shape.kernel_h));
        if (shape.padding_h > 0) zeros_ = buffer(static_cast<std::size_t>(shape.width * width_));
    }

    [[nodiscard]] std::size_t scratch_size() const noexcept { return weights_.size() + zeros_.size(); }

    void image(const float* x, float* y)
    {
        const auto& s = shape_;
        const std::ptrdiff_t in = std::ptrdiff_t{s.height} * s.width * width_,
                             out = std::ptrdiff_t{s.oh()} * s.ow() * width_;
        const float* w = weights_.data();
        for (int c = 0; c < s.ci; c += width_, x += in, y += out, w += s.kernel_h * s.kernel_w * width_) {
            for (const band& b : bands_) {
                for (int v = 0; v < width_; v += vl_) sweep(b, x + v, w + v, y + v);
            }
        }
    }

private:
    struct band {
        int first = 0, lines = 0;  // row of outputs, rows of inputs
        depthwise_sweep_function run = nullptr;
    };

    void sweep(const band& b, const float* x, const float* w, float* y)
    {
        const auto& s = shape_;
        for (int i = 0; i < b.lines; ++i) {
            const int row = b.first * s.stride_h - s.padding_h + i;
            const bool inside = row >= 0 && row < s.height;
            lines_[static_cast<std::size_t>(i)] = inside ? x + std::ptrdiff_t{row} * s.width * width_ : zeros_.data();
        }
        b.run({.x = lines_.data(),
               .w = w,
               .y = y + std::ptrdiff_t{b.first} * s.ow() * width_,
               .pixel = width_,
               .w_tap = width_,
               .y_row = std::ptrdiff_t{s.ow()} * width_,
               .width = s.width,
               .outputs = s.ow(),
               .padding = s.padding_w});
    }

    conv2d_shape shape_;
    int vl_ = 0, width_ = 0;
    std::vector<band> bands_;
    std::vector<const float*> lines_;  // of the sweep under way
    buffer<> weights_, zeros_;
};

/// Pixels in vectors: input and output are plain. The rows that a block of output rows reads are copied into
/// [row][phase][pixel], where a phase holds every stride-th pixel and zeros for the padding; they serve all outputs of
/// their channel.
class depthwise_by_pixel {
public:
    depthwise_by_pixel(const conv2d_shape& shape, const depthwise_config& config, const tile_table& table,
                       std::span<const float> oihw)
        : shape_(shape), config_(config), moves_(table.moves)
    {
        const auto& s = shape_;
        phases_ = (std::min)(s.stride_w, s.kernel_w);
        pitch_ = s.ow() + (s.kernel_w - 1) / s.stride_w;
        in_rows_ = (config.oh_block - 1) * s.stride_h + s.kernel_h;
        for (int begin = 0; begin < s.ow();) {
            int nv = (std::min)(config.nv, (s.ow() - begin + config.vl - 1) / config.vl);
            const auto find = [&] {
                return table.find_depthwise(vectorise_mode::pixel, config.mr, nv, config.vl, s.kernel_h, s.stride_h);
            };
            while (find() == nullptr) ++nv;  // the configured nv is in the table
            const int capacity = nv * config.vl;
            if (begin + capacity > s.ow()) begin = (std::max)(0, s.ow() - capacity);  // pixels may be computed twice
            strips_.push_back({.begin = begin,
                               .width = (std::min)(capacity, s.ow() - begin),
                               .capacity = capacity,
                               .run = find()->run});
            begin += capacity;
        }
        pack_weights(oihw);
        // The last vector may reach past the last row.
        rows_ = buffer(size(std::ptrdiff_t{in_rows_} * phases_ * pitch_ + config.nv * config.vl));
        tile_ = buffer(size(std::ptrdiff_t{config.mr} * config.nv * config.vl));
    }

    [[nodiscard]] std::size_t scratch_size() const noexcept { return weights_.size() + rows_.size() + tile_.size(); }

    void image(const float* x, float* y)
    {
        const auto& s = shape_;
        const int multiplier = s.co / s.ci;
        const std::ptrdiff_t in = std::ptrdiff_t{s.height} * s.width, out = std::ptrdiff_t{s.oh()} * s.ow();
        const float* w = weights_.data();
        for (int c = 0; c < s.ci; ++c, x += in, y += multiplier * out, w += multiplier * s.kernel_h * s.kernel_w) {
            for (int r = 0; r < s.oh(); r += config_.oh_block) {
                fill(x, r * s.stride_h - s.padding_h);
                for (int j = 0; j < multiplier; ++j)
                    block(w + j * s.kernel_h * s.kernel_w, y + j * out + std::ptrdiff_t{r} * s.ow());
            }
        }
    }

private:
    struct strip {
        int begin = 0, width = 0, capacity = 0;  // pixels: the first, those wanted, those computed
        depthwise_function run = nullptr;
    };

    static std::size_t size(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

    /// Taps of a kernel row in the order of their phases.
    void pack_weights(std::span<const float> oihw)
    {
        const int kw = shape_.kernel_w;
        weights_ = buffer(oihw.size());
        for (std::size_t row = 0, to = 0; row < oihw.size(); row += size(kw)) {
            for (int f = 0; f < phases_; ++f) {
                for (int t = f; t < kw; t += shape_.stride_w) weights_[to++] = oihw[row + size(t)];
            }
        }
    }

    /// Margins at the sides hold the zeros they were made with, and those above and below as well where one block is
    /// the plane.
    void fill(const float* x, int top)
    {
        const auto& s = shape_;
        const std::ptrdiff_t row = std::ptrdiff_t{phases_} * pitch_;
        const int first = (std::max)(top, 0), end = (std::min)(top + in_rows_, s.height);
        if (config_.oh_block < s.oh()) {
            std::fill_n(rows_.data(), (first - top) * row, 0.0F);
            std::fill_n(rows_.data() + (end - top) * row, (top + in_rows_ - end) * row, 0.0F);
        }
        for (int f = 0; f < phases_; ++f) {
            const int missing = s.padding_w - f;  // inputs of the phase's first windows left of the image
            const int left = missing > 0 ? (missing + s.stride_w - 1) / s.stride_w : 0;
            const int right = (std::min)(pitch_, (s.width - 1 + missing + s.stride_w) / s.stride_w);
            if (left >= right) continue;
            moves_.gather(x + std::ptrdiff_t{first} * s.width + (std::ptrdiff_t{left} * s.stride_w - missing), s.width,
                          s.stride_w, rows_.data() + (first - top) * row + std::ptrdiff_t{f} * pitch_ + left, row,
                          end - first, right - left);
        }
    }

    /// Tiles of rows, the last one moved back over rows that are computed twice.
    void block(const float* w, float* y)
    {
        const auto& s = shape_;
        const std::ptrdiff_t x_row = std::ptrdiff_t{phases_} * pitch_;
        for (int r = 0; r < config_.oh_block; r += config_.mr) {
            const int row = (std::min)(r, config_.oh_block - config_.mr);
            for (const strip& p : strips_) {
                const bool partial = p.width < p.capacity;
                float* const to = y + std::ptrdiff_t{row} * s.ow() + p.begin;
                p.run({.x = rows_.data() + row * s.stride_h * x_row + p.begin,
                       .w = w,
                       .y = partial ? tile_.data() : to,
                       .x_row = x_row,
                       .x_phase = pitch_,
                       .w_row = s.kernel_w,
                       .y_row = partial ? p.capacity : s.ow(),
                       .kernel_h = s.kernel_h,
                       .kernel_w = s.kernel_w,
                       .stride_w = s.stride_w});
                if (partial) moves_.gather(tile_.data(), p.capacity, 1, to, s.ow(), config_.mr, p.width);
            }
        }
    }

    conv2d_shape shape_;
    depthwise_config config_;
    movement moves_;
    int phases_ = 1, pitch_ = 0, in_rows_ = 0;
    std::vector<strip> strips_;
    buffer<> weights_, rows_, tile_;
};

}  // namespace tunekit::kernels::detail
