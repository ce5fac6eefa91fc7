// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Winograd convolution in blocked layouts: transforms around a table of micro-kernels.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/detail/blocked.hpp"
#include "tunekit/kernels/detail/rows.hpp"
#include "tunekit/kernels/detail/winograd_strides.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels {

/// A 3 x 3 convolution without stride by Winograd's minimal filtering. It is planned once and runs many times without
/// allocation.
///
///     winograd_kernel kernel(shape, config, kernel_table(), weights);       // weights OIHW
///     kernel.pack_input(x, blocked_x);
///     kernel.run(blocked_x, blocked_y);
///     kernel.unpack_output(blocked_y, y);
///
/// Layouts are those of `conv2d_kernel`: input [batch][ci / ic_block][height][width][ic_block], output [batch][ceil(co
/// / nr)][oh][ow][nr] with nr = nv vl. Padding channels in the last output block are 0.
///
/// Tiles of outputs are computed in blocks. The inputs of a block are transformed into t_h t_w matrices (t = tile + 2)
/// of tiles by input channels. Each matrix is multiplied with the transformed weights of its element. The products are
/// transformed back.
///
/// Errors:  std::invalid_argument from the constructor where the configuration does not fit the shape or the table.
/// Cost:    t_h t_w ci co fused multiply-adds per tile of tile_h tile_w outputs, and the transforms, per run.
/// Results: differ from the definition by more than rounding. The largest error relative to the largest output, for 256
///          channels uniform in [-1, 1), by tile: 2: 5e-7, 3: 2e-6, 4: 5e-6, 5: 6e-6, 6: 1.2e-5, 7: 3.6e-5, 8: 2.7e-3.
/// Threads: distinct objects are independent; one object is for one thread at a time (it owns the scratch).
/// Source:  Lavin, Gray (2016), Fast Algorithms for Convolutional Neural Networks, CVPR.
class winograd_kernel {
public:
    /// Transforms the weights, which are OIHW.
    winograd_kernel(const conv2d_shape& shape, const winograd_config& config, const tile_table& table,
                    std::span<const float> weights)
        : shape_(shape),
          config_(config),
          strides_((detail::require_winograd(shape, config, table), detail::winograd_strides(shape, config)))
    {
        require(weights.size() == static_cast<std::size_t>(shape.weights()),
                "winograd_kernel: weights of another size, want OIHW");
        down_ = *table.find_winograd(config.tile_h, config.vl);
        across_ = *table.find_winograd(config.tile_w, config.vl);
        weights_ = detail::winograd_weights(strides_, shape, config, weights);
        inputs_ = buffer(static_cast<std::size_t>(strides_.inputs));
        products_ = buffer(static_cast<std::size_t>(strides_.products));
        half_ = buffer(static_cast<std::size_t>(strides_.half));
        patch_ = buffer(strides_.whole_vectors ? 0 : static_cast<std::size_t>(strides_.t_h * strides_.t_w * config.vl));
        const int least = strides_.tiles / strides_.blocks;
        for (std::size_t i = 0; i < 2; ++i) {
            for (const auto& t : detail::tiles_of_row(least + static_cast<int>(i), config.mr, edge_mode::balanced)) {
                calls_[i].push_back({t.begin, table.find(t.length, config.nv, config.vl)->run});
            }
        }
    }

    [[nodiscard]] const conv2d_shape& shape() const noexcept { return shape_; }
    [[nodiscard]] const winograd_config& config() const noexcept { return config_; }
    [[nodiscard]] std::size_t input_size() const noexcept { return static_cast<std::size_t>(shape_.inputs()); }
    [[nodiscard]] std::size_t output_size() const noexcept
    {
        return static_cast<std::size_t>(shape_.batch * strides_.oc_blocks) *
               static_cast<std::size_t>(shape_.oh() * shape_.ow() * strides_.nr);
    }
    /// The number of floats kept for packed weights, transformed inputs and products.
    [[nodiscard]] std::size_t scratch_size() const noexcept
    {
        return weights_.size() + inputs_.size() + products_.size() + half_.size() + patch_.size();
    }

    /// Converts NCHW to the kernel's input layout.
    void pack_input(std::span<const float> nchw, std::span<float> blocked) const
    {
        require(nchw.size() == input_size() && blocked.size() == input_size(),
                "winograd_kernel.pack_input: want input_size() floats");
        detail::pack_channels(nchw, shape_.batch * strides_.ic_blocks, config_.ic_block, shape_.height * shape_.width,
                              blocked);
    }

