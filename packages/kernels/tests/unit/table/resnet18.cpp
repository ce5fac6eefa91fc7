// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "packages/kernels/table/kernel_table.hpp"
#include "packages/kernels/tests/unit/support.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/conv2d/space.hpp"
#include "tunekit/kernels/gemm/gemm.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

// The sums have at most 4608 products of numbers in [-1, 1): their roundings, 2^-24 of a partial sum each, stay below 1e-5 of the
// largest output by a factor of ten.
constexpr double tolerance = 1e-5;

TEST_CASE("the table of this machine holds every height up to its tallest, in at most 48 tiles")
{
    const auto& table = kernel_table();
    CHECK(table.tiles.size() >= 24);
    CHECK(table.tiles.size() <= 48);
    for (const auto& t : table.tiles) {
        for (int mr = 1; mr < t.mr; ++mr) CHECK((table.find(mr, t.nv, t.vl) != nullptr));
    }
}

TEST_CASE(
    "the default and 12 sampled configurations of every ResNet-18 layer agree with the definition, between pages "
    "without access")
{
    for (const auto& layer : detail::resnet18) {
        const auto& shape = layer.shape;
        tk::random::philox gen(37);
        const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
        const auto want = reference_conv2d(shape, x, w);
        const auto space = conv2d_space(shape, kernel_table());
        auto indices = space.sample(12, gen);
        indices.push_back(index_of(space, default_config(shape, kernel_table())).value());
        std::vector<float> y(want.size());
        for (const tk::index i : indices) {
            const auto config = config_of<conv2d_config>(space.at(i));
            CAPTURE(std::string(layer.name));
            CAPTURE(text(config));
            conv2d_kernel kernel(shape, config, kernel_table(), w);
            guarded in(kernel.input_size()), out(kernel.output_size());
            out.fill(1e30F);
            kernel.pack_input(x, in.span());
            kernel.run(in.data(), out.data());
            kernel.unpack_output(out.span(), y);
            REQUIRE(relative_error(y, want) < tolerance);
        }
    }
}

TEST_CASE(
    "the default and 20 sampled configurations of a transformer's products agree with the definition, between pages "
    "without access")
{
    const std::array<gemm_shape, 4> shapes{{{.m = 128, .n = 768, .k = 768},
                                            {.batch = 12, .m = 128, .n = 64, .k = 128},
                                            {.m = 1, .n = 1000, .k = 512},
                                            {.m = 37, .n = 61, .k = 300}}};
    for (const auto& s : shapes) {
        tk::random::philox gen(41);
        const auto a = uniform_floats(std::int64_t{s.batch} * s.m * s.k, gen),
                   b = uniform_floats(std::int64_t{s.batch} * s.k * s.n, gen);
        const auto want = reference_gemm(s, a, b);
        guarded ga(a.size()), gb(b.size()), gc(want.size());
        std::copy(a.begin(), a.end(), ga.data());
        std::copy(b.begin(), b.end(), gb.data());
        const auto space = gemm_space(s, kernel_table());
        auto indices = space.sample(20, gen);
        indices.push_back(index_of(space, default_config(s, kernel_table())).value());
        for (const tk::index i : indices) {
            CAPTURE(i);
            gc.fill(1e30F);
            gemm_kernel(s, config_of<gemm_config>(space.at(i)), kernel_table()).run(ga.data(), gb.data(), gc.data());
            REQUIRE(relative_error(gc.span(), want) < tolerance);
        }
    }
}
