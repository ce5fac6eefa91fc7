// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CUDA source for the configurations of AutoTVM's dense layers and batched products.

#include <cstdint>

#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/detail/autotvm_cuda_product.hpp"
#include "tunekit/measure/build/device_source.hpp"
#include "tunekit/measure/build/source_template.hpp"

namespace tunekit::kernels::autotvm {

namespace detail {

/// The batched product in either language.
template <class Config>
[[nodiscard]] measure::device_source batched_gemm_source(const char* who, const gemm_shape& s, const Config& c,
                                                         const cuda_limits& limits, device_language in,
                                                         const char* entry)
{
    require_indexable(who, s);
    require_fits(who, batched_gemm_cuda_usage(c), limits);
    const auto& k = get<"tile_k">(c);
    const std::int64_t depth = s.k;
    return whole_source(who,
                        {.entry = entry,
                         .rows = cuda_tile(get<"tile_y">(c)),
                         .columns = cuda_tile(get<"tile_x">(c)),
                         .outer = k[0],
                         .depth = k[1],
                         .batch = s.batch,
                         .a = {"a", depth, 1, depth * s.m},
                         .b = {"b", depth, 1, depth * s.n},
                         .result = lines("c[(batch * ", s.m, " + row) * ", s.n, " + column]")},
                        unrolling_of(c), in);
}

}  // namespace detail

/// Source and launch of one configuration of `batched_gemm_cuda_space(s)`: C = A B^T for each of a batch.
///
/// Entry:      kernel(const float* a, const float* b, float* c); [batch][m][k], [batch][n][k], [batch][m][n].
/// Nest:       blocks; k_o: [tiles of A and B to shared memory by the whole block], k_i, y, x; sums in registers.
/// Departures: in shared memory k is the slowest dimension of a tile. Neighbouring threads load neighbouring elements.
/// Source:     TVM 0.7, topi.cuda.batch_matmul.
/// Errors:     std::invalid_argument where a static check refuses it, or more than 4096 statements are unrolled.
template <class Config>
[[nodiscard]] measure::device_source batched_gemm_cuda_source(const gemm_shape& s, const Config& c,
                                                              const cuda_limits& limits = {})
{
    return detail::batched_gemm_source("batched_gemm_cuda_source", s, c, limits, detail::device_language::cuda,
                                       "kernel");
}

/// Source and launch of one configuration of `dense_large_cuda_space(s)`: C = A B^T.
///
/// Entry, nest: as `batched_gemm_cuda_source`, with two buffers that take turns, and rows of A along x.
/// Departures: as there. Loops are unrolled up to 512 statements; TVM unrolls the middle part of k.
/// Source:     TVM 0.6, topi.cuda.dense, `dense_large_batch`.
/// Errors:     as there; std::invalid_argument where the shape is a batch.
template <class Config>
[[nodiscard]] measure::device_source dense_large_cuda_source(const gemm_shape& s, const Config& c,
                                                             const cuda_limits& limits = {})
{
    constexpr const char* who = "dense_large_cuda_source";
    detail::require_indexable(who, s);
    require(s.batch == 1, detail::lines(who, ": batch is ", s.batch, ", want 1"));
    detail::require_fits(who, dense_large_cuda_usage(c), limits);
    const auto& k = get<"tile_k">(c);
    return detail::whole_source(who,
                                {.rows = detail::cuda_tile(get<"tile_x">(c)),
                                 .columns = detail::cuda_tile(get<"tile_y">(c)),
                                 .rows_axis = "x",
                                 .columns_axis = "y",
                                 .outer = k[0],
                                 .depth = std::int64_t{k[1]} * k[2],
                                 .batch = 1,
                                 .a = {"a", s.k, 1, 0},
                                 .b = {"b", s.k, 1, 0},
                                 .result = detail::lines("c[row * ", s.n, " + column]"),
                                 .double_buffer = true},
                                {.max_step = 512}, detail::device_language::cuda);
}

/// The resources of a configuration of `dense_small_cuda_space(s)`: a thread per part of the reduction.
template <class Config>
[[nodiscard]] cuda_usage dense_small_cuda_usage(const Config& c)
{
    const std::int64_t parts = get<"tile_k">(c)[1];
    return {.threads_x = parts, .shared_bytes = 4 * parts};
}

/// Source and launch of one configuration of `dense_small_cuda_space(s)`: C = A B^T, one element per block.
///
/// Entry:      as `batched_gemm_cuda_source`.
/// Nest:       blocks; each thread sums every tile_k[1]-th product; then the block adds its threads' sums, in a tree.
/// Source:     TVM 0.6, topi.cuda.dense, `dense_small_batch`.
/// Errors:     std::invalid_argument where a static check refuses it, or the shape is a batch.
template <class Config>
[[nodiscard]] measure::device_source dense_small_cuda_source(const gemm_shape& s, const Config& c,
                                                             const cuda_limits& limits = {})
{
    constexpr const char* who = "dense_small_cuda_source";
    detail::require_indexable(who, s);
    require(s.batch == 1, detail::lines(who, ": batch is ", s.batch, ", want 1"));
    detail::require_fits(who, dense_small_cuda_usage(c), limits);
    const int parts = get<"tile_k">(c)[1];
    measure::device_source out{.launches = {{.grid = {s.n, s.m, 1}, .block = {parts, 1, 1}}}};
    detail::require_launchable(who, out.launches.front());
    out.text = kernels::detail::device_entry(detail::device_language::cuda, "kernel", out.launches.front().block,
                                             {"a", "b"}, "c");
    out.text += detail::lines("__shared__ float part[", parts, "];\nconst int thread = (int)threadIdx.x;\n",
                              "const float* const row = a + (int)blockIdx.y * ", s.k,
                              ";\nconst float* const column = b + (int)blockIdx.x * ", s.k,
                              ";\nfloat sum = 0.0f;\nfor (int k = thread; k < ", s.k, "; k += ", parts,
                              ") sum += row[k] * column[k];\npart[thread] = sum;\n");
    int left = parts;
    for (out.statements = 3; left > 1; ++out.statements) {
        const int half = (left + 1) / 2;
        out.text += detail::lines("__syncthreads();\nif (thread < ", left - half, ") part[thread] += part[thread + ",
                                  half, "];\n");
        left = half;
    }
    out.text += detail::lines("if (thread == 0) c[(int)blockIdx.y * ", s.n, " + (int)blockIdx.x] = part[0];\n}\n");
    return out;
}

/// AutoTVM's batched product as a template of generated CUDA code.
[[nodiscard]] inline auto batched_gemm_cuda_template(const gemm_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{batched_gemm_cuda_space(s),
                                    [s, limits](const auto& c) { return batched_gemm_cuda_source(s, c, limits); }};
}

/// AutoTVM's dense layer of 32 rows and more as a template of generated CUDA code.
[[nodiscard]] inline auto dense_large_cuda_template(const gemm_shape& s, pruning how = pruning::intended,
                                                    const cuda_limits& limits = {})
{
    return measure::source_template{dense_large_cuda_space(s, how),
                                    [s, limits](const auto& c) { return dense_large_cuda_source(s, c, limits); }};
}

/// AutoTVM's dense layer of at most 31 rows as a template of generated CUDA code.
[[nodiscard]] inline auto dense_small_cuda_template(const gemm_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{dense_small_cuda_space(s),
                                    [s, limits](const auto& c) { return dense_small_cuda_source(s, c, limits); }};
}

}  // namespace tunekit::kernels::autotvm
