// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AutoTVM's CUDA templates: its spaces with generated code that computes what TVM's schedules compute. A configuration
/// that a static check refuses, or that unrolls to more than 4096 statements, is std::invalid_argument.

#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/detail/autotvm_conv2d.hpp"
#include "tunekit/kernels/detail/autotvm_gemm.hpp"
#include "tunekit/kernels/detail/autotvm_winograd.hpp"
#include "tunekit/processes/build/source_template.hpp"

namespace tunekit::kernels::autotvm {

/// AutoTVM's direct convolution as a template of generated CUDA code.
///
/// Entry:      kernel(const float* input, const float* weights, float* output); NCHW, OIHW, NCHW.
/// Nest:       blocks, then rc_o, ry_o, rx_o: [input tile and weights to shared memory by the whole block], rc_i, ry_i,
///             rx_i, f, y, x, virtual threads; sums in registers.
/// Departures: neighbouring threads load neighbouring elements; TVM gives each thread several consecutive ones. The
///             block's size is declared to the compiler, so that it uses no more registers than a block may have.
/// Source:     TVM 0.6, topi.cuda.conv2d_direct, `schedule_direct_cuda`.
[[nodiscard]] inline auto conv2d_cuda_template(const conv2d_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{detail::conv2d_cuda_space(s), [s, limits](const auto& c) {
                                        return detail::conv2d_source("conv2d_cuda_source", s, c, limits,
                                                                     detail::device_language::cuda, "kernel");
                                    }};
}

/// AutoTVM's Winograd convolution as a template of generated CUDA code.
///
/// Entries:    transform_weights, prepared once; transform_input, product, transform_output; all of (const float*
///             input, const float* weights, float* output, float* scratch); NCHW, OIHW, NCHW.
/// Nest:       the product, alpha^2 of co x ci x tiles: blocks; rc_o: [both operands to shared memory by the whole
///             block], rc_i, y, x, virtual threads. Only the product is tuned. The transforms take a thread per tile.
/// Departures: transformed weights are in scratch memory. Interpolation points are 0, 1, -1, 1/2, -1/2, 2, ...
/// Source:     TVM 0.6, topi.cuda.conv2d_winograd, `winograd_cuda` and `schedule_winograd_cuda`.
[[nodiscard]] inline auto winograd_cuda_template(const conv2d_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{detail::winograd_cuda_space(s),
                                    [s, limits](const auto& c) { return detail::winograd_cuda_source(s, c, limits); }};
}

/// AutoTVM's batched product C = A B^T as a template of generated CUDA code.
///
/// Entry:      kernel(const float* a, const float* b, float* c); [batch][m][k], [batch][n][k], [batch][m][n].
/// Nest:       blocks; k_o: [tiles of A and B to shared memory by the whole block], k_i, y, x; sums in registers.
/// Departures: in shared memory k is the slowest dimension of a tile. Neighbouring threads load neighbouring elements.
/// Source:     TVM 0.7, topi.cuda.batch_matmul.
[[nodiscard]] inline auto batched_gemm_cuda_template(const gemm_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{detail::batched_gemm_cuda_space(s), [s, limits](const auto& c) {
                                        return detail::batched_gemm_source("batched_gemm_cuda_source", s, c, limits,
                                                                           detail::device_language::cuda, "kernel");
                                    }};
}

/// AutoTVM's dense layer of 32 rows and more as a template of generated CUDA code. The shape is no batch, and blocks of
/// 64 or 128 divide its rows and columns.
///
/// Entry, nest: as `batched_gemm_cuda_template`, with two buffers that take turns, and rows of A along x.
/// Departures: as there. Loops are unrolled up to 512 statements; TVM unrolls the middle part of k.
/// Source:     TVM 0.6, topi.cuda.dense, `dense_large_batch`.
[[nodiscard]] inline auto dense_large_cuda_template(const gemm_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{detail::dense_large_cuda_space(s), [s, limits](const auto& c) {
                                        return detail::dense_large_cuda_source(s, c, limits);
                                    }};
}

/// AutoTVM's dense layer of at most 31 rows as a template of generated CUDA code, one
/// element per block. The shape is no batch.
///
/// Entry:      as `batched_gemm_cuda_template`.
/// Nest:       blocks; each thread sums every tile_k[1]-th product; then the block adds its threads' sums, in a tree.
/// Source:     TVM 0.6, topi.cuda.dense, `dense_small_batch`.
[[nodiscard]] inline auto dense_small_cuda_template(const gemm_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{detail::dense_small_cuda_space(s), [s, limits](const auto& c) {
                                        return detail::dense_small_cuda_source(s, c, limits);
                                    }};
}

}  // namespace tunekit::kernels::autotvm
