// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Winograd convolution from and to plain NCHW.

#include <algorithm>
#include <cstddef>
#include <span>

#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/kernels/winograd/blocked.hpp"

namespace tunekit::kernels::detail {

/// A `winograd_kernel` for plain tensors. It transposes the input into blocks of channels in scratch memory, and the
/// output back.
///
///     winograd_nchw_kernel kernel(shape, config, kernel_table(), weights);       // weights OIHW
///     kernel.run(x, y);                                                          // both NCHW
///
/// Errors, cost and threads are those of `winograd_kernel`. A run copies input and output once more.
class winograd_nchw_kernel {
public:
    /// Plans the convolution. `weights` are OIHW.
    winograd_nchw_kernel(const conv2d_shape& shape, const winograd_config& config, const tile_table& table,
                         std::span<const float> weights)
        : kernel_(shape, config, table, weights),
          transpose_(table.moves.transpose),
          in_(kernel_.input_size()),
          out_(kernel_.output_size())
    {
    }

    [[nodiscard]] const conv2d_shape& shape() const noexcept { return kernel_.shape(); }
    [[nodiscard]] const winograd_config& config() const noexcept { return kernel_.config(); }
    [[nodiscard]] std::size_t input_size() const noexcept { return kernel_.input_size(); }
    [[nodiscard]] std::size_t output_size() const noexcept { return static_cast<std::size_t>(shape().outputs()); }
    /// The number of floats kept for packed weights, transformed inputs, products, and both tensors in blocks.
    [[nodiscard]] std::size_t scratch_size() const noexcept
    {
        return kernel_.scratch_size() + in_.size() + out_.size();
    }

    /// Computes y, the convolution of x. Preconditions: input_size() and output_size() floats; no overlap.
    void run(const float* x, float* y)
    {
        const auto& s = shape();
        const int ib = config().ic_block, in_pixels = s.height * s.width;
        const int nr = config().nv * config().vl, out_pixels = s.oh() * s.ow();
        const std::ptrdiff_t in_block = std::ptrdiff_t{in_pixels} * ib, out_block = std::ptrdiff_t{out_pixels} * nr;
        for (int block = 0; block < s.batch * s.ci / ib; ++block) {
            transpose_(x + block * in_block, in_pixels, in_.data() + block * in_block, ib, ib, in_pixels);
        }
        kernel_.run(in_.data(), out_.data());
        const float* from = out_.data();
        for (int b = 0; b < s.batch; ++b) {
            for (int o = 0; o < s.co; o += nr, from += out_block) {
                const int channels = (std::min)(nr, s.co - o);
                transpose_(from, nr, y, out_pixels, out_pixels, channels);
                y += std::ptrdiff_t{channels} * out_pixels;
            }
        }
    }

private:
    winograd_kernel kernel_;
    transpose_function transpose_;
    buffer<> in_, out_;
};

}  // namespace tunekit::kernels::detail
