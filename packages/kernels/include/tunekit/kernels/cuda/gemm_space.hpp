// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A space of matrix products for present GPUs: asynchronous copies in stages, tensor cores, swizzled shared memory.

#include <cstdint>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

/// The arithmetic of the products. Sums are in fp32.
enum class cuda_arithmetic {
    fp32,  ///< float operands, no tensor cores
    tf32,  ///< float operands, rounded to the nearest of 10 bits of fraction instead of 23
    bf16,  ///< operands of 16 bits: the upper halves of floats
};

/// The layout of rows in shared memory.
enum class cuda_layout {
    plain,     ///< one after another: reads of neighbouring rows have bank conflicts
    padded,    ///< 16 bytes between rows
    swizzled,  ///< 16-byte parts of a row are exchanged according to the row's number
};

/// The resources that a kernel of `cuda_gemm_space` may use: compute capability 8.0.
inline constexpr autotvm::cuda_limits async_cuda_limits{.shared_bytes = 163 * 1024};

namespace detail {

/// The number of bytes of one element of an operand.
[[nodiscard]] constexpr int element_bytes(cuda_arithmetic a) noexcept { return a == cuda_arithmetic::bf16 ? 2 : 4; }

[[nodiscard]] constexpr std::int64_t cuda_gemm_shared(int block_m, int block_n, int row_bytes, int stages,
                                                      cuda_layout layout) noexcept
{
    return std::int64_t{stages} * (block_m + block_n) * (row_bytes + (layout == cuda_layout::padded ? 16 : 0));
}

}  // namespace detail

/// The space of C = A B^T, A [batch][m][k], B [batch][n][k].
///
/// Parameters: block_m, block_n (the block's tile), row_bytes (of k in one stage), warps_m, warps_n, stages (1: loads
///             and computes in turn; else copies run stages - 1 ahead), vector (bytes per copy), layout, raster (rows
///             of blocks that run side by side, for the second-level cache), unroll (steps of k of 32 bytes, in fp32
///             16).
/// Throws:     std::invalid_argument where a row of k is no multiple of 4 bytes.
[[nodiscard]] inline auto cuda_gemm_space(const gemm_shape& s, cuda_arithmetic how,
                                          const autotvm::cuda_limits& limits = async_cuda_limits)
{
    require_valid(s);
    const std::int64_t bytes = std::int64_t{s.k} * detail::element_bytes(how);
    require(bytes % 4 == 0, "cuda_gemm_space: k is odd, want an even number of elements of 16 bits");
    std::vector<int> vectors;
    for (const int v : {4, 8, 16})
        if (bytes % v == 0) vectors.push_back(v);
    return space::product{
        space::parameter<"block_m">({16, 32, 64, 128, 256}),
        space::parameter<"block_n">({16, 32, 64, 128, 256}),
        space::parameter<"row_bytes">({32, 64, 128, 256}),
        space::parameter<"warps_m">({1, 2, 4, 8}),
        space::parameter<"warps_n">({1, 2, 4, 8}),
        space::parameter<"stages">({1, 2, 3, 4, 5, 6}),
        space::parameter<"vector">(vectors),
        space::parameter<"layout">({cuda_layout::plain, cuda_layout::padded, cuda_layout::swizzled}),
        space::parameter<"raster">({1, 2, 4, 8, 16}),
        space::parameter<"unroll">({1, 2, 4}),
        space::where<"block_m", "warps_m">([](int block, int warps) { return block >= 16 * warps; }),
        space::where<"block_n", "warps_n">([](int block, int warps) { return block >= 16 * warps; }),
        space::where<"row_bytes", "unroll">(
            [step = how == cuda_arithmetic::fp32 ? 16 : 32](int row, int unroll) { return unroll * step <= row; }),
        space::where<"warps_m", "warps_n">([t = limits.threads](int m, int n) { return 32 * m * n <= t; }),
        space::where<"block_m", "block_n", "warps_m", "warps_n">([](int bm, int bn, int wm, int wn) {
            return bm * bn <= wm * wn * 32 * 256;  // sums that registers could hold
        }),
        space::where<"block_m", "block_n", "row_bytes", "stages", "layout">(
            [most = limits.shared_bytes](int m, int n, int row, int stages, cuda_layout layout) {
                return detail::cuda_gemm_shared(m, n, row, stages, layout) <= most;
            }),
    };
}

}  // namespace tunekit::kernels
