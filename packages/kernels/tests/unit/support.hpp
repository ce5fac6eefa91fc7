// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/support/guarded.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/random/uniform.hpp"

/// Tiles of four-float vectors, for any machine: small enough to compile in every unit test build.
const tunekit::kernels::tile_table& test_table();

/// Nothing of it comes out even, and Winograd takes it.
inline constexpr tunekit::kernels::conv2d_shape small_shape{.batch = 2,
                                                            .ci = 6,
                                                            .height = 9,
                                                            .width = 7,
                                                            .co = 10,
                                                            .kernel_h = 3,
                                                            .kernel_w = 3,
                                                            .padding_h = 1,
                                                            .padding_w = 1};

/// Shapes whose rows, taps, strides and channels do not come out even.
inline const std::vector<tunekit::kernels::conv2d_shape> awkward_shapes{
    {.ci = 3, .height = 11, .width = 13, .co = 9, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1},
    {.ci = 3,
     .height = 17,
     .width = 15,
     .co = 8,
     .kernel_h = 7,
     .kernel_w = 7,
     .stride_h = 2,
     .stride_w = 2,
     .padding_h = 3,
     .padding_w = 3},
    {.batch = 2,
     .ci = 8,
     .height = 7,
     .width = 7,
     .co = 12,
     .kernel_h = 3,
     .kernel_w = 3,
     .padding_h = 1,
     .padding_w = 1},
    {.ci = 12, .height = 6, .width = 10, .co = 16, .kernel_h = 1, .kernel_w = 1},
    {.batch = 3, .ci = 6, .height = 9, .width = 8, .co = 5, .kernel_h = 1, .kernel_w = 1, .stride_h = 2, .stride_w = 2},
    {.ci = 4, .height = 2, .width = 1, .co = 7, .kernel_h = 5, .kernel_w = 5, .padding_h = 4, .padding_w = 3},
    {.ci = 2,
     .height = 12,
     .width = 9,
     .co = 4,
     .kernel_h = 5,
     .kernel_w = 1,
     .stride_h = 3,
     .stride_w = 2,
     .padding_h = 2},
    {.ci = 5, .height = 1, .width = 20, .co = 3, .kernel_h = 1, .kernel_w = 11, .stride_w = 4, .padding_w = 2},
    {.ci = 16,
     .height = 8,
     .width = 8,
     .co = 8,
     .kernel_h = 3,
     .kernel_w = 3,
     .stride_h = 2,
     .stride_w = 2,
     .padding_h = 1,
     .padding_w = 1},
};

template <class G>
std::vector<float> uniform_floats(std::int64_t n, G& gen)
{
    std::vector<float> v(static_cast<std::size_t>(n));
    for (auto& f : v) f = static_cast<float>(2 * tunekit::random::uniform_01(gen) - 1);
    return v;
}

template <class G>
int one_of(std::initializer_list<int> values, G& gen)
{
    return values.begin()[tunekit::random::uniform_index(values.size(), gen)];
}

template <class G>
int divisor_of(int n, G& gen)
{
    std::vector<int> divisors;
    for (int d = 1; d <= n; ++d) {
        if (n % d == 0) divisors.push_back(d);
    }
    return divisors[tunekit::random::uniform_index(divisors.size(), gen)];
}

/// Any configuration of a product with the table's tiles, in a format of that `group`.
template <class Table, class G>
tunekit::kernels::gemm_config random_gemm_config(const Table& table, G& gen, int group = 1)
{
    namespace k = tunekit::kernels;
    const auto& t = table.tiles[tunekit::random::uniform_index(table.tiles.size(), gen)];
    return {.mr = t.mr,
            .nv = t.nv,
            .vl = t.vl,
            .ku = one_of({1, 2, 4, 8}, gen),
            .prefetch = one_of({0, 8}, gen),
            .mc = one_of({1, 3, 8, 64}, gen),
            .nc = t.nv * t.vl * one_of({1, 2, 5}, gen),
            .kc = group * one_of({1, 2, 5, 32, 128}, gen),
            .order = static_cast<k::loop_order>(one_of({0, 1, 2, 3, 4, 5}, gen)),
            .inner = static_cast<k::inner_order>(one_of({0, 1}, gen)),
            .pack_a = one_of({0, 1}, gen) == 1,
            .pack_b = group > 1 || one_of({0, 1}, gen) == 1,
            .fetch_c = one_of({0, 1}, gen) == 1,
            .edge = static_cast<k::edge_mode>(one_of({0, 1}, gen))};
}

