// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AutoTVM's CPU templates: its spaces, index for index, with C++ source for each configuration, which computes what
/// TVM's schedules compute, in the same loops; and TVM's untuned configuration. Code is for vectors of `lanes` floats,
/// a power of two.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/detail/generated_block.hpp"
#include "tunekit/kernels/detail/x86_text.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/space/split.hpp"

namespace tunekit::kernels::detail {

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

/// AutoTVM's space of the batched product C = A B^T, and of a dense layer with weights as they are.
/// Source: TVM 0.6, topi.x86.batch_matmul and topi.x86.dense, `dense_nopack.x86`.
[[nodiscard]] inline auto batched_gemm_x86_space(const gemm_shape& s)
{
    require_valid(s);
    return space::product{space::split<"tile_y">(s.m, 2), space::split<"tile_x">(s.n, 2),
                          space::split<"tile_k">(s.k, 2)};
}

/// The inner sizes of TVM's untuned configuration.
struct conv2d_x86_default {
    int ic = 1, oc = 1, ow = 1, oh = 1;  ///< input channels, output channels, columns, rows (1 x 1 only)
    bool unroll_kw = false;              ///< whether the loop over kernel columns is unrolled
};

/// The source of one convolution in blocked layouts. 1 x 1 kernels take `tiles.oh` rows at a time, others one.
/// Errors: std::invalid_argument where the tiles do not divide the shape.
[[nodiscard]] inline std::string conv2d_x86_source(const conv2d_shape& s, const conv2d_x86_default& tiles,
                                                   int lanes = host_lanes())
{
    require_ungrouped(s);
    require(tiles.ic > 0 && tiles.oc > 0 && tiles.ow > 0 && tiles.oh > 0 && s.ci % tiles.ic == 0 &&
                s.co % tiles.oc == 0 && s.ow() % tiles.ow == 0,
            "conv2d_x86_source: a tile does not divide its axis, want divisors of ci, co and ow");
    require(tiles.oh == 1 || (s.kernel_h == 1 && s.kernel_w == 1),
            "conv2d_x86_source: tile_oh is above 1 and the kernel is not 1 x 1, want 1");
    const int oh = tiles.oh, ow = tiles.ow;
    const generated_block sums("sum", oh * ow, tiles.oc, lanes);
    const std::string at = lines("(h) * ", ow, " + j");
    const std::string over_k = lines("for (long k = 0; k < ", tiles.ic, "; ++k)\n");
    const std::string over_s = lines("for (long s = 0; s < ", s.kernel_w, "; ++s)\n");
    return words(s)
        .set("preamble declare input", sums.preamble(), sums.declare(), padded_input(s, tiles.ic))
        .set("batch co_blocks ci_blocks", s.batch, s.co / tiles.oc, s.ci / tiles.ic)
        .set("ic oc tile_oh tile_ow", tiles.ic, tiles.oc, oh, ow)
        .set("rows columns", s.height + 2 * s.padding_h, s.width + 2 * s.padding_w)
        .set("filter_row", s.kernel_w * tiles.ic * tiles.oc)
        .set("each_row", lines(sums.unroll(oh), "for (int h = 0; h < ", oh, "; ++h)\n",
                               s.oh() % oh != 0 ? lines("if (p + h < ", s.oh(), ")\n") : ""))
        .set("each_column", sums.unroll(ow))
        .set("over_taps", tiles.unroll_kw ? over_k + sums.unroll(s.kernel_w, oh * ow) + over_s : over_s + over_k)
        .set("add store", sums.add_scaled(at, "e", "wk"), sums.store(at, "to"))
        .in(x86_conv2d_text);
}

/// The source of C = A W^T with W packed into panels of x2 = the innermost tile_x. `y`, `x`, `k` are the tiles. `inner`
/// is the innermost tile_inner: the number of rows whose sums stay in registers during ki steps.
/// Errors: std::invalid_argument where tiles do not multiply to the shape, or a tile has more than 256 Ki sums.
[[nodiscard]] inline std::string dense_pack_x86_source(const gemm_shape& s, const std::vector<int>& y,
                                                       const std::vector<int>& x, const std::vector<int>& k, int inner,
                                                       int lanes = host_lanes())
{
    require_valid(s);
    require(y.size() == 3 && x.size() == 3 && k.size() == 2 && y[0] * y[1] * y[2] == s.m && x[0] * x[1] * x[2] == s.n &&
                k[0] * k[1] == s.k && s.batch == 1 && inner >= 1,
            "dense_pack_x86_source: tiles do not multiply to the shape, want 3, 3 and 2 factors of m, n and k");
    const int yi = y[2], xi = x[2], ki = k[1];
    const int chunk = inner > 1 && inner < yi ? inner : yi;
    const generated_block sums("sum", yi, xi, lanes);
    // Rows [first, first + rows) of the block; in a copy of their own where there are several chunks.
    const auto part = [&](std::string_view first, int rows) {
        const generated_block own("part", rows, xi, lanes);
        const generated_block& acc = chunk == yi ? sums : own;
        const std::string each_row = lines(acc.unroll(rows), "for (int j = 0; j < ", rows, "; ++j) {\n");
        const std::string at = lines(first, " + j");
        const bool copies = chunk != yi;
        return words()
            .set("first rows ki xi k", first, rows, ki, xi, s.k)
            .set("load", copies ? acc.declare() + each_row + acc.copy_from("j", sums, at) + "}" : "")
            .set("each_k each_row add", acc.unroll(ki, rows), acc.unroll(rows), acc.add_scaled("j", "e", "bk"))
            .set("save", copies ? each_row + sums.copy_from(at, acc, "j") + "}" : "")
            .in(x86_dense_part);
    };
    std::string parts = yi / chunk > 1 ? lines("for (int first = 0; first + ", chunk, " <= ", yi, "; first += ", chunk,
                                               ") {\n", part("first", chunk), "}\n")
                                       : lines("{\n", part("0", chunk), "}\n");
    if (yi % chunk != 0) parts += lines("{\n", part(std::to_string(yi - yi % chunk), yi % chunk), "}\n");
    return words()
        .set("preamble declare store", sums.preamble(), sums.declare(), sums.store("j", "to"))
        .set("x0 x1 xi y0 y1 yi", x[0], x[1], xi, y[0], y[1], yi)
        .set("n k ki", s.n, s.k, ki)
        .set("a_block b_block", static_cast<long>(yi) * s.k, static_cast<long>(xi) * s.k)
        .set("parts each_row", parts, sums.unroll(yi))
        .in(x86_dense_text);
}

/// The source of C = A B^T for each of a batch, B as it is: [batch][n][k]. `vector` is the innermost tile_k: the number
/// of partial sums of one element, which are added at the end.
/// Errors: std::invalid_argument where a tile does not divide its axis, or has more than 256 Ki partial sums.
[[nodiscard]] inline std::string batched_gemm_x86_source(const gemm_shape& s, int yi, int xi, int vector,
                                                         int lanes = host_lanes())
{
    require_valid(s);
    require(yi > 0 && xi > 0 && vector > 0 && s.m % yi == 0 && s.n % xi == 0 && s.k % vector == 0,
            "batched_gemm_x86_source: a tile does not divide its axis, want divisors of m, n and k");
    const generated_block sums("sum", yi, xi, vector, lanes);
    const std::string each = lines(sums.unroll(yi), "for (int j = 0; j < ", yi, "; ++j)\n", sums.unroll(xi),
                                   "for (int i = 0; i < ", xi, "; ++i)");
    const std::string which = lines("j * ", xi, " + i");
    return words()
        .set("preamble declare", sums.preamble(), sums.declare())
        .set("batch m n k yi xi vector", s.batch, s.m, s.n, s.k, yi, xi, vector)
        .set("each", each)
        .set("add", sums.add_product(which, lines("(ab + j * ", s.k, " + k)"), lines("(bb + i * ", s.k, " + k)")))
        .set("total", sums.total(which))
        .in(x86_batched_gemm_text);
}

/// The inner sizes that both spaces of convolutions have.
template <class Config>
[[nodiscard]] conv2d_x86_default x86_tiles_of(const Config& c)
{
    return {.ic = get<"tile_ic">(c)[1], .oc = get<"tile_oc">(c)[1], .ow = get<"tile_ow">(c)[1]};
}

}  // namespace tunekit::kernels::detail

