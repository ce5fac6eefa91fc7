// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Depthwise convolution: every channel has its own filters.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/detail/blocked.hpp"
#include "tunekit/kernels/detail/depthwise_engines.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels {

/// A depthwise convolution made from a configuration. It is planned once and runs many times without allocation.
///
///     const conv2d_shape shape{.ci = 32, .height = 112, .width = 112, .co = 32, .kernel_h = 3, .kernel_w = 3,
///                              .padding_h = 1, .padding_w = 1, .groups = 32};
///     depthwise_kernel kernel(shape, config, kernel_table(), weights);       // weights [co][1][kernel_h][kernel_w]
///     kernel.run(x, y);
///
/// With pixels in vectors x and y are plain NCHW, and a channel may have several outputs. With channels in vectors they
/// are [batch][ceil(channels / b)][height][width][b] with b = nv vl. These are the layouts that a `conv2d_kernel` takes
/// (ic_block = b) and gives (nv vl = b). Padding channels in the last block are 0, and a channel has one output.
///
/// Errors:  std::invalid_argument from the constructor where the configuration does not fit the shape or the table.
/// Cost:    shape.macs() fused multiply-adds per run and, where rows are copied, one pass over the input.
/// Threads: distinct objects are independent; one object is for one thread at a time (it owns the scratch).
class depthwise_kernel {
public:
    /// Plans the convolution. `weights` are [co][1][kernel_h][kernel_w].
    depthwise_kernel(const conv2d_shape& shape, const depthwise_config& config, const tile_table& table,
                     std::span<const float> weights)
        : shape_(checked(shape, config, table, weights)), config_(config), plan_(plan(shape, config, table, weights))
    {
    }

    [[nodiscard]] const conv2d_shape& shape() const noexcept { return shape_; }
    [[nodiscard]] const depthwise_config& config() const noexcept { return config_; }
    [[nodiscard]] std::size_t input_size() const noexcept { return images(shape_.ci, shape_.height * shape_.width); }
    [[nodiscard]] std::size_t output_size() const noexcept { return images(shape_.co, shape_.oh() * shape_.ow()); }
    /// The number of floats kept for packed weights, copied rows and a row of zeros.
    [[nodiscard]] std::size_t scratch_size() const
    {
        return std::visit([](const auto& p) { return p.scratch_size(); }, plan_);
    }

    /// Converts NCHW to the kernel's input layout. It is a copy where that is plain.
    void pack_input(std::span<const float> nchw, std::span<float> x) const
    {
        require(nchw.size() == static_cast<std::size_t>(shape_.inputs()) && x.size() == input_size(),
                "depthwise_kernel.pack_input: want shape().inputs() and input_size() floats");
        if (plain()) {
            std::copy(nchw.begin(), nchw.end(), x.begin());
            return;
        }
        const int width = config_.nv * config_.vl, pixels = shape_.height * shape_.width,
                  blocks = (shape_.ci + width - 1) / width;
        std::fill(x.begin(), x.end(), 0.0F);
        for (int b = 0; b < shape_.batch; ++b) {
            for (int c = 0; c < shape_.ci; ++c) {
                const float* from = nchw.data() + (std::ptrdiff_t{b} * shape_.ci + c) * pixels;
                float* to = x.data() + (std::ptrdiff_t{b} * blocks + c / width) * pixels * width + c % width;
                for (int p = 0; p < pixels; ++p) to[std::ptrdiff_t{p} * width] = from[p];
            }
        }
    }

    /// Converts the kernel's output layout to NCHW.
    void unpack_output(std::span<const float> y, std::span<float> nchw) const
    {
        require(y.size() == output_size() && nchw.size() == static_cast<std::size_t>(shape_.outputs()),
                "depthwise_kernel.unpack_output: want output_size() and shape().outputs() floats");
        if (plain()) std::copy(y.begin(), y.end(), nchw.begin());
        else
            detail::unpack_channels(y, shape_.batch, shape_.co, shape_.oh() * shape_.ow(), config_.nv * config_.vl,
                                    nchw);
    }

