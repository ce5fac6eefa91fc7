// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Direct convolution from and to plain NCHW: run-time blocking around a table of micro-kernels, without layouts to
/// convert.

#include <cstddef>
#include <span>
#include <variant>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/detail/nchw_channel.hpp"
#include "tunekit/kernels/detail/nchw_pixel.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels {

/// A convolution of plain NCHW tensors made from a configuration. It is planned once and runs many times without
/// allocation.
///
///     nchw_kernel kernel(shape, config, kernel_table(), weights);       // weights OIHW
///     kernel.run(x, y);                                                 // both NCHW
///
/// Nothing outside the operands is read or written. y need not be initialised. Each group is a separate convolution.
///
/// Errors:  std::invalid_argument from the constructor where the configuration does not fit the shape or the table.
/// Cost:    shape.macs() fused multiply-adds per run, and the copies that the configuration asks for.
/// Threads: distinct objects are independent; one object is for one thread at a time (it owns the scratch).
class nchw_kernel {
public:
    /// Plans the convolution. `weights` are OIHW.
    nchw_kernel(const conv2d_shape& shape, const nchw_config& config, const tile_table& table,
                std::span<const float> weights)
        : shape_(checked(shape, config, table, weights)), config_(config), plan_(plan(shape, config, table, weights))
    {
    }

    [[nodiscard]] const conv2d_shape& shape() const noexcept { return shape_; }
    [[nodiscard]] const nchw_config& config() const noexcept { return config_; }
    [[nodiscard]] std::size_t input_size() const noexcept { return static_cast<std::size_t>(shape_.inputs()); }
    [[nodiscard]] std::size_t output_size() const noexcept { return static_cast<std::size_t>(shape_.outputs()); }
    /// The number of floats kept for packed weights, copied input and sums.
    [[nodiscard]] std::size_t scratch_size() const
    {
        return std::visit([](const auto& p) { return p.scratch_size(); }, plan_);
    }

    /// Computes y, the convolution of x. Preconditions: input_size() and output_size() floats; no overlap.
    void run(const float* x, float* y)
    {
        const std::ptrdiff_t in = shape_.inputs() / shape_.batch / shape_.groups,
                             out = shape_.outputs() / shape_.batch / shape_.groups;
        std::visit(
            [&](auto& p) {
                for (int b = 0; b < shape_.batch; ++b) {
                    for (int g = 0; g < shape_.groups; ++g, x += in, y += out) p.image(x, y, g);
                }
            },
            plan_);
    }

private:
    using plans = std::variant<detail::nchw_channel, detail::nchw_pixel>;

    static const conv2d_shape& checked(const conv2d_shape& shape, const nchw_config& config, const tile_table& table,
                                       std::span<const float> weights)
    {
        detail::require_valid(shape);
        detail::check_nchw(detail::group_of(shape), config, table);
        require(weights.size() == static_cast<std::size_t>(shape.weights()),
                "nchw_kernel: weights of another size, want OIHW");
        return shape;
    }

    static plans plan(const conv2d_shape& shape, const nchw_config& config, const tile_table& table,
                      std::span<const float> weights)
    {
        const auto part = detail::group_of(shape);
        if (config.vectorise == vectorise_mode::pixel)
            return detail::nchw_pixel(part, shape.groups, config, table, weights.data());
        return detail::nchw_channel(part, shape.groups, config, table, weights.data());
    }

    conv2d_shape shape_;
    nchw_config config_;
    plans plan_;
};

}  // namespace tunekit::kernels
