// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One convolution on which AutoTVM's CPU templates are run: data, reference, and the packing that a configuration asks for.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "packages/kernels/operators/noise.hpp"
#include "tunekit/kernels/autotvm/x86.hpp"
#include "tunekit/kernels/autotvm/x86_layout.hpp"
#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/guarded_buffer.hpp"

namespace programs {

/// What all configurations of a layer have in common: operands, and the result that they lead to.
struct convolution_data {
    tunekit::kernels::conv2d_shape shape;
    std::vector<float> x, w, want;
    double largest = 0;

    explicit convolution_data(const tunekit::kernels::conv2d_shape& of)
        : shape(of),
          x(noise(of.inputs(), 1)),
          w(noise(of.weights(), 2)),
          want(tunekit::kernels::reference_conv2d(of, x, w))
    {
        for (const float v : want) largest = (std::max)(largest, std::fabs(static_cast<double>(v)));
    }
};

/// Owns what the configurations of a layer are run on. Keep it where it is: measurers refer to it.
class convolution_layer {
public:
    explicit convolution_layer(const tunekit::kernels::conv2d_shape& shape)
        : convolution_layer(std::make_shared<const convolution_data>(shape))
    {
    }
    /// One more on the same data, with buffers of its own: for another worker.
    explicit convolution_layer(std::shared_ptr<const convolution_data> data)
        : data_(std::move(data)),
          x_(data_->x.size()),
          w_(data_->w.size()),
          y_(data_->want.size()),
          frame_(frame_size(data_->shape))
    {
    }
    convolution_layer(const convolution_layer&) = delete;
    convolution_layer& operator=(const convolution_layer&) = delete;

    [[nodiscard]] std::vector<tunekit::measure::canary> canaries() const { return {y_.canary(), frame_.canary()}; }

    /// For `generated_kernel`: packs the operands in the blocks of the configuration, at 64 bytes as TVM does. Where the heap puts them,
    /// a weight's vector can straddle cache lines, and the same configuration took 1.25 or 1.6 ms by what was allocated before.
    [[nodiscard]] auto bind()
    {
        return [this](auto* function, const auto& c) {
            namespace at = tunekit::kernels::autotvm;
            const auto& s = data_->shape;
            block_ = tunekit::get<"tile_oc">(c)[1];
            const int ic = tunekit::get<"tile_ic">(c)[1];
            std::ranges::copy(at::blocked(data_->x, s.batch, s.ci, s.height * s.width, ic), x_.data());
            std::ranges::copy(at::blocked(data_->w, s, ic, block_), w_.data());
            return [function, x = x_.data(), w = w_.data(), y = y_.data(), frame = frame_.data()] {
                function(x, w, y, frame);
            };
        };
    }

    /// For `timed`: within 1e-4 of the largest element.
    [[nodiscard]] auto check() const
    {
        struct checker {
            const convolution_layer* self;
            void poison() const { tunekit::measure::poison(self->y_.span()); }
            [[nodiscard]] std::optional<std::string> operator()() const
            {
                const auto& s = self->data_->shape;
                const auto got =
                    tunekit::kernels::autotvm::unblocked(self->y_.span(), s.batch, s.co, s.oh() * s.ow(), self->block_);
                return tunekit::measure::close_to(std::span<const float>(got),
                                                  std::span<const float>(self->data_->want),
                                                  {.absolute = 1e-4 * self->data_->largest});
            }
        };
        return checker{this};
    }

private:
    static std::size_t frame_size(const tunekit::kernels::conv2d_shape& s)
    {
        return static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.ci) *
               static_cast<std::size_t>(s.height + 2 * s.padding_h) *
               static_cast<std::size_t>(s.width + 2 * s.padding_w);
    }

    std::shared_ptr<const convolution_data> data_;
    tunekit::kernels::buffer<> x_, w_;  // of one size under every configuration
    tunekit::measure::guarded_buffer<float> y_, frame_;
    int block_ = 1;
};

/// Calls `visit(program, last)` with the template that AutoTVM has for the layer, and what reads the last parameter.
template <class Visit>
decltype(auto) with_x86_template(const tunekit::kernels::conv2d_shape& shape, Visit&& visit)
{
    namespace at = tunekit::kernels::autotvm;
    if (shape.kernel_h == 1 && shape.kernel_w == 1)
        return visit(at::pointwise_x86_template(shape),
                     [](const auto& c) { return std::int64_t{tunekit::get<"tile_oh">(c)}; });
    return visit(at::conv2d_x86_template(shape),
                 [](const auto& c) { return std::int64_t{tunekit::get<"unroll_kw">(c) ? 1 : 0}; });
}

}  // namespace programs
