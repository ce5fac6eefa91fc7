// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A convolution whose algorithm is tuned as well.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "packages/kernels/operators/conv2d_operators.hpp"
#include "tunekit/kernels/conv2d/choice.hpp"

namespace programs {

/// A convolution of one table in blocked layouts, direct or Winograd: operands as those of `conv2d_operator`.
class any_conv2d_operator {
public:
    using shape_type = tunekit::kernels::conv2d_shape;

    static auto space(const shape_type& s, tunekit::kernels::hazards h)
    {
        return tunekit::kernels::any_conv2d_space(s, kernel_table(), h);
    }
    static tunekit::kernels::any_conv2d_config untuned(const shape_type& s)
    {
        return tunekit::kernels::default_config(s, kernel_table());
    }
    static std::size_t left(const shape_type& s) { return conv2d_operator::left(s); }
    static std::size_t right(const shape_type& s) { return conv2d_operator::right(s); }
    static std::size_t max_output(const shape_type& s) { return conv2d_operator::max_output(s); }
    static std::vector<float> reference(const shape_type& s, std::span<const float> x, std::span<const float> w)
    {
        return conv2d_operator::reference(s, x, w);
    }

    template <class Config>
    any_conv2d_operator(const shape_type& s, const Config& c, std::span<const float> x, std::span<const float> w,
                        std::span<float> packed)
        : kernel_(s, tunekit::kernels::config_of<tunekit::kernels::any_conv2d_config>(c), kernel_table(), w),
          x_(packed.data())
    {
        kernel_.pack_input(x, packed);
    }
    [[nodiscard]] std::size_t output_size() const { return kernel_.output_size(); }
    void run(float* y) { kernel_.run(x_, y); }
    void unpack(std::span<const float> y, std::span<float> nchw) const { kernel_.unpack_output(y, nchw); }

private:
    tunekit::kernels::any_conv2d_kernel kernel_;
    const float* x_;
};

/// The same from and to plain NCHW.
class any_nchw_operator {
public:
    using shape_type = tunekit::kernels::conv2d_shape;

    static auto space(const shape_type& s, tunekit::kernels::hazards)
    {
        return tunekit::kernels::any_nchw_space(s, kernel_table());
    }
    static tunekit::kernels::any_nchw_config untuned(const shape_type& s)
    {
        return tunekit::kernels::default_nchw_config(s, kernel_table());
    }
    static std::size_t left(const shape_type& s) { return conv2d_operator::left(s); }
    static std::size_t right(const shape_type& s) { return conv2d_operator::right(s); }
    static std::size_t max_output(const shape_type& s) { return static_cast<std::size_t>(s.outputs()); }
    static std::vector<float> reference(const shape_type& s, std::span<const float> x, std::span<const float> w)
    {
        return conv2d_operator::reference(s, x, w);
    }

    any_nchw_operator(const shape_type& s, const tunekit::kernels::any_nchw_config& c, std::span<const float> x,
                      std::span<const float> w, std::span<float> copy)
        : kernel_(s, c, kernel_table(), w), x_(copy.data())
    {
        std::copy(x.begin(), x.end(), copy.begin());
    }
    template <class Config>
    any_nchw_operator(const shape_type& s, const Config& c, std::span<const float> x, std::span<const float> w,
                      std::span<float> copy)
        : any_nchw_operator(s, tunekit::kernels::config_of<tunekit::kernels::any_nchw_config>(c), x, w, copy)
    {
    }
    [[nodiscard]] std::size_t output_size() const { return kernel_.output_size(); }
    void run(float* y) { kernel_.run(x_, y); }
    void unpack(std::span<const float> y, std::span<float> nchw) const { std::copy(y.begin(), y.end(), nchw.begin()); }

private:
    tunekit::kernels::any_nchw_kernel kernel_;
    const float* x_;
};

}  // namespace programs
