// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AutoTVM's direct convolution and batched product in OpenCL C, over exactly CUDA's spaces.

#include <cstdint>

#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/detail/autotvm_conv2d.hpp"
#include "tunekit/kernels/detail/autotvm_gemm.hpp"
#include "tunekit/processes/build/source_template.hpp"

namespace tunekit::kernels::autotvm {

/// The limits of a work-group on `device`, a `measure::opencl_device` of the package devices, for the static checks.
template <class Device>
[[nodiscard]] cuda_limits opencl_limits(const Device& device)
{
    return {.threads = device.threads,
            .threads_x = device.block[0],
            .threads_y = device.block[1],
            .threads_z = device.block[2],
            .shared_bytes = device.shared_bytes};
}

/// AutoTVM's direct convolution as a template of generated OpenCL code over `conv2d_cuda_space(s)`: blocks are
/// work-groups, threads are work-items, shared memory is local memory. TVM also uses one schedule for its targets cuda
/// and opencl.
///
/// Entry:      convolution(const float* input, const float* weights, float* output); NCHW, OIHW, NCHW.
/// Nest, departures, source, errors: as `conv2d_cuda_template`.
[[nodiscard]] inline auto conv2d_opencl_template(const conv2d_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{conv2d_cuda_space(s), [s, limits](const auto& c) {
                                        return kernels::detail::conv2d_source("conv2d_opencl_source", s, c, limits,
                                                                              kernels::detail::device_language::opencl,
                                                                              "convolution");
                                    }};
}

/// AutoTVM's batched product C = A B^T as a template of generated OpenCL code over `batched_gemm_cuda_space(s)`.
///
/// Entry:      product(const float* a, const float* b, float* c); [batch][m][k], [batch][n][k], [batch][m][n].
/// Nest, departures, source, errors: as `batched_gemm_cuda_template`.
[[nodiscard]] inline auto batched_gemm_opencl_template(const gemm_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{batched_gemm_cuda_space(s), [s, limits](const auto& c) {
                                        return kernels::detail::batched_gemm_source(
                                            "batched_gemm_opencl_source", s, c, limits,
                                            kernels::detail::device_language::opencl, "product");
                                    }};
}

}  // namespace tunekit::kernels::autotvm
