// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AutoTVM's dense layers and batched products as text for devices.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/detail/autotvm_cuda_product.hpp"
#include "tunekit/kernels/detail/cuda_text.hpp"
#include "tunekit/processes/build/device_source.hpp"

namespace tunekit::kernels::detail {

inline void require_indexable(const char* who, const gemm_shape& s)
{
    require_valid(s);
    const std::int64_t batch = s.batch;
    require_indexable(who, (std::max)({batch * s.m * s.k, batch * s.n * s.k, batch * s.m * s.n}));
}

/// The resources of a configuration of `batched_gemm_cuda_space(s)`.
template <class Config>
[[nodiscard]] cuda_usage batched_gemm_cuda_usage(const Config& c)
{
    return product_usage(cuda_tile(get<"tile_y">(c)), cuda_tile(get<"tile_x">(c)), get<"tile_k">(c)[1]);
}

/// The resources of a configuration of `dense_large_cuda_space(s)`: two buffers.
template <class Config>
[[nodiscard]] cuda_usage dense_large_cuda_usage(const Config& c)
{
    const auto& k = get<"tile_k">(c);
    return product_usage(cuda_tile(get<"tile_y">(c)), cuda_tile(get<"tile_x">(c)), std::int64_t{2} * k[1] * k[2]);
}

/// The resources of a configuration of `dense_small_cuda_space(s)`: a thread per part of the reduction.
template <class Config>
[[nodiscard]] cuda_usage dense_small_cuda_usage(const Config& c)
{
    const std::int64_t parts = get<"tile_k">(c)[1];
    return {.threads_x = parts, .shared_bytes = 4 * parts};
}

/// A dense layer with a block for each element of its result.
inline constexpr const char* cuda_dense_small_text = R"(
extern "C" __global__ void __launch_bounds__({parts})
kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    __shared__ float part[{parts}];
    const int thread = (int)threadIdx.x;
    const float* const row = a + (int)blockIdx.y * {k};
    const float* const column = b + (int)blockIdx.x * {k};
    float sum = 0.0f;
    for (int k = thread; k < {k}; k += {parts}) sum += row[k] * column[k];
    part[thread] = sum;
{tree}
    if (thread == 0) c[(int)blockIdx.y * {n} + (int)blockIdx.x] = part[0];
}
)";

/// The batched product in either language.
template <class Config>
[[nodiscard]] measure::device_source batched_gemm_source(const char* who, const gemm_shape& s, const Config& c,
                                                         const autotvm::cuda_limits& limits, device_language in,
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
                         .a = {depth, 1, depth * s.m},
                         .b = {depth, 1, depth * s.n},
                         .result = lines("c[(batch * ", s.m, " + row) * ", s.n, " + column]")},
                        unrolling_of(c), in);
}

template <class Config>
[[nodiscard]] measure::device_source dense_large_cuda_source(const gemm_shape& s, const Config& c,
                                                             const autotvm::cuda_limits& limits = {})
{
    constexpr const char* who = "dense_large_cuda_source";
    require_indexable(who, s);
    require(s.batch == 1, lines(who, ": batch is ", s.batch, ", want 1"));
    require_fits(who, dense_large_cuda_usage(c), limits);
    const auto& k = get<"tile_k">(c);
    return whole_source(who,
                        {.rows = cuda_tile(get<"tile_x">(c)),
                         .columns = cuda_tile(get<"tile_y">(c)),
                         .rows_axis = "x",
                         .columns_axis = "y",
                         .outer = k[0],
                         .depth = std::int64_t{k[1]} * k[2],
                         .batch = 1,
                         .a = {s.k, 1, 0},
                         .b = {s.k, 1, 0},
                         .result = lines("c[row * ", s.n, " + column]"),
                         .double_buffer = true},
                        {.max_step = 512}, device_language::cuda);
}

template <class Config>
[[nodiscard]] measure::device_source dense_small_cuda_source(const gemm_shape& s, const Config& c,
                                                             const autotvm::cuda_limits& limits = {})
{
    constexpr const char* who = "dense_small_cuda_source";
    require_indexable(who, s);
    require(s.batch == 1, lines(who, ": batch is ", s.batch, ", want 1"));
    require_fits(who, dense_small_cuda_usage(c), limits);
    const int parts = get<"tile_k">(c)[1];
    measure::device_source out{.launches = {{.grid = {s.n, s.m, 1}, .block = {parts, 1, 1}}}};
    require_launchable(who, out.launches.front());
    std::string tree;
    int left = parts;
    for (out.statements = 3; left > 1; ++out.statements) {
        const int half = (left + 1) / 2;
        tree += lines("__syncthreads();\nif (thread < ", left - half, ") part[thread] += part[thread + ", half, "];\n");
        left = half;
    }
    out.text = words().set("parts n k tree", parts, s.n, s.k, tree).in(cuda_dense_small_text);
    return out;
}

}  // namespace tunekit::kernels::detail
