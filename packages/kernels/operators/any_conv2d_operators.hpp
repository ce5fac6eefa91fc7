// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A convolution whose algorithm is tuned as well.

#include "packages/kernels/operators/conv2d_operators.hpp"
#include "tunekit/kernels/conv2d/choice.hpp"

namespace programs {

/// A convolution of one table in blocked layouts, direct or Winograd.
struct any_conv2d_operator
    : blocked_operator<tunekit::kernels::any_conv2d_kernel, tunekit::kernels::any_conv2d_config> {
    using blocked_operator::blocked_operator;

    static auto space(const shape_type& s, tunekit::kernels::hazards h)
    {
        return tunekit::kernels::any_conv2d_space(s, kernel_table(), h);
    }
    static tunekit::kernels::any_conv2d_config untuned(const shape_type& s)
    {
        return tunekit::kernels::default_config(s, kernel_table());
    }
};

/// The same from and to plain NCHW.
struct any_nchw_operator : plain_operator<tunekit::kernels::any_nchw_kernel, tunekit::kernels::any_nchw_config> {
    using plain_operator::plain_operator;

    static auto space(const shape_type& s, tunekit::kernels::hazards)
    {
        return tunekit::kernels::any_nchw_space(s, kernel_table());
    }
    static tunekit::kernels::any_nchw_config untuned(const shape_type& s)
    {
        return tunekit::kernels::default_config<tunekit::kernels::nchw_config>(s, kernel_table());
    }
};

}  // namespace programs
