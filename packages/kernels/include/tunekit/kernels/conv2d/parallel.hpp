// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Direct convolutions that are divided among the caller's threads.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/division.hpp"

namespace tunekit::kernels {

/// A direct convolution made from a configuration, as `conv2d_kernel`, whose parts run in parallel on the threads
/// of the caller's executor.
///
///     parallel_conv2d kernel(shape, config, kernel_table(), weights, 4);
///     kernel.run(blocked_x, blocked_y, executor);
///
/// By default images are divided where there are several, of a batch or its groups; one image into blocks of output
/// channels, or of rows where those are too few. A `conv2d_division`, for example a point of `conv2d_space` for several
/// threads, says it otherwise. Inputs and outputs have the layouts of the serial kernel, and every element is summed in
/// the order of the configuration, so the result is the same for any number of threads.
///
/// Errors:  std::invalid_argument from the constructor for fewer than one part, and as `conv2d_kernel`.
/// Cost:    that of `conv2d_kernel`. With padding_mode::copy the parts first copy the input once, together: the
///          executor is called twice.
/// Threads: distinct objects are independent; one object has one `run` at a time.
template <class Format = formats::fp32>
class parallel_conv2d {
public:
    using serial = conv2d_kernel<Format>;      ///< the same on one thread
    using element = typename serial::element;  ///< of inputs, weights and outputs

    /// Plans the convolution for at most `threads` parts.
    parallel_conv2d(const conv2d_shape& shape, const conv2d_config& config, const typename serial::table& table,
                    std::span<const element> weights, int threads)
        : parallel_conv2d(shape, config, table, weights, conv2d_division{.parts = threads})
    {
    }

    /// Plans the convolution for this division.
    parallel_conv2d(const conv2d_shape& shape, const conv2d_config& config, const typename serial::table& table,
                    std::span<const element> weights, const conv2d_division& division)
        : kernel_(shape, config, table, weights)
    {
        using range = typename serial::range;
        require(division.parts >= 1, "parallel_conv2d: threads is " + std::to_string(division.parts) + ", want >= 1");
        const range images{0, kernel_.images()}, channels{0, kernel_.channel_blocks()}, rows{0, kernel_.row_blocks()};
        conv2d_division::cut split = division.split;
        if (split == conv2d_division::cut::automatic) {
            const bool wide = channels.end >= (std::min)(division.parts, rows.end);
            split = images.end > 1 ? conv2d_division::cut::images
                    : wide         ? conv2d_division::cut::channels
                                   : conv2d_division::cut::rows;
        }
        const int length = split == conv2d_division::cut::images     ? images.end
                           : split == conv2d_division::cut::channels ? channels.end
                                                                     : rows.end;
        detail::divide(length, 1, division.parts, [&](int begin, int size) {
            const range own{begin, begin + size};
            parts_.push_back(split == conv2d_division::cut::images     ? kernel_.piece_of(own, channels, rows)
                             : split == conv2d_division::cut::channels ? kernel_.piece_of(images, own, rows)
                                                                       : kernel_.piece_of(images, channels, own));
        });
    }

    /// The number of parts: at most the number of threads asked for.
    [[nodiscard]] std::size_t parts() const noexcept { return parts_.size(); }
    /// What is divided; its layouts are those of the operands.
    [[nodiscard]] const serial& kernel() const noexcept { return kernel_; }

    /// Computes y, the convolution of x, both in the layouts of the serial kernel. Preconditions: as its run.
    template <core::executor Run>
    void run(const element* x, element* y, const Run& executor)
    {
        if (kernel_.copies())
            executor(parts_.size(), [&](std::size_t i) {
                kernel_.copy_input(x, static_cast<int>(i), static_cast<int>(parts_.size()));
            });
        executor(parts_.size(), [&](std::size_t i) { kernel_.compute(x, y, parts_[i]); });
    }

private:
    serial kernel_;
    std::vector<typename serial::piece> parts_;
};

}  // namespace tunekit::kernels
