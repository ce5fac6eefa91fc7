// SPDX-License-Identifier: MIT
// Direct convolutions in double precision, by plain code.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "product_support.hpp"
#include "small_tables.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/conv2d/space.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

TEST_CASE("a convolution in double precision has the known answer")
{
    // The window [[1, 2], [3, 4]] over [[1, 2, 3], [4, 5, 6], [7, 8, 9]].
    const conv2d_shape s{.ci = 1, .height = 3, .width = 3, .co = 1, .kernel_h = 2, .kernel_w = 2};
    const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8, 9}, w{1, 2, 3, 4};
    conv2d_kernel<formats::fp64> kernel(s, {.mr = 2, .nv = 1, .vl = 4}, small_table<formats::fp64>(), w);
    std::vector<double> y(kernel.output_size()), plain(4);
    kernel.run(x.data(), y.data());
    kernel.unpack_output(y, plain);
    CHECK(plain == std::vector<double>{37, 47, 67, 77});
}

TEST_CASE(
    "a convolution in double precision agrees with the wide definition, whatever its space says, and touches nothing "
    "beside")
{
    const std::array<conv2d_shape, 4> shapes{
        {{.ci = 6, .height = 9, .width = 11, .co = 12, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1},
         {.batch = 2,
          .ci = 4,
          .height = 12,
          .width = 10,
          .co = 9,
          .kernel_h = 5,
          .kernel_w = 3,
          .stride_h = 2,
          .stride_w = 2,
          .padding_h = 2,
          .padding_w = 1},
         {.ci = 10, .height = 6, .width = 7, .co = 8, .kernel_h = 1, .kernel_w = 1, .stride_h = 2, .stride_w = 2},
         {.ci = 6,
          .height = 8,
          .width = 8,
          .co = 16,
          .kernel_h = 3,
          .kernel_w = 3,
          .padding_h = 1,
          .padding_w = 1,
          .groups = 2}}};
    product_table<formats::fp64> table = small_table<formats::fp64>();
    table.lanes = 4;
    tk::random::philox gen(67);
    const auto n = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    for (const auto& s : shapes) {
        std::vector<double> x(n(s.inputs())), w(n(s.weights())), plain(n(s.outputs()));
        fill_randomly(std::span(x), gen);
        fill_randomly(std::span(w), gen);
        const auto want = reference_conv2d<formats::fp64>(s, x, w);
        const auto space = conv2d_space(s, table);
        const auto first = index_of(space, default_config(s, table));
        REQUIRE(first.has_value());
        std::vector<tk::index> points = space.sample(100, gen);
        points.push_back(*first);
        for (const tk::index i : points) {
            conv2d_kernel<formats::fp64> kernel(s, config_of<conv2d_config>(space.at(i)), table, w);
            CAPTURE(space.text(i));
            for (const guard side : {guard::behind, guard::before}) {
                basic_guarded<double> in(kernel.input_size(), side), out(kernel.output_size(), side);
                kernel.pack_input(x, in.span());
                out.fill(1e300);
                kernel.run(in.data(), out.data());
                kernel.unpack_output(out.span(), plain);
                REQUIRE(relative_error(plain, want) <= 1e-14);
            }
        }
    }
}