/// Any configuration that the test table and the shape allow, but for the hazardous ones.
template <class Config = tunekit::kernels::conv2d_config, class G>
Config random_config(const tunekit::kernels::conv2d_shape& s, G& gen)
{
    namespace k = tunekit::kernels;
    const auto tiles = test_table().tiles;
    const auto& t = tiles[tunekit::random::uniform_index(tiles.size(), gen)];
    Config c{.mr = t.mr, .nv = t.nv, .vl = t.vl, .ku = one_of({1, 2, 4, 8}, gen), .prefetch = one_of({0, 8}, gen)};
    c.ic_block = divisor_of(s.ci, gen);
    c.ic_chunk = divisor_of(s.ci / c.ic_block, gen);
    c.oh_block = divisor_of(s.oh(), gen);
    c.oc_block = one_of({1, 2, 4}, gen);
    c.order = static_cast<k::loop_order>(one_of({0, 1, 2, 3, 4, 5}, gen));
    c.inner = static_cast<k::inner_order>(one_of({0, 1}, gen));
    c.pad = static_cast<k::padding_mode>(one_of({0, 1}, gen));
    const bool whole = c.ic_block * c.ic_chunk == s.ci;
    c.edge = static_cast<k::edge_mode>(whole ? one_of({0, 1, 2}, gen) : one_of({0, 1}, gen));
    return c;
}

/// The output in NCHW of a convolution's kernel, whatever its layouts, on operands beside pages without access, on the side asked for.
template <class Kernel>
std::vector<float> convolve(const tunekit::kernels::conv2d_shape& shape,
                            const std::remove_cvref_t<decltype(std::declval<const Kernel&>().config())>& config,
                            const std::vector<float>& x, const std::vector<float>& w, guard side = guard::behind,
                            const tunekit::kernels::tile_table& table = test_table())
{
    guarded weights(w.size(), side);
    std::copy(w.begin(), w.end(), weights.data());
    Kernel kernel(shape, config, table, weights.span());
    guarded in(kernel.input_size(), side), out(kernel.output_size(), side);
    constexpr bool packs = requires(std::vector<float>& to) { kernel.pack_input(x, to); };
    if constexpr (packs) {
        kernel.pack_input(x, in.span());
    } else {
        std::copy(x.begin(), x.end(), in.data());
    }
    out.fill(1e30F);  // what is not written shows
    kernel.run(in.data(), out.data());
    kernel.run(in.data(), out.data());  // a second run finds nothing of the first
    if constexpr (packs) {
        std::vector<float> y(static_cast<std::size_t>(shape.outputs()));
        kernel.unpack_output(out.span(), y);
        return y;
    } else {
        return {out.span().begin(), out.span().end()};
    }
}

inline std::string text(const tunekit::kernels::conv2d_shape& s)
{
    const auto n = [](int i) { return std::to_string(i) + " "; };
    return n(s.batch) + n(s.ci) + n(s.height) + n(s.width) + n(s.co) + n(s.kernel_h) + n(s.kernel_w) + n(s.stride_h) +
           n(s.padding_h);
}

/// On each of `shapes`, `trials` configurations that `draw(shape, gen)` makes compute the convolution to within `tolerance` of the
/// largest output, and touch nothing beside their operands. `name(config)` tells which.
template <class Kernel, class Draw, class Name, class G>
void check_against_the_definition(std::span<const tunekit::kernels::conv2d_shape> shapes, int trials, double tolerance,
                                  const Draw& draw, const Name& name, G gen)
{
    for (const auto& shape : shapes) {
        const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
        const auto want = tunekit::kernels::reference_conv2d(shape, x, w);
        for (int trial = 0; trial < trials; ++trial) {
            const auto config = draw(shape, gen);
            CAPTURE(text(shape));
            CAPTURE(name(config));
            REQUIRE(tunekit::kernels::relative_error(
                        convolve<Kernel>(shape, config, x, w, trial % 2 == 0 ? guard::behind : guard::before), want) <
                    tolerance);
        }
    }
}

template <class Config>
std::string text_of_loops(const Config& c)
{
    const auto n = [](const char* name, int i) { return std::string(name) + "=" + std::to_string(i) + " "; };
    return n("mr", c.mr) + n("nv", c.nv) + n("vl", c.vl) + n("ku", c.ku) + n("pf", c.prefetch) + n("icb", c.ic_block) +
           n("icc", c.ic_chunk) + n("ohb", c.oh_block) + n("ocb", c.oc_block) + n("order", static_cast<int>(c.order)) +
           n("inner", static_cast<int>(c.inner)) + n("pad", static_cast<int>(c.pad)) +
           n("edge", static_cast<int>(c.edge));
}

inline std::string text(const tunekit::kernels::conv2d_config& c) { return text_of_loops(c); }

inline std::string text(const tunekit::kernels::nchw_config& c)
{
    return to_text(c.vectorise) + " " + text_of_loops(c);
}
