// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AutoTVM's Winograd convolution as text for devices.

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
#include "tunekit/processes/build/device_source.hpp"

namespace tunekit::kernels::detail {

/// The matrices of F(m, r): outputs = A^T [(G g) * (B^T d)], * by element. Row-major, alpha = m + r - 1.
struct toom_matrices {
    int m = 2, r = 3;               ///< outputs per tile and side; taps
    std::vector<double> at, g, bt;  ///< m x alpha, alpha x r, alpha x alpha
};

/// The matrices of F(m, r) by Toom and Cook's construction, from the points 0, 1, -1, 1/2, -1/2, 2, -2, -1/4, 4 and
/// infinity, as many as needed.
/// Throws: std::invalid_argument unless m, r >= 1 and m + r <= 11.
/// Source: Lavin and Gray (2016), Fast Algorithms for Convolutional Neural Networks.
[[nodiscard]] inline toom_matrices toom_cook(int m, int r)
{
    constexpr std::array<double, 9> points{0, 1, -1, 0.5, -0.5, 2, -2, -0.25, 4};
    require(m >= 1 && r >= 1 && m + r <= 11, "autotvm: Winograd F(m, r): want m, r >= 1 and m + r <= 11");
    const auto alpha = static_cast<std::size_t>(m + r - 1), finite = alpha - 1;
    const auto rows = static_cast<std::size_t>(m), taps = static_cast<std::size_t>(r);
    toom_matrices out{m, r, std::vector<double>(rows * alpha), std::vector<double>(alpha * taps),
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

/// Two nested loops over a square of elements, i and j.
inline std::string square(int side)
{
    return lines("#pragma unroll\nfor (int i = 0; i < ", side, "; ++i)\n#pragma unroll\nfor (int j = 0; j < ", side,
                 "; ++j)\n");
}

inline constexpr const char* cuda_winograd_parameters =
    "const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output, float* "
    "__restrict__ scratch";

/// The product's operands and result in scratch memory.
inline constexpr const char* cuda_winograd_pointers = R"(
    const float* __restrict__ const a = scratch;
    const float* __restrict__ const b = scratch + {b};
    float* __restrict__ const c = scratch + {c};
)";

/// The transforms, a thread for each tile and channel.
inline constexpr const char* cuda_winograd_text = R"(
extern "C" __global__ void __launch_bounds__(128) transform_weights({parameters})
{
    const int e = (int)blockIdx.x * 128 + (int)threadIdx.x;
    if (e >= {filters}) return;
    const int o = e % {co}, i_channel = e / {co};
    float g[{r}][{r}];
{over_taps}
    g[i][j] = weights[((o * {ci} + i_channel) * {r} + i) * {r} + j];
{g_to_u}
{over_alpha}
    scratch[(i * {alpha} + j) * {filters} + e] = u[i][j];
}

extern "C" __global__ void __launch_bounds__(128) transform_input({parameters})
{
    const int e = (int)blockIdx.x * 128 + (int)threadIdx.x;
    if (e >= {in_tiles}) return;
{place}
    float d[{alpha}][{alpha}];
{over_alpha}
    {
        const int row = top - {padding_h} + i, column = left - {padding_w} + j;
        d[i][j] = (unsigned)row < {height}u && (unsigned)column < {width}u
                ? input[((batch * {ci} + channel) * {height} + row) * {width} + column] : 0.0f;
    }
{d_to_v}
{over_alpha}
    scratch[{b} + (i * {alpha} + j) * {in_tiles} + e] = v[i][j];
}

extern "C" __global__ void __launch_bounds__(128) transform_output({parameters})
{
    const int e = (int)blockIdx.x * 128 + (int)threadIdx.x;
    if (e >= {out_tiles}) return;
{place}
    float p[{alpha}][{alpha}];
{over_alpha}
    p[i][j] = scratch[{c} + (i * {alpha} + j) * {out_tiles} + e];
{p_to_y}
{over_m}
    if (top + i < {oh} && left + j < {ow}) output[((batch * {co} + channel) * {oh} + top + i) * {ow} + left + j] = y[i][j];
}
)";

/// Where a thread's tile lies in its image.
inline constexpr const char* cuda_winograd_place = R"(
    const int tile = e % {tiles}, channel = e / {tiles}, batch = tile / {per_image},
              top = tile / {columns} % {rows} * {m}, left = tile % {columns} * {m};
)";

