// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Direct convolutions as operators to be tuned: see `operator_case`.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "packages/kernels/operators/operator_case.hpp"
#include "packages/kernels/table/kernel_table.hpp"
#include "tunekit/kernels/blocked.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/conv2d/nchw.hpp"
#include "tunekit/kernels/conv2d/space.hpp"
#include "tunekit/kernels/reference.hpp"

namespace programs {

/// A convolution of one table: operands x (NCHW) and w (OIHW), of which x is packed before it is timed, w when planned.
class conv2d_operator {
public:
    using shape_type = tunekit::kernels::conv2d_shape;

    static auto space(const shape_type& s, tunekit::kernels::hazards h)
    {
        return tunekit::kernels::conv2d_space(s, kernel_table(), h);
    }
    static auto untuned(const shape_type& s) { return tunekit::kernels::default_config(s, kernel_table()); }
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
        for (const auto& t : kernel_table().tiles) most = (std::max)(most, tunekit::kernels::padded(s.co, t.nv * t.vl));
        return static_cast<std::size_t>(s.outputs() / s.co) * static_cast<std::size_t>(most);
    }

    template <class Config>
    conv2d_operator(const shape_type& s, const Config& c, std::span<const float> x, std::span<const float> w,
                    std::span<float> packed)
        : kernel_(s, tunekit::kernels::config_of<tunekit::kernels::conv2d_config>(c), kernel_table(), w),
          x_(packed.data())
    {
        kernel_.pack_input(x, packed);
    }
    [[nodiscard]] std::size_t output_size() const { return kernel_.output_size(); }
    void run(float* y) { kernel_.run(x_, y); }
    void unpack(std::span<const float> y, std::span<float> nchw) const { kernel_.unpack_output(y, nchw); }

private:
    tunekit::kernels::conv2d_kernel kernel_;
    const float* x_;
};

/// A convolution from and to plain NCHW; weights are packed when it is planned.
class nchw_operator {
public:
    using shape_type = tunekit::kernels::conv2d_shape;

    static auto space(const shape_type& s, tunekit::kernels::hazards)
    {
        return tunekit::kernels::conv2d_nchw_space(s, kernel_table());
    }
    static auto untuned(const shape_type& s) { return tunekit::kernels::default_nchw_config(s, kernel_table()); }
    static std::size_t left(const shape_type& s) { return static_cast<std::size_t>(s.inputs()); }
    static std::size_t right(const shape_type& s) { return static_cast<std::size_t>(s.weights()); }
    static std::size_t max_output(const shape_type& s) { return static_cast<std::size_t>(s.outputs()); }
    static std::vector<float> reference(const shape_type& s, std::span<const float> x, std::span<const float> w)
    {
        return tunekit::kernels::reference_conv2d(s, x, w);
    }

    template <class Config>
    nchw_operator(const shape_type& s, const Config& c, std::span<const float> x, std::span<const float> w,
                  std::span<float> copy)
        : kernel_(s, tunekit::kernels::config_of<tunekit::kernels::nchw_config>(c), kernel_table(), w), x_(copy.data())
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

using conv2d_case = operator_case<conv2d_operator>;

}  // namespace programs
