// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Direct convolutions that are divided among the caller's threads.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/division.hpp"

namespace tunekit::kernels {

/// A direct convolution made from a configuration, as `conv2d_kernel`, whose parts run in parallel on the threads of the
/// caller's executor.
///
///     parallel_conv2d kernel(shape, config, kernel_table(), weights, 4);
///     kernel.run(blocked_x, blocked_y, executor);
///
/// A batch is divided into its images, several groups into theirs, and one image into blocks of output channels. Inputs
/// and outputs have the layouts of `conv2d_kernel`, and every element is summed in the order of the configuration, so the
/// result is the same for any number of threads.
///
/// Errors:  std::invalid_argument from the constructor for threads < 1, and as `conv2d_kernel`.
/// Cost:    that of `conv2d_kernel`. With padding_mode::copy each part of one image copies the whole input for itself.
/// Threads: distinct objects are independent; one object has one `run` at a time.
class parallel_conv2d {
public:
    /// Plans the convolution for at most `threads` parts.
    parallel_conv2d(const conv2d_shape& shape, const conv2d_config& config, const tile_table& table,
                    std::span<const float> weights, int threads)
    {
        require_valid(shape);
        require(threads >= 1, "parallel_conv2d: threads is " + std::to_string(threads) + ", want >= 1");
        require(weights.size() == static_cast<std::size_t>(shape.weights()),
                "parallel_conv2d: weights of another size, want OIHW");
        const std::size_t per_channel = weights.size() / static_cast<std::size_t>(shape.co);
        const int in_group = shape.ci / shape.groups, out_group = shape.co / shape.groups;
        const int nr = config.nv * config.vl > 0 ? config.nv * config.vl : 1;
        const std::ptrdiff_t pixels = std::ptrdiff_t{shape.height} * shape.width,
                             out_pixels = std::ptrdiff_t{shape.oh()} * shape.ow();
        const auto slice = [&](int begin, int size) {
            return weights.subspan(static_cast<std::size_t>(begin) * per_channel,
                                   static_cast<std::size_t>(size) * per_channel);
        };
        if (shape.batch > 1) {
            const std::ptrdiff_t out_channels = std::ptrdiff_t{shape.groups} * ((out_group + nr - 1) / nr) * nr;
            detail::divide(shape.batch, 1, threads, [&](int begin, int size) {
                conv2d_shape s = shape;
                s.batch = size;
                add(s, config, table, weights, begin * pixels * shape.ci, begin * out_pixels * out_channels);
            });
        } else if (shape.groups > 1) {
            detail::divide(shape.groups, 1, threads, [&](int begin, int size) {
                conv2d_shape s = shape;
                s.groups = size;
                s.ci = size * in_group;
                s.co = size * out_group;
                add(s, config, table, slice(begin * out_group, s.co), begin * pixels * in_group,
                    begin * out_pixels * out_group);
            });
        } else {
            detail::divide(shape.co, nr, threads, [&](int begin, int size) {
                conv2d_shape s = shape;
                s.co = size;
                add(s, config, table, slice(begin, size), 0, begin * out_pixels);
            });
        }
    }

    /// The number of parts: at most the number of threads asked for.
    [[nodiscard]] std::size_t parts() const noexcept { return parts_.size(); }

    /// Computes y, the convolution of x, both in the layouts of `conv2d_kernel`. Preconditions: as conv2d_kernel::run.
    template <core::executor Run>
    void run(const float* x, float* y, const Run& executor)
    {
        executor(parts_.size(), [&](std::size_t i) {
            part& p = parts_[i];
            p.kernel.run(x + p.x, y + p.y);
        });
    }

private:
    struct part {
        conv2d_kernel kernel;
        std::ptrdiff_t x, y;  // where its input and output begin
    };

    void add(const conv2d_shape& s, const conv2d_config& config, const tile_table& table,
             std::span<const float> weights, std::ptrdiff_t x, std::ptrdiff_t y)
    {
        parts_.push_back({conv2d_kernel(s, config, table, weights), x, y});
    }

    std::vector<part> parts_;
};

}  // namespace tunekit::kernels
