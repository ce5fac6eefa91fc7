// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The limits of blocks on a GPU, and the CUDA template spaces of AutoTVM, index for index.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tunekit/kernels/shapes.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/space/split.hpp"

namespace tunekit::kernels::autotvm {

/// The limits that AutoTVM checks before it builds. Every CUDA device since Fermi allows this much.
struct cuda_limits {
    std::int64_t threads = 1024;                                      ///< per block
    std::int64_t threads_x = 1024, threads_y = 1024, threads_z = 64;  ///< along each axis
    std::int64_t shared_bytes = 48 * 1024;                            ///< per block

    /// Those of a work-group on an OpenCL device, a `measure::opencl_device` of the package devices.
    template <class Device>
    [[nodiscard]] static cuda_limits of(const Device& device)
    {
        return {.threads = device.threads,
                .threads_x = device.block[0],
                .threads_y = device.block[1],
                .threads_z = device.block[2],
                .shared_bytes = device.shared_bytes};
    }
};

}  // namespace tunekit::kernels::autotvm

namespace tunekit::kernels::detail {

/// AutoTVM's space of the direct convolution of one image, NCHW. Four-way splits are (block, virtual thread, thread,
/// inner); f, y, x go to z, y, x.
/// Source: TVM 0.6, topi.cuda.conv2d_direct, `conv2d_nchw.cuda`.
[[nodiscard]] inline auto conv2d_cuda_space(const conv2d_shape& s)
{
    require_ungrouped(s);
    return space::product{
        space::split<"tile_f">(s.co, 4),
        space::split<"tile_y">(s.oh(), 4),
        space::split<"tile_x">(s.ow(), 4),
        space::split<"tile_rc">(s.ci, 2),
        space::split<"tile_ry">(s.kernel_h, 2),
        space::split<"tile_rx">(s.kernel_w, 2),
        space::parameter<"auto_unroll_max_step">({0, 512, 1500}),
        space::parameter<"unroll_explicit">({0, 1}),
    };
}

/// The batched product inside the Winograd convolution F(m x m, r x r): alpha^2 products of co x tiles x ci.
struct winograd_shape {
    int m = 2;      ///< outputs per tile and side: 4 where the height is a multiple of 8, else 2
    int alpha = 4;  ///< m + r - 1
    int tiles = 1;  ///< of all images
};

/// The batched product of a convolution. Throws std::invalid_argument where the template does not apply: want stride 1
/// and a square kernel of 3 to 7.
[[nodiscard]] inline winograd_shape winograd_of(const conv2d_shape& s)
{
    require_ungrouped(s);
    require(s.stride_h == 1 && s.stride_w == 1 && s.kernel_h == s.kernel_w && s.kernel_h > 2 && s.kernel_h < 8,
            "autotvm::winograd_of: the shape has no Winograd form, want stride 1 and a square kernel of 3 to 7");
    const int m = s.height % 8 == 0 ? 4 : 2;
    return {m, m + s.kernel_h - 1, s.batch * ((s.oh() + m - 1) / m) * ((s.ow() + m - 1) / m)};
}

/// AutoTVM's space of the Winograd convolution. `tile_b` has one value: the alpha^2 products are blocks.
/// Source: TVM 0.6, topi.cuda.conv2d_winograd, `conv2d_nchw_winograd.cuda`.
[[nodiscard]] inline auto winograd_cuda_space(const conv2d_shape& s)
{
    const winograd_shape w = winograd_of(s);
    const int products = w.alpha * w.alpha;
    return space::product{
        space::split<"tile_b">(products, std::vector<std::vector<int>>{{products, 1, 1, 1}}),
        space::split<"tile_y">(s.co, 4),
        space::split<"tile_x">(w.tiles, 4),
        space::split<"tile_rc">(s.ci, 2),
        space::parameter<"auto_unroll_max_step">({0, 128, 1500}),
        space::parameter<"unroll_explicit">({0, 1}),
    };
}

/// AutoTVM's space of the batched product C = A B^T: (block, thread, inner) per side.
/// Source: TVM 0.7, topi.cuda.batch_matmul.
[[nodiscard]] inline auto batched_gemm_cuda_space(const gemm_shape& s)
{
    require_valid(s);
    return space::product{
        space::split<"tile_y">(s.m, 3),
        space::split<"tile_x">(s.n, 3),
        space::split<"tile_k">(s.k, 2),
        space::parameter<"auto_unroll_max_step">({8, 16, 32, 64}),
        space::parameter<"unroll_explicit">({0, 1}),
    };
}

/// AutoTVM's space of a dense layer of at most 31 rows: the reduction is split over threads.
/// Source: TVM 0.6, topi.cuda.dense, `dense_small_batch`.
[[nodiscard]] inline auto dense_small_cuda_space(const gemm_shape& s)
{
    require_valid(s);
    return space::product{space::split<"tile_k">(s.k, 2)};
}

/// Whether `dense_large_cuda_space` leaves out the configurations that the template's authors intended to leave out.
enum class pruning {
    intended,  ///< virtual threads 2 to 64, 8 to 64 threads, blocks of 64 or 128 per side, more than two outer steps of k
    shipped,  ///< no pruning: TVM's filter gets an outer size of -1, rejects everything, and is then ignored
};

/// The four-way splits of n that a block of the dense template may have.
[[nodiscard]] inline std::vector<std::vector<int>> dense_blocks(int n)
{
    auto all = space::splits("tile", n, 4);
    std::erase_if(all, [](const std::vector<int>& t) {
        const auto power = [](int v, int low, int high) { return v >= low && v <= high && (v & (v - 1)) == 0; };
        const int block = t[1] * t[2] * t[3];
        return !(power(t[1], 2, 64) && power(t[2], 8, 64) && (block == 64 || block == 128));
    });
    return all;
}

/// Whether the intended pruning leaves configurations in `dense_large_cuda_space(s)`: blocks of 64 or 128 must divide
/// rows and columns.
[[nodiscard]] inline bool has_dense_large_cuda(const gemm_shape& s)
{
    return s.batch == 1 && s.m >= 32 && s.k > 2 && !dense_blocks(s.m).empty() && !dense_blocks(s.n).empty();
}

/// AutoTVM's space of a dense layer of 32 rows and more: double-buffered tiles in shared memory.
/// Throws: std::invalid_argument where the intended pruning leaves nothing (see `has_dense_large_cuda`).
/// Source: TVM 0.6, topi.cuda.dense, `dense_large_batch`.
/// Departures: the filter of `tile_k` sees the true outer size.
[[nodiscard]] inline auto dense_large_cuda_space(const gemm_shape& s, pruning how = pruning::intended)
{
    require_valid(s);
    auto x = space::splits("tile_x", s.m, 4), y = space::splits("tile_y", s.n, 4);
    auto k = space::splits("tile_k", s.k, 3);
    if (how == pruning::intended) {
        x = dense_blocks(s.m);
        y = dense_blocks(s.n);
        std::erase_if(k, [](const std::vector<int>& t) { return t[0] <= 2; });
    }
    return space::product{space::split<"tile_x">(s.m, x), space::split<"tile_y">(s.n, y),
                          space::split<"tile_k">(s.k, k)};
}

}  // namespace tunekit::kernels::detail
