// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One convolution on which AutoTVM's CPU templates are run: data, reference, the packing that a configuration asks for, and all
/// of it as a task.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/noise.hpp"
#include "tunekit/kernels/autotvm_x86.hpp"
#include "tunekit/kernels/autotvm_x86_layout.hpp"
#include "tunekit/kernels/autotvm_x86_source.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/generated.hpp"
#include "tunekit/measure/guarded_buffer.hpp"
#include "tunekit/measure/isolated.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/space/any_space.hpp"

namespace programs {

/// Owns what every configuration of a layer is run on. Keep it where it is: measurers refer to it.
class convolution_layer {
public:
    explicit convolution_layer(const tunekit::kernels::conv2d_shape& shape)
        : shape_(shape), x_(noise(shape.inputs(), 1)), w_(noise(shape.weights(), 2)),
          want_(tunekit::kernels::reference_conv2d(shape, x_, w_)), y_(want_.size()), frame_(frame_size(shape))
    {
        for (const float v : want_) largest_ = (std::max)(largest_, std::fabs(static_cast<double>(v)));
    }
    convolution_layer(const convolution_layer&) = delete;
    convolution_layer& operator=(const convolution_layer&) = delete;

    [[nodiscard]] std::vector<tunekit::measure::canary> canaries() const { return {y_.canary(), frame_.canary()}; }

    /// For `generated_kernel`: packs the operands in the blocks of the configuration.
    [[nodiscard]] auto bind()
    {
        return [this](auto* function, const auto& c) {
            namespace at = tunekit::kernels::autotvm;
            block_ = tunekit::get<"tile_oc">(c)[1];
            const int ic = tunekit::get<"tile_ic">(c)[1];
            return [function, x = at::blocked(x_, shape_.batch, shape_.ci, shape_.height * shape_.width, ic),
                    w = at::blocked_weights(w_, shape_, ic, block_), y = y_.data(),
                    frame = frame_.data()] { function(x.data(), w.data(), y, frame); };
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
                const auto& s = self->shape_;
                const auto got = tunekit::kernels::autotvm::unblocked(self->y_.span(), s.batch, s.co, s.oh() * s.ow(), self->block_);
                return tunekit::measure::close_to(std::span<const float>(got), std::span<const float>(self->want_),
                                                  {.absolute = 1e-4 * self->largest_});
            }
        };
        return checker{this};
    }

private:
    static std::size_t frame_size(const tunekit::kernels::conv2d_shape& s)
    {
        return static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.ci) * static_cast<std::size_t>(s.height + 2 * s.padding_h) *
               static_cast<std::size_t>(s.width + 2 * s.padding_w);
    }

    tunekit::kernels::conv2d_shape shape_;
    std::vector<float> x_, w_, want_;
    tunekit::measure::guarded_buffer<float> y_, frame_;
    double largest_ = 0;
    int block_ = 1;
};

/// Calls `visit(program, last)` with the template that AutoTVM has for the layer, and what reads the last parameter.
template <class Visit>
decltype(auto) with_x86_template(const tunekit::kernels::conv2d_shape& shape, Visit&& visit)
{
    namespace at = tunekit::kernels::autotvm;
    if (shape.kernel_h == 1 && shape.kernel_w == 1)
        return visit(at::pointwise_x86_template(shape), [](const auto& c) { return std::int64_t{tunekit::get<"tile_oh">(c)}; });
    return visit(at::conv2d_x86_template(shape), [](const auto& c) { return std::int64_t{tunekit::get<"unroll_kw">(c) ? 1 : 0}; });
}

/// A convolution under AutoTVM's CPU template, ready to be tuned.
struct x86_task {
    std::shared_ptr<void> owner;  ///< of what the measurer refers to
    tunekit::space::any_space space;
    tunekit::index untuned;       ///< what TVM runs where nobody tuned
    std::function<std::vector<tunekit::measure::measurement>(std::span<const tunekit::index>, const tunekit::measure::limits&)> measure;
};

/// Configurations are compiled, then run isolated under `repeat`, a repetition policy. Without `data` only the space is told.
template <class Repetition>
x86_task x86_task_of(const tunekit::kernels::conv2d_shape& shape, Repetition repeat, bool data = true)
{
    namespace measure = tunekit::measure;
    return with_x86_template(shape, [&](const auto& program, const auto& last) {
        const auto want = tunekit::kernels::autotvm::conv2d_x86_fallback(shape, tunekit::kernels::vector_unit::host().lanes);
        const std::int64_t flag = shape.kernel_h == 1 && shape.kernel_w == 1 ? want.oh : want.unroll_kw;
        const auto is_it = [&](const auto& c) {
            return tunekit::get<"tile_ic">(c)[1] == want.ic && tunekit::get<"tile_oc">(c)[1] == want.oc &&
                   tunekit::get<"tile_ow">(c)[1] == want.ow && last(c) == flag;
        };
        x86_task out{.owner = {}, .space = program.space, .untuned = 0, .measure = {}};
        while (!is_it(program.space.at(out.untuned))) ++out.untuned;  // at() refuses to go past the end
        if (!data) return out;
        const auto on = std::make_shared<convolution_layer>(shape);
        measure::builder pool;
        const auto kernel = measure::generated_kernel<void(const float*, const float*, float*, float*)>(program, pool.cache(), on->bind());
        auto isolated = measure::isolated(program.space, measure::timed{kernel, std::move(repeat), on->check(), measure::thread_clock{}},
                                          {.canaries = on->canaries()});
        auto generated = measure::generated(program, std::move(pool), std::move(isolated));
        out.owner = on;
        out.measure = [here = std::make_shared<decltype(generated)>(std::move(generated))](
                          std::span<const tunekit::index> batch, const measure::limits& l) { return here->measure(batch, l); };
        return out;
    });
}

}  // namespace programs