    /// Converts the kernel's output layout to NCHW.
    void unpack_output(std::span<const float> blocked, std::span<float> nchw) const
    {
        require(blocked.size() == output_size() && nchw.size() == static_cast<std::size_t>(shape_.outputs()),
                "winograd_kernel.unpack_output: want output_size() and shape().outputs() floats");
        detail::unpack_channels(blocked, shape_.batch, shape_.co, shape_.oh() * shape_.ow(), strides_.nr, nchw);
    }

    /// Computes y, the convolution of x, both in the kernel's layouts. Preconditions: input_size() and output_size()
    /// floats; no overlap.
    void run(const float* x, float* y)
    {
        for (int block = 0; block < strides_.blocks; ++block) {
            const int begin = strides_.first_tile(block), end = strides_.first_tile(block + 1);
            for (int t = begin; t < end; ++t) {
                const place at = place_of(t);
                if (strides_.whole_vectors) transform_blocks(x, at, inputs_.data() + (t - begin) * strides_.input_tile);
                else transform_patches(x, at, inputs_.data() + (t - begin) * strides_.input_tile);
            }
            for (int o = 0; o < strides_.oc_blocks; o += config_.oc_block) {
                const int run = strides_.oc_run(o, config_.oc_block);
                multiply(o, run, calls_[static_cast<std::size_t>(end - begin - strides_.tiles / strides_.blocks)]);
                for (int t = begin; t < end; ++t) {
                    transform_back(products_.data() + (t - begin) * strides_.product_tile, place_of(t), o, run, y);
                }
            }
        }
    }

private:
    /// A call of a micro-kernel on some tiles of a block.
    struct call {
        int first = 0;
        detail::tile_function<> run = nullptr;
    };

    /// Where a tile lies: its image, its first output, and which of its inputs are inside the image.
    struct place {
        int image, row, column;
        int first_row, last_row, first_column, last_column;
    };

    [[nodiscard]] place place_of(int t) const
    {
        const auto& s = shape_;
        const int in_image = t % (strides_.tiles_h * strides_.tiles_w);
        const int row = in_image / strides_.tiles_w * config_.tile_h,
                  column = in_image % strides_.tiles_w * config_.tile_w;
        const int top = row - s.padding_h, left = column - s.padding_w;
        return {t / (strides_.tiles_h * strides_.tiles_w),
                row,
                column,
                (std::max)(0, -top),
                (std::min)(strides_.t_h, s.height - top),
                (std::max)(0, -left),
                (std::min)(strides_.t_w, s.width - left)};
    }

    /// The tile's first input inside the image, of a block of input channels.
    [[nodiscard]] const float* input_of(const float* x, const place& at, int block) const
    {
        const std::ptrdiff_t row = at.row - shape_.padding_h + at.first_row;
        const std::ptrdiff_t column = at.column - shape_.padding_w + at.first_column;
        const std::ptrdiff_t image = std::ptrdiff_t{at.image} * strides_.ic_blocks + block;
        return x + ((image * shape_.height + row) * shape_.width + column) * config_.ic_block;
    }

    /// Both passes over `vectors` vectors of channels: `in` is the first input inside the image, inputs lie as the
    /// strides say.
    void transform_input(const float* in, std::ptrdiff_t in_row, std::ptrdiff_t in_pixel, const place& at, int vectors,
                         float* out)
    {
        const std::ptrdiff_t pixel = std::ptrdiff_t{vectors} * config_.vl, line = pixel * strides_.t_w;
        float* const half = half_.data() + at.first_column * pixel;
        down_.input({.in = in,
                     .out = half,
                     .in_step = in_row,
                     .in_line = in_pixel,
                     .out_step = line,
                     .out_line = pixel,
                     .lines = at.last_column - at.first_column,
                     .vectors = vectors,
                     .first = at.first_row,
                     .last = at.last_row});
        across_.input({.in = half,
                       .out = out,
                       .in_step = pixel,
                       .in_line = line,
                       .out_step = strides_.input_element,
                       .out_line = strides_.input_element * strides_.t_w,
                       .lines = strides_.t_h,
                       .vectors = vectors,
                       .first = at.first_column,
                       .last = at.last_column});
    }

    void transform_blocks(const float* x, const place& at, float* out)
    {
        const int vectors = config_.ic_block / config_.vl;
        const std::ptrdiff_t row = std::ptrdiff_t{shape_.width} * config_.ic_block;
        for (int block = 0; block < strides_.ic_blocks; ++block) {
            const float* const in = input_of(x, at, block);
            for (int v = 0; v < vectors; v += strides_.passed_at_once) {
                const std::ptrdiff_t channel = std::ptrdiff_t{v} * config_.vl;
                transform_input(in + channel, row, config_.ic_block, at,
                                (std::min)(strides_.passed_at_once, vectors - v),
                                out + std::ptrdiff_t{block} * config_.ic_block + channel);
            }
        }
    }

