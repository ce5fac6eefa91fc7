// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The CPU template spaces of AutoTVM, index for index, and TVM's untuned configurations.

#include <algorithm>
#include <vector>

#include "tunekit/kernels/shapes.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels::autotvm {

/// AutoTVM's space of a convolution in blocked layouts, with a kernel larger than 1 x 1. `policy` is the policy of the
/// split of the output columns: factors up to TVM 0.6, verbose later.
/// Source: TVM, topi.x86.conv2d, `conv2d_NCHWc.x86`.
[[nodiscard]] inline auto conv2d_x86_space(const conv2d_shape& s,
                                           space::split_policy policy = space::split_policy::factors)
{
    require_ungrouped(s);
    require(s.kernel_h > 1 || s.kernel_w > 1,
            "autotvm::conv2d_x86_space: the kernel is 1 x 1, want pointwise_x86_space");
    return space::product{
        space::split<"tile_ic">(s.ci, 2),
        space::split<"tile_oc">(s.co, 2),
        space::split<"tile_ow">(s.ow(), 2, {.policy = policy, .max_factor = 64}),
        space::parameter<"unroll_kw">({true, false}),
    };
}

/// The same for 1 x 1 kernels. They tile rows instead of unrolling.
[[nodiscard]] inline auto pointwise_x86_space(const conv2d_shape& s,
                                              space::split_policy policy = space::split_policy::factors)
{
    require_ungrouped(s);
    require(s.kernel_h == 1 && s.kernel_w == 1,
            "autotvm::pointwise_x86_space: the kernel is not 1 x 1, want conv2d_x86_space");
    return space::product{
        space::split<"tile_ic">(s.ci, 2),
        space::split<"tile_oc">(s.co, 2),
        space::split<"tile_ow">(s.ow(), 2, {.policy = policy, .max_factor = 64}),
        space::parameter<"tile_oh">(s.oh() > 1 ? std::vector<int>{1, 2} : std::vector<int>{1}),
    };
}

/// The inner sizes of TVM's untuned configuration.
struct conv2d_x86_default {
    int ic = 1, oc = 1, ow = 1, oh = 1;  ///< input channels, output channels, columns, rows (1 x 1 only)
    bool unroll_kw = false;              ///< whether the loop over kernel columns is unrolled
};

/// TVM's fallback configuration: the widest vectors that divide the channels, and as many columns as registers hold.
/// `lanes` is the number of floats in a vector.
[[nodiscard]] inline conv2d_x86_default conv2d_x86_fallback(const conv2d_shape& s, int lanes)
{
    const auto largest_divisor = [](int n, int limit) {
        int d = (std::min)(n, limit);
        while (n % d != 0) --d;
        return d;
    };
    conv2d_x86_default out;
    out.oc = largest_divisor(s.co, lanes);
    out.ic = largest_divisor(s.ci, out.oc);
    if (s.kernel_h > 1 || s.kernel_w > 1) {
        out.ow = largest_divisor(s.ow(), 31);
        return out;
    }
    for (int ow = s.ow(); ow > 0; --ow) {
        if (s.ow() % ow != 0) continue;
        for (int oh = s.oh() > 1 ? 2 : 1; oh > 0; --oh)
            if (ow * oh < 32) {
                out.ow = ow;
                out.oh = oh;
                return out;
            }
    }
    return out;
}

/// AutoTVM's space of a dense layer with packed weights. Source: TVM 0.9, topi.x86.dense, `dense_pack.x86`.
[[nodiscard]] inline auto dense_pack_x86_space(const gemm_shape& s)
{
    require_valid(s);
    return space::product{
        space::split<"tile_y">(s.m, 3),
        space::split<"tile_x">(s.n, 3),
        space::split<"tile_k">(s.k, 2),
        space::split<"tile_inner">(s.m, 2, {.max_factor = 16}),
    };
}

/// AutoTVM's space of a dense layer with weights as they are. Source: TVM 0.6, topi.x86.dense, `dense_nopack.x86`.
[[nodiscard]] inline auto dense_nopack_x86_space(const gemm_shape& s)
{
    require_valid(s);
    return space::product{space::split<"tile_y">(s.m, 2), space::split<"tile_x">(s.n, 2),
                          space::split<"tile_k">(s.k, 2)};
}

/// AutoTVM's space of the batched product C = A B^T. Source: TVM 0.6, topi.x86.batch_matmul.
[[nodiscard]] inline auto batched_gemm_x86_space(const gemm_shape& s) { return dense_nopack_x86_space(s); }

}  // namespace tunekit::kernels::autotvm
