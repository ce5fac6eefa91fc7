// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Operators beside those of the examples.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "support/operator_case.hpp"
#include "tunekit/kernels/conv2d_nchw.hpp"
#include "tunekit/kernels/conv2d_nchw_space.hpp"

namespace bench {

/// A convolution from and to plain NCHW; weights are packed when it is planned.
class nchw_operator {
public:
    using shape_type = tunekit::kernels::conv2d_shape;

    static auto space(const shape_type& s, tunekit::kernels::hazards) { return tunekit::kernels::conv2d_nchw_space(s, kernel_table()); }
    static auto untuned(const shape_type& s) { return tunekit::kernels::default_nchw_config(s, kernel_table()); }
    static std::size_t left(const shape_type& s) { return static_cast<std::size_t>(s.inputs()); }
    static std::size_t right(const shape_type& s) { return static_cast<std::size_t>(s.weights()); }
    static std::size_t most_output(const shape_type& s) { return static_cast<std::size_t>(s.outputs()); }
    static std::vector<float> reference(const shape_type& s, std::span<const float> x, std::span<const float> w)
    {
        return tunekit::kernels::reference_conv2d(s, x, w);
    }

    template <class Config>
    nchw_operator(const shape_type& s, const Config& c, std::span<const float> x, std::span<const float> w, std::span<float> copy)
        : kernel_(s, tunekit::kernels::nchw_config_of(c), kernel_table(), w), x_(copy.data())
    {
        std::copy(x.begin(), x.end(), copy.begin());
    }
    [[nodiscard]] std::size_t output_size() const { return kernel_.output_size(); }
    void run(float* y) { kernel_.run(x_, y); }
    void unpack(std::span<const float> y, std::span<float> nchw) const { std::copy(y.begin(), y.end(), nchw.begin()); }

private:
    tunekit::kernels::nchw_kernel kernel_;
    const float* x_;
};

}  // namespace bench
