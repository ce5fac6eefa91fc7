// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Depthwise convolutions as operators to be tuned: see `operator_case`.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "packages/kernels/table/kernel_table.hpp"
#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/depthwise/depthwise.hpp"
#include "tunekit/kernels/depthwise/space.hpp"
#include "tunekit/kernels/reference.hpp"

namespace programs {

/// A depthwise convolution in one layout: x is packed before it is timed, weights when it is planned.
template <tunekit::kernels::vectorise_mode Vectorise>
class depthwise_operator {
public:
    using shape_type = tunekit::kernels::conv2d_shape;

    static auto space(const shape_type& s, tunekit::kernels::hazards)
    {
        return tunekit::kernels::depthwise_space(s, kernel_table(), Vectorise);
    }
    static auto untuned(const shape_type& s)
    {
        return tunekit::kernels::default_config<tunekit::kernels::depthwise_config>(s, kernel_table(), Vectorise);
    }
    static std::size_t left(const shape_type& s) { return static_cast<std::size_t>(s.inputs()); }
    static std::size_t right(const shape_type& s) { return static_cast<std::size_t>(s.weights()); }
    static std::vector<float> reference(const shape_type& s, std::span<const float> x, std::span<const float> w)
    {
        return tunekit::kernels::reference_conv2d(s, x, w);
    }
    /// Floats of the widest output layout: channels filled up to the widest tile.
    static std::size_t max_output(const shape_type& s)
    {
        int most = s.co;
        for (const auto& t : kernel_table().depthwise)
            if (Vectorise == tunekit::kernels::vectorise_mode::channel)
                most = (std::max)(most, tunekit::kernels::detail::padded(s.co, t.nv * t.vl));
        return static_cast<std::size_t>(s.outputs() / s.co) * static_cast<std::size_t>(most);
    }

    /// Keeps its input itself: with channels filled up it is larger than x.
    template <class Config>
    depthwise_operator(const shape_type& s, const Config& c, std::span<const float> x, std::span<const float> w,
                       std::span<float>)
        : kernel_(s, tunekit::kernels::config_of<tunekit::kernels::depthwise_config>(c, Vectorise), kernel_table(), w),
          x_(kernel_.input_size())
    {
        kernel_.pack_input(x, {x_.data(), x_.size()});
    }
    [[nodiscard]] std::size_t output_size() const { return kernel_.output_size(); }
    void run(float* y) { kernel_.run(x_.data(), y); }
    void unpack(std::span<const float> y, std::span<float> nchw) const { kernel_.unpack_output(y, nchw); }

private:
    tunekit::kernels::depthwise_kernel kernel_;
    tunekit::kernels::buffer<> x_;
};

}  // namespace programs