    /// Computes y, the convolution of x, both in the kernel's layouts. Preconditions: input_size() and output_size()
    /// floats; no overlap.
    void run(const float* x, float* y)
    {
        const auto in = static_cast<std::ptrdiff_t>(input_size()) / shape_.batch,
                   out = static_cast<std::ptrdiff_t>(output_size()) / shape_.batch;
        std::visit(
            [&](auto& p) {
                for (int b = 0; b < shape_.batch; ++b) p.image(x + b * in, y + b * out);
            },
            plan_);
    }

private:
    using plans = std::variant<detail::depthwise_by_channel, detail::depthwise_by_sweep, detail::depthwise_by_pixel>;

    [[nodiscard]] bool plain() const noexcept { return config_.vectorise == vectorise_mode::pixel; }

    [[nodiscard]] std::size_t images(int channels, int pixels) const noexcept
    {
        const int width = plain() ? 1 : config_.nv * config_.vl;
        return static_cast<std::size_t>(shape_.batch) *
               static_cast<std::size_t>((channels + width - 1) / width * width) * static_cast<std::size_t>(pixels);
    }

    static const conv2d_shape& checked(const conv2d_shape& s, const depthwise_config& c, const tile_table& table,
                                       std::span<const float> weights)
    {
        detail::require_valid(s);
        require(s.groups == s.ci, "depthwise_kernel: groups is " + std::to_string(s.groups) + ", want the " +
                                      std::to_string(s.ci) + " input channels");
        const bool channels = c.vectorise == vectorise_mode::channel;
        require(!channels || s.co == s.ci,
                "depthwise_config: vectorise is channel with several outputs for a channel, want pixel");
        require(!c.sweep || (channels && c.pad == padding_mode::clip && c.oh_block == 1),
                "depthwise_config: sweep with pixels in vectors, copies or oh_block above 1, want channel, clip and 1");
        require(!c.sweep || c.nv > 0, "depthwise_config: nv is " + std::to_string(c.nv) + ", want at least 1");
        for (int mr = channels ? 1 : c.mr; mr <= (std::max)(c.mr, 1); ++mr) {
            const bool found =
                c.sweep ? table.find_sweep(mr, c.vl, s) != nullptr
                        : table.find_depthwise(c.vectorise, mr, c.nv, c.vl, s.kernel_h, s.stride_h) != nullptr;
            if (c.mr > 0 && found) continue;
            invalid("depthwise_config: no " + std::string(c.sweep ? "sweeping" : to_text(c.vectorise)) + " tile " +
                    std::to_string(c.mr) + " x " + std::to_string(c.nv) + " x " + std::to_string(c.vl) +
                    " for this kernel in the table, want one of its tiles");
        }
        require(
            c.oh_block >= 1 && s.oh() % c.oh_block == 0,
            "depthwise_config: oh_block is " + std::to_string(c.oh_block) + ", want a divisor of the output height");
        require(channels || c.mr <= c.oh_block,
                "depthwise_config: mr is " + std::to_string(c.mr) + ", want at most oh_block");
        require(channels || c.pad == padding_mode::copy,
                "depthwise_config: pad is clip with pixels in vectors, want copy");
        require(weights.size() == static_cast<std::size_t>(s.weights()),
                "depthwise_kernel: weights of another size, want OIHW");
        return s;
    }

    static plans plan(const conv2d_shape& shape, const depthwise_config& config, const tile_table& table,
                      std::span<const float> weights)
    {
        if (config.vectorise == vectorise_mode::pixel) return detail::depthwise_by_pixel(shape, config, table, weights);
        if (config.sweep) return detail::depthwise_by_sweep(shape, config, table, weights);
        return detail::depthwise_by_channel(shape, config, table, weights);
    }

    conv2d_shape shape_;
    depthwise_config config_;
    plans plan_;
};

}  // namespace tunekit::kernels
