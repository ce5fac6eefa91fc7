// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AutoTVM's direct convolution and batched product in OpenCL C, over exactly CUDA's spaces.

#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/detail/autotvm_conv2d.hpp"
#include "tunekit/kernels/detail/autotvm_gemm.hpp"
#include "tunekit/processes/build/source_template.hpp"

namespace tunekit::kernels::autotvm {

/// AutoTVM's direct convolution as a template of generated OpenCL code; blocks are
/// work-groups, threads are work-items, shared memory is local memory. TVM also uses one schedule for its targets cuda
/// and opencl.
///
/// Entry:      convolution(const float* input, const float* weights, float* output); NCHW, OIHW, NCHW.
/// Nest, departures, source, errors: as `conv2d_cuda_template`.
[[nodiscard]] inline auto conv2d_opencl_template(const conv2d_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{detail::conv2d_cuda_space(s), [s, limits](const auto& c) {
                                        return detail::conv2d_source("conv2d_opencl_source", s, c, limits,
                                                                     detail::device_language::opencl, "convolution");
                                    }};
}

/// AutoTVM's batched product C = A B^T as a template of generated OpenCL code.
///
/// Entry:      product(const float* a, const float* b, float* c); [batch][m][k], [batch][n][k], [batch][m][n].
/// Nest, departures, source, errors: as `batched_gemm_cuda_template`.
[[nodiscard]] inline auto batched_gemm_opencl_template(const gemm_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{detail::batched_gemm_cuda_space(s), [s, limits](const auto& c) {
                                        return detail::batched_gemm_source("batched_gemm_opencl_source", s, c, limits,
                                                                           detail::device_language::opencl, "product");
                                    }};
}

}  // namespace tunekit::kernels::autotvm
