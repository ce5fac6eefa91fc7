// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One convolution to be timed and checked: data, reference, and the kernel that a configuration makes of it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/kernel_table.hpp"
#include "tunekit/kernels/conv2d.hpp"
#include "tunekit/kernels/conv2d_space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/measure/guarded_buffer.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace programs {

/// Uniform in [-1, 1), from a stream of its own.
inline std::vector<float> noise(std::size_t n, std::uint64_t which)
{
    tunekit::random::philox gen(which);
    std::vector<float> out(n);
    for (float& x : out) x = static_cast<float>(2 * tunekit::random::uniform_01(gen) - 1);
    return out;
}

/// Owns what every configuration of a layer is run on. Output lies at the end of a guarded buffer, so that the first float
/// written past it is noticed. Keep it where it is: measurers refer to it.
class conv2d_case {
public:
    explicit conv2d_case(const tunekit::kernels::conv2d_shape& shape)
        : shape_(shape), space_(tunekit::kernels::conv2d_space(shape, kernel_table())),
          x_(noise(static_cast<std::size_t>(shape.inputs()), 1)), weights_(noise(static_cast<std::size_t>(shape.weights()), 2)),
          reference_(tunekit::kernels::reference_conv2d(shape, x_, weights_)), input_(x_.size()), output_(most_output(shape)),
          y_(reference_.size())
    {
        double largest = 0;
        for (const float r : reference_) largest = (std::max)(largest, std::fabs(static_cast<double>(r)));
        within_ = {.absolute = 1e-4 * largest};
    }
    conv2d_case(const conv2d_case&) = delete;
    conv2d_case& operator=(const conv2d_case&) = delete;

    [[nodiscard]] const auto& space() const noexcept { return space_; }
    [[nodiscard]] tunekit::index default_index() const
    {
        return tunekit::kernels::index_of(space_, tunekit::kernels::default_config(shape_, kernel_table())).value();
    }
    [[nodiscard]] std::vector<tunekit::measure::canary> canaries() const { return {output_.canary()}; }

    /// For `timed`: plans, packs, and returns what runs one convolution.
    [[nodiscard]] auto kernel()
    {
        return [this](const auto& config) {
            kernel_.emplace(shape_, tunekit::kernels::conv2d_config_of(config), kernel_table(), weights_);
            kernel_->pack_input(x_, input_.span());
            return [this, x = input_.data(), y = out().data()] { kernel_->run(x, y); };
        };
    }

    /// For `timed`: poisons the output, then compares it with the reference.
    [[nodiscard]] auto check()
    {
        struct checker {
            conv2d_case* self;
            void poison() const { tunekit::measure::poison(self->out()); }
            [[nodiscard]] std::optional<std::string> operator()() const
            {
                self->kernel_->unpack_output(self->out(), self->y_);
                return tunekit::measure::close_to(std::span<const float>(self->y_), std::span<const float>(self->reference_),
                                                  self->within_);
            }
        };
        return checker{this};
    }

private:
    /// Floats of the widest output layout: channels filled up to the widest tile.
    static std::size_t most_output(const tunekit::kernels::conv2d_shape& s)
    {
        int most = s.co;
        for (const auto& t : kernel_table().tiles) most = (std::max)(most, tunekit::kernels::detail::padded(s.co, t.nv * t.vl));
        return static_cast<std::size_t>(s.outputs() / s.co) * static_cast<std::size_t>(most);
    }

    [[nodiscard]] std::span<float> out() const { return output_.span().last(kernel_->output_size()); }

    tunekit::kernels::conv2d_shape shape_;
    decltype(tunekit::kernels::conv2d_space({}, tunekit::kernels::tile_table{})) space_;
    std::vector<float> x_, weights_, reference_;
    tunekit::measure::guarded_buffer<float> input_, output_;
    std::vector<float> y_;
    tunekit::measure::tolerance within_;
    std::optional<tunekit::kernels::conv2d_kernel> kernel_;
};

}  // namespace programs
