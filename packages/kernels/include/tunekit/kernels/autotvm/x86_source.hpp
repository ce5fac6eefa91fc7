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
#include "tunekit/measure/build/source_template.hpp"

namespace tunekit::kernels::autotvm {

namespace detail {

using kernels::detail::generated_block;
using kernels::detail::lines;

inline constexpr const char* conv2d_entry =
    "extern \"C\" void kernel(const float* __restrict x, const float* __restrict w, float* __restrict y, float* "
    "__restrict "
    "padded)\n{\n";
inline constexpr const char* gemm_entry =
    "extern \"C\" void kernel(const float* __restrict a, const float* __restrict b, float* __restrict c)\n{\n";

/// Copies the image into a frame of zeros, and names that `in`.
inline std::string padded_input(const conv2d_shape& s, int ic)
{
    if (s.padding_h == 0 && s.padding_w == 0) return "const float* const in = x;\n(void)padded;\n";
    const int columns = s.width + 2 * s.padding_w;
    const int left = s.padding_w * ic;
    return lines("const float* const in = padded;\nfor (long plane = 0; plane < ", s.batch * (s.ci / ic),
                 "; ++plane)\nfor (long r = 0; r < ", s.height + 2 * s.padding_h,
                 "; ++r) {\nfloat* const to = padded + (plane * ", s.height + 2 * s.padding_h, " + r) * ", columns * ic,
                 ";\nif (r < ", s.padding_h, " || r >= ", s.height + s.padding_h, ") {\n__builtin_memset(to, 0, ",
                 columns * ic * 4, ");\ncontinue;\n}\n__builtin_memset(to, 0, ", left * 4, ");\n__builtin_memcpy(to + ",
                 left, ", x + (plane * ", s.height, " + r - ", s.padding_h, ") * ", s.width * ic, ", ",
                 s.width * ic * 4, ");\n__builtin_memset(to + ", left + s.width * ic, ", 0, ", left * 4, ");\n}\n");
}

}  // namespace detail

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
    using detail::lines;
    const int ic = tiles.ic, oc = tiles.oc, ow = tiles.ow, oh = tiles.oh;
    const int rows = s.height + 2 * s.padding_h, columns = s.width + 2 * s.padding_w;
    const detail::generated_block sums("sum", oh * ow, oc, unit);
    const auto at = [&](std::string_view row, std::string_view column) {
        return lines("(", row, ") * ", ow, " + ", column);
    };
    std::string out = sums.preamble() + detail::conv2d_entry + detail::padded_input(s, ic);
    out += lines("for (long n = 0; n < ", s.batch, "; ++n)\nfor (long o = 0; o < ", s.co / oc,
                 "; ++o)\nfor (long p = 0; p < ", s.oh(), "; p += ", oh, ")\nfor (long q = 0; q < ", s.ow(),
                 "; q += ", ow, ") {\n", sums.declare());
    const bool ragged = s.oh() % oh != 0;
    const std::string each_row = lines(sums.unroll(oh), "for (int h = 0; h < ", oh, "; ++h)\n",
                                       ragged ? lines("if (p + h < ", s.oh(), ")\n") : std::string());
    out +=
        lines("for (long i = 0; i < ", s.ci / ic, "; ++i)\nfor (long r = 0; r < ", s.kernel_h, "; ++r) {\n", each_row,
              "{\nconst float* const xr = in + (((n * ", s.ci / ic, " + i) * ", rows, " + (p + h) * ", s.stride_h,
              " + r) * ", columns, " + q * ", s.stride_w, ") * ", ic, ";\nconst float* const wr = w + ((o * ",
              s.ci / ic, " + i) * ", s.kernel_h, " + r) * ", s.kernel_w * ic * oc, ";\n");
    const std::string over_k = lines("for (long k = 0; k < ", ic, "; ++k)\n");
    const std::string over_s = lines("for (long s = 0; s < ", s.kernel_w, "; ++s)\n");
    out += tiles.unroll_kw ? over_k + sums.unroll(s.kernel_w, oh * ow) + over_s : over_s + over_k;
    out += lines("{\nconst float* const wk = wr + (s * ", ic, " + k) * ", oc, ";\n", sums.unroll(ow),
                 "for (int j = 0; j < ", ow, "; ++j) {\nconst float e = xr[(j * ", s.stride_w, " + s) * ", ic,
                 " + k];\n", sums.add_scaled(at("h", "j"), "e", "wk"), "}\n}\n}\n}\n");
    out += lines(each_row, sums.unroll(ow), "for (int j = 0; j < ", ow, "; ++j) {\nfloat* const to = y + (((n * ",
                 s.co / oc, " + o) * ", s.oh(), " + p + h) * ", s.ow(), " + q + j) * ", oc, ";\n",
                 sums.store(at("h", "j"), "to"), "}\n}\n}\n");
    return out;
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
    using detail::lines;
    const int yi = y[2], xi = x[2], ki = k[1];
    const int chunk = inner > 1 && inner < yi ? inner : yi;
    const detail::generated_block sums("sum", yi, xi, unit);
    std::string out = sums.preamble() + detail::gemm_entry;
    out += lines("for (long xt = 0; xt < ", x[0], "; ++xt)\nfor (long yt = 0; yt < ", y[0],
                 "; ++yt)\nfor (long yo = 0; yo < ", y[1], "; ++yo)\nfor (long xo = 0; xo < ", x[1],
                 "; ++xo) {\nconst float* const ab = a + (yt * ", y[1], " + yo) * ", static_cast<long>(yi) * s.k,
                 ";\nconst float* const bb = b + (xt * ", x[1], " + xo) * ", static_cast<long>(xi) * s.k, ";\n",
                 sums.declare(), "for (long ko = 0; ko < ", s.k, "; ko += ", ki, ") {\n");
    // Rows [first, first + rows) of the block; in a copy of their own where there are several chunks.
    const auto part = [&](std::string_view first, int rows) {
        const detail::generated_block own("part", rows, xi, unit);
        const detail::generated_block& acc = chunk == yi ? sums : own;
        const std::string each_row = lines(acc.unroll(rows), "for (int j = 0; j < ", rows, "; ++j) {\n");
        std::string body = chunk == yi
                               ? std::string()
                               : acc.declare() + each_row + acc.copy_from("j", sums, lines(first, " + j")) + "}\n";
        body += lines(acc.unroll(ki, rows), "for (long k = ko; k < ko + ", ki,
                      "; ++k) {\nconst float* const bk = bb + k * ", xi, ";\n", each_row, "const float e = ab[(", first,
                      " + j) * ", s.k, " + k];\n", acc.add_scaled("j", "e", "bk"), "}\n}\n");
        if (chunk != yi) body += each_row + sums.copy_from(lines(first, " + j"), acc, "j") + "}\n";
        return body;
    };
    if (yi / chunk > 1) {
        out += lines("for (int first = 0; first + ", chunk, " <= ", yi, "; first += ", chunk, ") {\n",
                     part("first", chunk), "}\n");
    } else {
        out += lines("{\n", part("0", chunk), "}\n");
    }
    if (yi % chunk != 0) out += lines("{\n", part(std::to_string(yi - yi % chunk), yi % chunk), "}\n");
    out += lines("}\n", sums.unroll(yi), "for (int j = 0; j < ", yi, "; ++j) {\nfloat* const to = c + ((yt * ", y[1],
                 " + yo) * ", yi, " + j) * ", s.n, " + (xt * ", x[1], " + xo) * ", xi, ";\n", sums.store("j", "to"),
                 "}\n}\n}\n");
    return out;
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
    using detail::lines;
    const detail::generated_block sums("sum", yi, xi, vector, unit);
    const std::string each = lines(sums.unroll(yi), "for (int j = 0; j < ", yi, "; ++j)\n", sums.unroll(xi),
                                   "for (int i = 0; i < ", xi, "; ++i)");
    const std::string which = lines("j * ", xi, " + i");
    return lines(sums.preamble(), detail::gemm_entry, "for (long n = 0; n < ", s.batch, "; ++n)\nfor (long y = 0; y < ",
                 s.m, "; y += ", yi, ")\nfor (long x = 0; x < ", s.n, "; x += ", xi,
                 ") {\nconst float* const ab = a + (n * ", s.m, " + y) * ", s.k, ";\nconst float* const bb = b + (n * ",
                 s.n, " + x) * ", s.k, ";\n", sums.declare(), "for (long k = 0; k < ", s.k, "; k += ", vector, ")\n",
                 each, " {\n",
                 sums.add_product(which, lines("(ab + j * ", s.k, " + k)"), lines("(bb + i * ", s.k, " + k)")), "}\n",
                 each, "\nc[(n * ", s.m, " + y + j) * ", s.n, " + x + i] = ", sums.total(which), ";\n}\n}\n");
}