namespace tunekit::kernels::autotvm {

/// TVM's untuned configuration, its fallback: the widest vectors that divide the channels, and as many columns as
/// registers hold. `lanes` is the number of floats in a vector.
[[nodiscard]] inline detail::conv2d_x86_default conv2d_x86_fallback(const conv2d_shape& s,
                                                                    int lanes = detail::host_lanes())
{
    const auto largest_divisor = [](int n, int limit) {
        int d = (std::min)(n, limit);
        while (n % d != 0) --d;
        return d;
    };
    detail::conv2d_x86_default out;
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

/// AutoTVM's convolution as a template of generated code: kernels larger than 1 x 1.
///
/// Entry:      void kernel(const float* x, const float* w, float* y, float* padded).
/// Layouts:    x [n][ci / ic][h][w][ic], w [co / oc][ci / ic][kh][kw][ic][oc], y [n][co / oc][oh][ow][oc]. `blocked`
///             makes them. `padded` has n ci (h + 2 padding_h) (w + 2 padding_w) floats where
///             there is padding.
/// Nest:       n, oc_o, oh, ow_o, ic_o, kh, then [ic_i, kw unrolled] or [kw, ic_i], then ow_i unrolled, oc_i in
///             vectors; for 1 x 1: n, oc_o, oh_o, ow_o, ic_o, oh_i, ic_i, ow_i, oc_i.
/// Departures: serial. More than 32 vectors of sums, or 64 multiply-adds, stay a loop. The kernel copies padding.
/// Source:     Chen et al. (2018), Learning to Optimize Tensor Programs; TVM's template conv2d_NCHWc.x86.
[[nodiscard]] inline auto conv2d_x86_template(const conv2d_shape& s, int lanes = detail::host_lanes())
{
    return measure::source_template{detail::conv2d_x86_space(s), [s, lanes](const auto& c) {
                                        detail::conv2d_x86_default tiles = detail::x86_tiles_of(c);
                                        tiles.unroll_kw = get<"unroll_kw">(c);
                                        return detail::vectorised(detail::conv2d_x86_source(s, tiles, lanes));
                                    }};
}

/// AutoTVM's 1 x 1 convolution as a template of generated code, as `conv2d_x86_template`.
[[nodiscard]] inline auto pointwise_x86_template(const conv2d_shape& s, int lanes = detail::host_lanes())
{
    return measure::source_template{detail::pointwise_x86_space(s), [s, lanes](const auto& c) {
                                        detail::conv2d_x86_default tiles = detail::x86_tiles_of(c);
                                        tiles.oh = get<"tile_oh">(c);
                                        return detail::vectorised(detail::conv2d_x86_source(s, tiles, lanes));
                                    }};
}

/// AutoTVM's dense layer with packed weights as a template of generated code: C = A W^T.
///
/// Entry:      void kernel(const float* a, const float* b, float* c), dense, b as `blocked(b, 1, n, k, x2)` makes it,
///             x2 the innermost tile_x.
/// Nest:       xt, yt, yo, xo, ko, chunks of `inner` rows, ki unrolled, rows unrolled, x in vectors.
/// Departures: serial. Up to 32 vectors of sums and 64 multiply-adds are unrolled; more stay a loop.
/// Source:     TVM 0.9, topi.x86.dense, dense_pack.x86.
[[nodiscard]] inline auto dense_pack_x86_template(const gemm_shape& s, int lanes = detail::host_lanes())
{
    return measure::source_template{
        detail::dense_pack_x86_space(s), [s, lanes](const auto& c) {
            return detail::vectorised(detail::dense_pack_x86_source(s, get<"tile_y">(c), get<"tile_x">(c),
                                                                    get<"tile_k">(c), get<"tile_inner">(c)[1], lanes));
        }};
}

/// AutoTVM's batched product C = A B^T, and its dense layer with weights as they are, as a template of generated code.
///
/// Entry:      void kernel(const float* a, const float* b, float* c), dense.
/// Nest:       batch, yo, xo, ko, yi unrolled, xi unrolled, ki in vectors; then the sums of partial sums.
/// Departures: serial. Up to 32 vectors of sums and 64 multiply-adds are unrolled; more stay a loop.
/// Source:     TVM 0.6, topi.x86.dense (dense_nopack) and batch_matmul.
[[nodiscard]] inline auto batched_gemm_x86_template(const gemm_shape& s, int lanes = detail::host_lanes())
{
    return measure::source_template{detail::batched_gemm_x86_space(s), [s, lanes](const auto& c) {
                                        return detail::vectorised(detail::batched_gemm_x86_source(
                                            s, get<"tile_y">(c)[1], get<"tile_x">(c)[1], get<"tile_k">(c)[1], lanes));
                                    }};
}

}  // namespace tunekit::kernels::autotvm
