// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CUDA source for the configurations of AutoTVM's Winograd convolution.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/detail/autotvm_cuda_product.hpp"
#include "tunekit/measure/build/source_template.hpp"
#include "tunekit/measure/cuda/source.hpp"

namespace tunekit::kernels::autotvm {

/// The matrices of F(m, r): outputs = A^T [(G g) * (B^T d)], * by element. Row-major, alpha = m + r - 1.
struct winograd_matrices {
    int m = 2, r = 3;               ///< outputs per tile and side; taps
    std::vector<double> at, g, bt;  ///< m x alpha, alpha x r, alpha x alpha
};

/// The matrices of F(m, r) by Toom and Cook's construction, from the points 0, 1, -1, 1/2, -1/2, 2, -2, -1/4, 4 and
/// infinity, as many as needed.
/// Throws: std::invalid_argument unless m, r >= 1 and m + r <= 11.
/// Source: Lavin and Gray (2016), Fast Algorithms for Convolutional Neural Networks.
[[nodiscard]] inline winograd_matrices winograd_transforms(int m, int r)
{
    constexpr std::array<double, 9> points{0, 1, -1, 0.5, -0.5, 2, -2, -0.25, 4};
    require(m >= 1 && r >= 1 && m + r <= 11, "autotvm::winograd_transforms: want m, r >= 1 and m + r <= 11");
    const auto alpha = static_cast<std::size_t>(m + r - 1), finite = alpha - 1;
    const auto rows = static_cast<std::size_t>(m), taps = static_cast<std::size_t>(r);
    winograd_matrices out{m, r, std::vector<double>(rows * alpha), std::vector<double>(alpha * taps),
                          std::vector<double>(alpha * alpha)};
    const auto product_of = [&](std::size_t without) {  // of (x - point), lowest power first
        std::vector<double> p{1};
        for (std::size_t l = 0; l < finite; ++l) {
            if (l == without) continue;
            p.push_back(0);
            for (std::size_t k = p.size(); k-- > 1;) p[k] = p[k - 1] - points[l] * p[k];
            p[0] *= -points[l];
        }
        return p;
    };
    for (std::size_t j = 0; j < alpha; ++j) {
        const std::vector<double> p = product_of(j);
        for (std::size_t k = 0; k < p.size(); ++k) out.bt[j * alpha + k] = p[k];
        if (j == finite) continue;
        double scale = 1, power = 1;
        for (std::size_t l = 0; l < finite; ++l)
            if (l != j) scale *= points[j] - points[l];
        for (std::size_t i = 0; i < rows || i < taps; ++i, power *= points[j]) {
            if (i < rows) out.at[i * alpha + j] = power;
            if (i < taps) out.g[j * taps + i] = power / scale;
        }
    }
    out.at[rows * alpha - 1] = 1;
    out.g[alpha * taps - 1] = 1;
    return out;
}

namespace detail {

/// `to` = T `from` T^T for the rows x columns matrix T, as text; zeros are left out. `from` is columns x columns.
inline std::string both_sides(const std::vector<double>& t, int rows, int columns, std::string_view from,
                              std::string_view to)
{
    const auto row = [&](int i, auto&& element) {
        std::string sum;
        for (int k = 0; k < columns; ++k) {
            const double factor =
                t[static_cast<std::size_t>(i) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(k)];
            if (factor == 0) continue;
            sum += sum.empty() ? "" : " + ";
            if (factor != 1) sum += lines(core::text_of(factor, std::chars_format::scientific, 9), "f * ");
            sum += element(k);
        }
        return sum;
    };
    std::string out =
        lines("float half[", rows, "][", columns, "];\n#pragma unroll\nfor (int j = 0; j < ", columns, "; ++j) {\n");
    for (int i = 0; i < rows; ++i)
        out += lines("half[", i, "][j] = ", row(i, [&](int k) { return lines(from, "[", k, "][j]"); }), ";\n");
    out +=
        lines("}\nfloat ", to, "[", rows, "][", rows, "];\n#pragma unroll\nfor (int i = 0; i < ", rows, "; ++i) {\n");
    for (int j = 0; j < rows; ++j)
        out += lines(to, "[i][", j, "] = ", row(j, [](int k) { return lines("half[i][", k, "]"); }), ";\n");
    return out + "}\n";
}

/// Two nested loops over a square of elements.
inline std::string square(int side, std::string_view statement)
{
    return lines("#pragma unroll\nfor (int i = 0; i < ", side, "; ++i)\n#pragma unroll\nfor (int j = 0; j < ", side,
                 "; ++j)\n", statement, "\n");
}

/// A function of `threads` threads, numbered `e`.
inline std::string each_element(std::string_view entry, std::string_view parameters, std::int64_t threads,
                                std::string_view body)
{
    return lines(kernels::detail::cuda_entry(entry, 128, parameters),
                 "const int e = (int)blockIdx.x * 128 + (int)threadIdx.x;\nif (e >= ", threads, ") return;\n", body,
                 "}\n");
}

}  // namespace detail

/// Source and launches of one configuration of `winograd_cuda_space(s)`.
///
/// Entries:    transform_weights, prepared once; transform_input, product, transform_output; all of (const float*
///             input, const float* weights, float* output, float* scratch); NCHW, OIHW, NCHW.
/// Nest:       the product, alpha^2 of co x ci x tiles: blocks; rc_o: [both operands to shared memory by the whole
///             block], rc_i, y, x, virtual threads. Only the product is tuned. The transforms take a thread per tile.
/// Departures: transformed weights are in scratch memory. Interpolation points are those of `winograd_transforms`.
/// Source:     TVM 0.6, topi.cuda.conv2d_winograd, `winograd_cuda` and `schedule_winograd_cuda`.
/// Errors:     std::invalid_argument where a static check refuses it, or more than 4096 statements are unrolled.
template <class Config>
[[nodiscard]] measure::cuda_source winograd_cuda_source(const conv2d_shape& s, const Config& c,
                                                        const cuda_limits& limits = {})
{
    using namespace detail;
    constexpr const char* who = "winograd_cuda_source";
    constexpr const char* parameters =
        "const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output, "
        "float* __restrict__ scratch";
    const winograd_shape w = winograd_of(s);
    require_fits(who, winograd_cuda_usage(c), limits);
    const std::int64_t products = std::int64_t{w.alpha} * w.alpha, ci = s.ci, co = s.co, tiles = w.tiles;
    const std::int64_t weights = products * ci * co, inputs = products * ci * tiles, sums = products * co * tiles;
    require_indexable(who, (std::max)({weights, inputs, sums, s.inputs(), s.outputs()}));
    const auto& rc = get<"tile_rc">(c);
    const cuda_product product{
        .entry = "product",
        .rows = cuda_tile(get<"tile_y">(c)),
        .columns = cuda_tile(get<"tile_x">(c)),
        .outer = rc[0],
        .depth = rc[1],
        .batch = products,
        .a = {"a", 1, co, ci * co},
        .b = {"b", 1, tiles, ci * tiles},
        .result = lines("c[(batch * ", co, " + row) * ", tiles, " + column]"),
        .pointers =
            lines("const float* __restrict__ const a = scratch;\nconst float* __restrict__ const b = scratch + ",
                  weights, ";\nfloat* __restrict__ const c = scratch + ", weights + inputs, ";\n")};
    require_launchable(who, product.launch());
    auto [text, statements] =
        product.text(who, kernels::detail::cuda_entry(product.entry, product.threads(), parameters), unrolling_of(c));
    statements += 2 * products + w.m * w.alpha + std::int64_t{w.m} * w.m;
    kernels::detail::require_compilable(who, statements);

    const winograd_matrices t = winograd_transforms(w.m, s.kernel_h);
    const int rows = (s.oh() + w.m - 1) / w.m, columns = (s.ow() + w.m - 1) / w.m;
    const std::string place =
        lines("const int tile = e % ", tiles, ", channel = e / ", tiles, ", batch = tile / ", rows * columns,
              ", top = tile / ", columns, " % ", rows, " * ", w.m, ", left = tile % ", columns, " * ", w.m, ";\n");
    text += each_element(
        "transform_weights", parameters, ci * co,
        lines("const int o = e % ", co, ", i_channel = e / ", co, ";\nfloat g[", t.r, "][", t.r, "];\n",
              square(t.r, lines("g[i][j] = weights[((o * ", ci, " + i_channel) * ", t.r, " + i) * ", t.r, " + j];")),
              both_sides(t.g, w.alpha, t.r, "g", "u"),
              square(w.alpha, lines("scratch[(i * ", w.alpha, " + j) * ", ci * co, " + e] = u[i][j];"))));
    text += each_element(
        "transform_input", parameters, ci * tiles,
        lines(place, "float d[", w.alpha, "][", w.alpha, "];\n",
              square(w.alpha, lines("{ const int row = top - ", s.padding_h, " + i, column = left - ", s.padding_w,
                                    " + j; d[i][j] = (unsigned)row < ", s.height, "u && (unsigned)column < ", s.width,
                                    "u ? input[((batch * ", ci, " + channel) * ", s.height, " + row) * ", s.width,
                                    " + column] : 0.0f; }")),
              both_sides(t.bt, w.alpha, w.alpha, "d", "v"),
              square(w.alpha,
                     lines("scratch[", weights, " + (i * ", w.alpha, " + j) * ", ci * tiles, " + e] = v[i][j];"))));
    text += each_element(
        "transform_output", parameters, co * tiles,
        lines(place, "float p[", w.alpha, "][", w.alpha, "];\n",
              square(w.alpha, lines("p[i][j] = scratch[", weights + inputs, " + (i * ", w.alpha, " + j) * ", co * tiles,
                                    " + e];")),
              both_sides(t.at, w.m, w.alpha, "p", "y"),
              square(w.m, lines("if (top + i < ", s.oh(), " && left + j < ", s.ow(), ") output[((batch * ", co,
                                " + channel) * ", s.oh(), " + top + i) * ", s.ow(), " + left + j] = y[i][j];"))));
    const auto launch = [](const char* entry, std::int64_t threads) {
        return measure::cuda_launch{.entry = entry, .grid = {(threads + 127) / 128, 1, 1}, .block = {128, 1, 1}};
    };
    return {
        .text = std::move(text),
        .prepare = {launch("transform_weights", ci * co)},
        .launches = {launch("transform_input", ci * tiles), product.launch(), launch("transform_output", co * tiles)},
        .scratch_floats = weights + inputs + sums,
        .statements = statements};
}

/// AutoTVM's Winograd convolution as a template of generated CUDA code.
[[nodiscard]] inline auto winograd_cuda_template(const conv2d_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{winograd_cuda_space(s),
                                    [s, limits](const auto& c) { return winograd_cuda_source(s, c, limits); }};
}

}  // namespace tunekit::kernels::autotvm