namespace detail {

/// With the flags that it wants: all vectors are in the text, and looking for more takes a quarter of the compiler's
/// time.
inline measure::source vectorised(std::string text)
{
    return {.text = std::move(text), .flags = {"-fno-tree-vectorize"}};
}

}  // namespace detail

/// AutoTVM's convolution as a template of generated code: kernels larger than 1 x 1.
[[nodiscard]] inline auto conv2d_x86_template(const conv2d_shape& s, const vector_unit& unit = vector_unit::host())
{
    return measure::source_template{conv2d_x86_space(s), [s, unit](const auto& c) {
                                        return detail::vectorised(conv2d_x86_source(s,
                                                                                    {.ic = get<"tile_ic">(c)[1],
                                                                                     .oc = get<"tile_oc">(c)[1],
                                                                                     .ow = get<"tile_ow">(c)[1],
                                                                                     .unroll_kw = get<"unroll_kw">(c)},
                                                                                    unit));
                                    }};
}

/// AutoTVM's 1 x 1 convolution as a template of generated code.
[[nodiscard]] inline auto pointwise_x86_template(const conv2d_shape& s, const vector_unit& unit = vector_unit::host())
{
    return measure::source_template{pointwise_x86_space(s), [s, unit](const auto& c) {
                                        return detail::vectorised(conv2d_x86_source(s,
                                                                                    {.ic = get<"tile_ic">(c)[1],
                                                                                     .oc = get<"tile_oc">(c)[1],
                                                                                     .ow = get<"tile_ow">(c)[1],
                                                                                     .oh = get<"tile_oh">(c)},
                                                                                    unit));
                                    }};
}

/// AutoTVM's dense layer with packed weights as a template of generated code.
[[nodiscard]] inline auto dense_pack_x86_template(const gemm_shape& s, const vector_unit& unit = vector_unit::host())
{
    return measure::source_template{
        dense_pack_x86_space(s), [s, unit](const auto& c) {
            return detail::vectorised(dense_pack_x86_source(s, get<"tile_y">(c), get<"tile_x">(c), get<"tile_k">(c),
                                                            get<"tile_inner">(c)[1], unit));
        }};
}

/// AutoTVM's dense layer with weights as they are, and its batched product, as a template of generated code.
[[nodiscard]] inline auto batched_gemm_x86_template(const gemm_shape& s, const vector_unit& unit = vector_unit::host())
{
    return measure::source_template{batched_gemm_x86_space(s), [s, unit](const auto& c) {
                                        return detail::vectorised(batched_gemm_x86_source(
                                            s, get<"tile_y">(c)[1], get<"tile_x">(c)[1], get<"tile_k">(c)[1], unit));
                                    }};
}

}  // namespace tunekit::kernels::autotvm
