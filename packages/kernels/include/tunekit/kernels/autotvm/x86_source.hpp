// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// C++ source for the configurations of AutoTVM's CPU spaces. It computes what TVM's schedules compute, in the same
/// loops.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/kernels/autotvm/vector_unit.hpp"
#include "tunekit/kernels/autotvm/x86.hpp"
#include "tunekit/kernels/detail/generated_block.hpp"
#include "tunekit/kernels/detail/x86_text.hpp"
#include "tunekit/processes/build/source_template.hpp"

namespace tunekit::kernels::autotvm {

/// The source of one convolution in blocked layouts. 1 x 1 kernels take `tiles.oh` rows at a time, others one.
///
/// Entry:      void kernel(const float* x, const float* w, float* y, float* padded).
/// Layouts:    x [n][ci / ic][h][w][ic], w [co / oc][ci / ic][kh][kw][ic][oc], y [n][co / oc][oh][ow][oc]. `blocked`
///             and `blocked_weights` make them. `padded` has n ci (h + 2 padding_h) (w + 2 padding_w) floats where
///             there is padding.
/// Nest:       n, oc_o, oh, ow_o, ic_o, kh, then [ic_i, kw unrolled] or [kw, ic_i], then ow_i unrolled, oc_i in
///             vectors; for 1 x 1: n, oc_o, oh_o, ow_o, ic_o, oh_i, ic_i, ow_i, oc_i.
/// Departures: serial. More than 32 vectors of sums, or 64 multiply-adds, stay a loop. The kernel copies padding.
/// Source:     Chen et al. (2018), Learning to Optimize Tensor Programs; TVM's template conv2d_NCHWc.x86.
/// Errors:     std::invalid_argument where the tiles do not divide the shape.
[[nodiscard]] inline std::string conv2d_x86_source(const conv2d_shape& s, const conv2d_x86_default& tiles,
                                                   const vector_unit& unit = vector_unit::host())
{
    require_ungrouped(s);
    require(tiles.ic > 0 && tiles.oc > 0 && tiles.ow > 0 && tiles.oh > 0 && s.ci % tiles.ic == 0 &&
                s.co % tiles.oc == 0 && s.ow() % tiles.ow == 0,
            "conv2d_x86_source: a tile does not divide its axis, want divisors of ci, co and ow");
    require(tiles.oh == 1 || (s.kernel_h == 1 && s.kernel_w == 1),
            "conv2d_x86_source: tile_oh is above 1 and the kernel is not 1 x 1, want 1");
    using kernels::detail::lines;
    const int oh = tiles.oh, ow = tiles.ow;
    const kernels::detail::generated_block sums("sum", oh * ow, tiles.oc, unit);
    const std::string at = lines("(h) * ", ow, " + j");
    const std::string over_k = lines("for (long k = 0; k < ", tiles.ic, "; ++k)\n");
    const std::string over_s = lines("for (long s = 0; s < ", s.kernel_w, "; ++s)\n");
    return kernels::detail::words(s)
        .set("preamble declare input", sums.preamble(), sums.declare(), kernels::detail::padded_input(s, tiles.ic))
        .set("batch co_blocks ci_blocks", s.batch, s.co / tiles.oc, s.ci / tiles.ic)
        .set("ic oc tile_oh tile_ow", tiles.ic, tiles.oc, oh, ow)
        .set("rows columns", s.height + 2 * s.padding_h, s.width + 2 * s.padding_w)
        .set("filter_row", s.kernel_w * tiles.ic * tiles.oc)
        .set("each_row", lines(sums.unroll(oh), "for (int h = 0; h < ", oh, "; ++h)\n",
                               s.oh() % oh != 0 ? lines("if (p + h < ", s.oh(), ")\n") : ""))
        .set("each_column", sums.unroll(ow))
        .set("over_taps", tiles.unroll_kw ? over_k + sums.unroll(s.kernel_w, oh * ow) + over_s : over_s + over_k)
        .set("add store", sums.add_scaled(at, "e", "wk"), sums.store(at, "to"))
        .in(kernels::detail::x86_conv2d_text);
}

/// The source of C = A W^T with W packed into panels of x2 = the innermost tile_x. `y`, `x`, `k` are the tiles. `inner`
/// is the innermost tile_inner: the number of rows whose sums stay in registers during ki steps.
///
/// Entry:      void kernel(const float* a, const float* b, float* c), dense, b as `panels` makes it.
/// Nest:       xt, yt, yo, xo, ko, chunks of `inner` rows, ki unrolled, rows unrolled, x in vectors.
/// Departures: serial. Up to 32 vectors of sums and 64 multiply-adds are unrolled; more stay a loop.
/// Source:     TVM 0.9, topi.x86.dense, dense_pack.x86.
/// Errors:     std::invalid_argument where tiles do not multiply to the shape, or a tile has more than 256 Ki sums.
[[nodiscard]] inline std::string dense_pack_x86_source(const gemm_shape& s, const std::vector<int>& y,
                                                       const std::vector<int>& x, const std::vector<int>& k, int inner,
                                                       const vector_unit& unit = vector_unit::host())
{
    require_valid(s);
    require(y.size() == 3 && x.size() == 3 && k.size() == 2 && y[0] * y[1] * y[2] == s.m && x[0] * x[1] * x[2] == s.n &&
                k[0] * k[1] == s.k && s.batch == 1 && inner >= 1,
            "dense_pack_x86_source: tiles do not multiply to the shape, want 3, 3 and 2 factors of m, n and k");
    using kernels::detail::lines;
    const int yi = y[2], xi = x[2], ki = k[1];
    const int chunk = inner > 1 && inner < yi ? inner : yi;
    const kernels::detail::generated_block sums("sum", yi, xi, unit);
    // Rows [first, first + rows) of the block; in a copy of their own where there are several chunks.
    const auto part = [&](std::string_view first, int rows) {
        const kernels::detail::generated_block own("part", rows, xi, unit);
        const kernels::detail::generated_block& acc = chunk == yi ? sums : own;
        const std::string each_row = lines(acc.unroll(rows), "for (int j = 0; j < ", rows, "; ++j) {\n");
        const std::string at = lines(first, " + j");
        const bool copies = chunk != yi;
        return kernels::detail::words()
            .set("first rows ki xi k", first, rows, ki, xi, s.k)
            .set("load", copies ? acc.declare() + each_row + acc.copy_from("j", sums, at) + "}" : "")
            .set("each_k each_row add", acc.unroll(ki, rows), acc.unroll(rows), acc.add_scaled("j", "e", "bk"))
            .set("save", copies ? each_row + sums.copy_from(at, acc, "j") + "}" : "")
            .in(kernels::detail::x86_dense_part);
    };
    std::string parts = yi / chunk > 1 ? lines("for (int first = 0; first + ", chunk, " <= ", yi, "; first += ", chunk,
                                               ") {\n", part("first", chunk), "}\n")
                                       : lines("{\n", part("0", chunk), "}\n");
    if (yi % chunk != 0) parts += lines("{\n", part(std::to_string(yi - yi % chunk), yi % chunk), "}\n");
    return kernels::detail::words()
        .set("preamble declare store", sums.preamble(), sums.declare(), sums.store("j", "to"))
        .set("x0 x1 xi y0 y1 yi", x[0], x[1], xi, y[0], y[1], yi)
        .set("n k ki", s.n, s.k, ki)
        .set("a_block b_block", static_cast<long>(yi) * s.k, static_cast<long>(xi) * s.k)
        .set("parts each_row", parts, sums.unroll(yi))
        .in(kernels::detail::x86_dense_text);
}

/// The source of C = A B^T for each of a batch, B as it is: [batch][n][k]. `vector` is the innermost tile_k: the number
/// of partial sums of one element, which are added at the end.
///
/// Entry:      void kernel(const float* a, const float* b, float* c), dense.
/// Nest:       batch, yo, xo, ko, yi unrolled, xi unrolled, ki in vectors; then the sums of partial sums.
/// Departures: as above.
/// Source:     TVM 0.6, topi.x86.dense (dense_nopack) and batch_matmul.
/// Errors:     std::invalid_argument where a tile does not divide its axis, or has more than 256 Ki partial sums.
[[nodiscard]] inline std::string batched_gemm_x86_source(const gemm_shape& s, int yi, int xi, int vector,
                                                         const vector_unit& unit = vector_unit::host())
{
    require_valid(s);
    require(yi > 0 && xi > 0 && vector > 0 && s.m % yi == 0 && s.n % xi == 0 && s.k % vector == 0,
            "batched_gemm_x86_source: a tile does not divide its axis, want divisors of m, n and k");
    using kernels::detail::lines;
    const kernels::detail::generated_block sums("sum", yi, xi, vector, unit);
    const std::string each = lines(sums.unroll(yi), "for (int j = 0; j < ", yi, "; ++j)\n", sums.unroll(xi),
                                   "for (int i = 0; i < ", xi, "; ++i)");
    const std::string which = lines("j * ", xi, " + i");
    return kernels::detail::words()
        .set("preamble declare", sums.preamble(), sums.declare())
        .set("batch m n k yi xi vector", s.batch, s.m, s.n, s.k, yi, xi, vector)
        .set("each", each)
        .set("add", sums.add_product(which, lines("(ab + j * ", s.k, " + k)"), lines("(bb + i * ", s.k, " + k)")))
        .set("total", sums.total(which))
        .in(kernels::detail::x86_batched_gemm_text);
}

namespace detail {

/// The inner sizes that both spaces of convolutions have.
template <class Config>
[[nodiscard]] conv2d_x86_default x86_tiles_of(const Config& c)
{
    return {.ic = get<"tile_ic">(c)[1], .oc = get<"tile_oc">(c)[1], .ow = get<"tile_ow">(c)[1]};
}

}  // namespace detail

/// AutoTVM's convolution as a template of generated code: kernels larger than 1 x 1.
[[nodiscard]] inline auto conv2d_x86_template(const conv2d_shape& s, const vector_unit& unit = vector_unit::host())
{
    return measure::source_template{conv2d_x86_space(s), [s, unit](const auto& c) {
                                        conv2d_x86_default tiles = detail::x86_tiles_of(c);
                                        tiles.unroll_kw = get<"unroll_kw">(c);
                                        return kernels::detail::vectorised(conv2d_x86_source(s, tiles, unit));
                                    }};
}

/// AutoTVM's 1 x 1 convolution as a template of generated code.
[[nodiscard]] inline auto pointwise_x86_template(const conv2d_shape& s, const vector_unit& unit = vector_unit::host())
{
    return measure::source_template{pointwise_x86_space(s), [s, unit](const auto& c) {
                                        conv2d_x86_default tiles = detail::x86_tiles_of(c);
                                        tiles.oh = get<"tile_oh">(c);
                                        return kernels::detail::vectorised(conv2d_x86_source(s, tiles, unit));
                                    }};
}

/// AutoTVM's dense layer with packed weights as a template of generated code.
[[nodiscard]] inline auto dense_pack_x86_template(const gemm_shape& s, const vector_unit& unit = vector_unit::host())
{
    return measure::source_template{
        dense_pack_x86_space(s), [s, unit](const auto& c) {
            return kernels::detail::vectorised(dense_pack_x86_source(s, get<"tile_y">(c), get<"tile_x">(c),
                                                                     get<"tile_k">(c), get<"tile_inner">(c)[1], unit));
        }};
}

/// AutoTVM's dense layer with weights as they are, and its batched product, as a template of generated code.
[[nodiscard]] inline auto batched_gemm_x86_template(const gemm_shape& s, const vector_unit& unit = vector_unit::host())
{
    return measure::source_template{batched_gemm_x86_space(s), [s, unit](const auto& c) {
                                        return kernels::detail::vectorised(batched_gemm_x86_source(
                                            s, get<"tile_y">(c)[1], get<"tile_x">(c)[1], get<"tile_k">(c)[1], unit));
                                    }};
}

}  // namespace tunekit::kernels::autotvm