    /// Where vectors would cross blocks of channels: each vector's inputs are gathered first.
    void transform_patches(const float* x, const place& at, float* out)
    {
        const int vl = config_.vl, ib = config_.ic_block;
        const std::ptrdiff_t row = std::ptrdiff_t{strides_.t_w} * vl;
        for (int channel = 0; channel < shape_.ci; channel += vl) {
            for (int lane = 0; lane < vl; ++lane) {
                const int c = channel + lane;
                const float* const in = c < shape_.ci ? input_of(x, at, c / ib) + c % ib : nullptr;
                for (int h = 0; h < at.last_row - at.first_row; ++h) {
                    for (int w = 0; w < at.last_column - at.first_column; ++w) {
                        const std::ptrdiff_t pixel = std::ptrdiff_t{h} * shape_.width + w;
                        patch_.data()[h * row + std::ptrdiff_t{w} * vl + lane] = in == nullptr ? 0 : in[pixel * ib];
                    }
                }
            }
            transform_input(patch_.data(), row, vl, at, 1, out + channel);
        }
    }

    /// The products of all elements for `run` output blocks from `first` on.
    void multiply(int first, int run, const std::vector<call>& calls)
    {
        const std::ptrdiff_t panel = std::ptrdiff_t{strides_.step} * strides_.nr,
                             matrix = std::ptrdiff_t{shape_.ci} * strides_.nr;
        detail::tile_args<> a{.w = weights_.data() + first * strides_.t_h * strides_.t_w * matrix,
                              .x_row = strides_.input_tile,
                              .w_step = strides_.nr,
                              .y_row = strides_.product_tile,
                              .depth = strides_.step,
                              .unroll = config_.ku,
                              .prefetch = config_.prefetch};
        for (int e = 0; e < strides_.t_h * strides_.t_w; ++e) {
            const float* const x = inputs_.data() + e * strides_.input_element;
            float* const y = products_.data() + e * strides_.product_element;
            for (int k = 0; k < shape_.ci; k += strides_.step, a.w += run * panel) {
                a.accumulate = k > 0;
                const float* const w = a.w;
                const auto one = [&](int o, const call& c) {
                    a.w = w + o * panel;
                    a.x = x + c.first * strides_.input_tile + k;
                    a.y = y + c.first * strides_.product_tile + std::ptrdiff_t{o} * strides_.nr;
                    c.run(a);
                };
                if (config_.inner == inner_order::channels_outside) {
                    for (int o = 0; o < run; ++o) {
                        for (const call& c : calls) one(o, c);
                    }
                } else {
                    for (const call& c : calls) {
                        for (int o = 0; o < run; ++o) one(o, c);
                    }
                }
                a.w = w;
            }
        }
    }

    void transform_back(const float* in, const place& at, int first, int run, float* y)
    {
        const int nr = strides_.nr, oh = shape_.oh(), ow = shape_.ow();
        const int rows = (std::min)(config_.tile_h, oh - at.row), columns = (std::min)(config_.tile_w, ow - at.column);
        const std::ptrdiff_t line = std::ptrdiff_t{strides_.t_w} * nr;
        for (int o = 0; o < run; ++o) {
            down_.output({.in = in + std::ptrdiff_t{o} * nr,
                          .out = half_.data(),
                          .in_step = strides_.t_w * strides_.product_element,
                          .in_line = strides_.product_element,
                          .out_step = line,
                          .out_line = nr,
                          .lines = strides_.t_w,
                          .vectors = config_.nv,
                          .outputs = rows});
            const std::ptrdiff_t block = std::ptrdiff_t{at.image} * strides_.oc_blocks + first + o;
            float* const out = y + ((block * oh + at.row) * ow + at.column) * nr;
            across_.output({.in = half_.data(),
                            .out = out,
                            .in_step = nr,
                            .in_line = line,
                            .out_step = nr,
                            .out_line = std::ptrdiff_t{ow} * nr,
                            .lines = rows,
                            .vectors = config_.nv,
                            .outputs = columns});
        }
    }

    conv2d_shape shape_;
    winograd_config config_;
    detail::winograd_strides strides_;
    detail::winograd_transform down_, across_;
    std::array<std::vector<call>, 2> calls_;  // of blocks of the lesser and the larger size
    buffer<> weights_, inputs_, products_, half_, patch_;
};

}  // namespace tunekit::kernels
