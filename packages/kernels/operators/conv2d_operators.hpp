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
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/conv2d/nchw.hpp"
#include "tunekit/kernels/conv2d/space.hpp"
#include "tunekit/kernels/reference.hpp"

namespace programs {

/// What the operators of convolutions have in common: operands x (NCHW) and w (OIHW).
struct any_convolution {
    using shape_type = tunekit::kernels::conv2d_shape;

    static std::size_t left(const shape_type& s) { return static_cast<std::size_t>(s.inputs()); }
    static std::size_t right(const shape_type& s) { return static_cast<std::size_t>(s.weights()); }
    static std::vector<float> reference(const shape_type& s, std::span<const float> x, std::span<const float> w)
    {
        return tunekit::kernels::reference_conv2d(s, x, w);
    }
};

/// A convolution of one table in blocked layouts, of which x is packed before it is timed, w when planned.
template <class Kernel, class Config>
class blocked_operator : public any_convolution {
public:
    template <class Point>
    blocked_operator(const shape_type& s, const Point& c, std::span<const float> x, std::span<const float> w,
                     std::span<float> packed)
        : kernel_(s, tunekit::kernels::config_of<Config>(c), kernel_table(), w), x_(packed.data())
    {
        kernel_.pack_input(x, packed);
    }
    /// Floats of the widest output layout: channels filled up to the widest tile.
    static std::size_t max_output(const shape_type& s)
    {
        int most = s.co;
        for (const auto& t : kernel_table().tiles)
            most = (std::max)(most, tunekit::kernels::detail::padded(s.co, t.nv * t.vl));
        return static_cast<std::size_t>(s.outputs() / s.co) * static_cast<std::size_t>(most);
    }
    [[nodiscard]] std::size_t output_size() const { return kernel_.output_size(); }
    void run(float* y) { kernel_.run(x_, y); }
    void unpack(std::span<const float> y, std::span<float> nchw) const { kernel_.unpack_output(y, nchw); }

private:
    Kernel kernel_;
    const float* x_;
};

/// A convolution from and to plain NCHW; weights are packed when it is planned.
template <class Kernel, class Config>
class plain_operator : public any_convolution {
public:
    plain_operator(const shape_type& s, const Config& c, std::span<const float> x, std::span<const float> w,
                   std::span<float> copy)
        : kernel_(s, c, kernel_table(), w), x_(copy.data())
    {
        std::copy(x.begin(), x.end(), copy.begin());
    }
    template <class Point>
    plain_operator(const shape_type& s, const Point& c, std::span<const float> x, std::span<const float> w,
                   std::span<float> copy)
        : plain_operator(s, tunekit::kernels::config_of<Config>(c), x, w, copy)
    {
    }
    static std::size_t max_output(const shape_type& s) { return static_cast<std::size_t>(s.outputs()); }
    [[nodiscard]] std::size_t output_size() const { return kernel_.output_size(); }
    void run(float* y) { kernel_.run(x_, y); }
    void unpack(std::span<const float> y, std::span<float> nchw) const { std::copy(y.begin(), y.end(), nchw.begin()); }

private:
    Kernel kernel_;
    const float* x_;
};

struct conv2d_operator : blocked_operator<tunekit::kernels::conv2d_kernel<>, tunekit::kernels::conv2d_config> {
    using blocked_operator::blocked_operator;

    static auto space(const shape_type& s, tunekit::kernels::hazards h)
    {
        return tunekit::kernels::conv2d_space(s, kernel_table(), h);
    }
    static auto untuned(const shape_type& s) { return tunekit::kernels::default_config(s, kernel_table()); }
};

struct nchw_operator : plain_operator<tunekit::kernels::nchw_kernel, tunekit::kernels::nchw_config> {
    using plain_operator::plain_operator;

    static auto space(const shape_type& s, tunekit::kernels::hazards)
    {
        return tunekit::kernels::conv2d_nchw_space(s, kernel_table());
    }
    static auto untuned(const shape_type& s)
    {
        return tunekit::kernels::default_config<tunekit::kernels::nchw_config>(s, kernel_table());
    }
};

using conv2d_case = operator_case<conv2d_operator>;

}  // namespace programs