/// The resources of a configuration of `winograd_cuda_space(s)`.
template <class Config>
[[nodiscard]] cuda_usage winograd_cuda_usage(const Config& c)
{
    return product_usage(cuda_tile(get<"tile_y">(c)), cuda_tile(get<"tile_x">(c)), get<"tile_rc">(c)[1]);
}

template <class Config>
[[nodiscard]] measure::device_source winograd_cuda_source(const conv2d_shape& s, const Config& c,
                                                          const autotvm::cuda_limits& limits = {})
{
    constexpr const char* who = "winograd_cuda_source";
    const winograd_shape f = winograd_of(s);
    require_fits(who, winograd_cuda_usage(c), limits);
    const std::int64_t products = std::int64_t{f.alpha} * f.alpha, ci = s.ci, co = s.co, tiles = f.tiles;
    const std::int64_t weights = products * ci * co, inputs = products * ci * tiles, sums = products * co * tiles;
    require_indexable(who, (std::max)({weights, inputs, sums, s.inputs(), s.outputs()}));
    const auto& rc = get<"tile_rc">(c);
    words w(s);
    w.set("b c", weights, weights + inputs);
    const cuda_product product{.entry = "product",
                               .rows = cuda_tile(get<"tile_y">(c)),
                               .columns = cuda_tile(get<"tile_x">(c)),
                               .outer = rc[0],
                               .depth = rc[1],
                               .batch = products,
                               .a = {1, co, ci * co},
                               .b = {1, tiles, ci * tiles},
                               .result = lines("c[(batch * ", co, " + row) * ", tiles, " + column]"),
                               .pointers = w.in(cuda_winograd_pointers)};
    require_launchable(who, product.launch());
    const std::string head = lines("extern \"C\" __global__ void __launch_bounds__(", product.threads(), ") product(",
                                   cuda_winograd_parameters, ")\n{\n");
    auto [text, statements] = product.text(who, head, unrolling_of(c));
    statements += 2 * products + f.m * f.alpha + std::int64_t{f.m} * f.m;
    require_compilable(who, statements);

    const toom_matrices t = toom_cook(f.m, s.kernel_h);
    const int rows = (s.oh() + f.m - 1) / f.m, columns = (s.ow() + f.m - 1) / f.m;
    w.set("tiles per_image rows columns m", tiles, rows * columns, rows, columns, f.m);
    w.set("place", w.in(cuda_winograd_place))
        .set("parameters r alpha", cuda_winograd_parameters, t.r, f.alpha)
        .set("filters in_tiles out_tiles", ci * co, ci * tiles, co * tiles)
        .set("over_taps over_alpha over_m", square(t.r), square(f.alpha), square(f.m))
        .set("g_to_u", both_sides(t.g, f.alpha, t.r, "g", "u"))
        .set("d_to_v", both_sides(t.bt, f.alpha, f.alpha, "d", "v"))
        .set("p_to_y", both_sides(t.at, f.m, f.alpha, "p", "y"));
    text += w.in(cuda_winograd_text);
    const auto launch = [](const char* entry, std::int64_t threads) {
        return measure::device_source::launch{
            .entry = entry, .grid = {(threads + 127) / 128, 1, 1}, .block = {128, 1, 1}};
    };
    return {
        .text = std::move(text),
        .prepare = {launch("transform_weights", ci * co)},
        .launches = {launch("transform_input", ci * tiles), product.launch(), launch("transform_output", co * tiles)},
        .scratch_floats = weights + inputs + sums,
        .statements = statements};
}

}  // namespace tunekit::kernels::detail
