// SPDX-License-Identifier: MIT
#include "tunekit/kernels/gemm/gemm.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

TEST_CASE(
    "a product agrees with the definition for every blocking, packing, order and edge, and touches nothing beside its "
    "matrices")
{
    const std::array<gemm_shape, 7> shapes{{{.m = 1, .n = 1, .k = 1},
                                            {.m = 7, .n = 13, .k = 5},
                                            {.m = 16, .n = 16, .k = 16},
                                            {.m = 1, .n = 50, .k = 33},
                                            {.m = 23, .n = 3, .k = 9},
                                            {.batch = 3, .m = 6, .n = 20, .k = 17},
                                            {.m = 12, .n = 64, .k = 2}}};
    tk::random::philox gen(17);
    for (const auto& s : shapes) {
        const auto a = uniform_floats(std::int64_t{s.batch} * s.m * s.k, gen),
                   b = uniform_floats(std::int64_t{s.batch} * s.k * s.n, gen);
        const auto want = reference_gemm(s, a, b);
        guarded ga(a.size()), gb(b.size()), gc(want.size());
        std::copy(a.begin(), a.end(), ga.data());
        std::copy(b.begin(), b.end(), gb.data());
        for (int trial = 0; trial < 200; ++trial) {
            const auto config = random_gemm_config(test_table(), gen);
            gemm_kernel kernel(s, config, test_table());
            for (int run = 0; run < 2; ++run) {
                gc.fill(1e30F);
                kernel.run(ga.data(), gb.data(), gc.data());
                CAPTURE(s.m);
                CAPTURE(s.n);
                CAPTURE(config.mr);
                CAPTURE(config.nv);
                CAPTURE(config.nc);
                // At most 33 roundings of 2^-24 relative to the largest sum.
                REQUIRE(relative_error(gc.span(), want) < 1e-5);
            }
        }
    }
}

TEST_CASE("leading dimensions leave what lies between the rows alone")
{
    const gemm_shape s{.batch = 2, .m = 5, .n = 9, .k = 6};
    const gemm_strides strides{.lda = 8, .ldb = 11, .ldc = 14, .batch_a = 50, .batch_b = 70, .batch_c = 80};
    tk::random::philox gen(19);
    const auto a = uniform_floats(100, gen), b = uniform_floats(140, gen);
    std::vector<float> dense_a, dense_b;
    for (int i = 0; i < 2; ++i) {
        for (int r = 0; r < 5; ++r)
            dense_a.insert(dense_a.end(), a.begin() + i * 50 + r * 8, a.begin() + i * 50 + r * 8 + 6);
        for (int r = 0; r < 6; ++r)
            dense_b.insert(dense_b.end(), b.begin() + i * 70 + r * 11, b.begin() + i * 70 + r * 11 + 9);
    }
    const auto want = reference_gemm(s, dense_a, dense_b);
    for (int trial = 0; trial < 100; ++trial) {
        std::vector<float> c(160, 7.0F);
        gemm_kernel(s, random_gemm_config(test_table(), gen), test_table(), strides).run(a.data(), b.data(), c.data());
        for (int i = 0; i < 2; ++i) {
            for (int r = 0; r < 5; ++r) {
                for (int j = 0; j < 14; ++j) {
                    const float got = c[static_cast<std::size_t>(i * 80 + r * 14 + j)];
                    if (j < 9) {
                        const float expected = want[static_cast<std::size_t>((i * 5 + r) * 9 + j)];
                        REQUIRE(std::fabs(got - expected) < 1e-5F);
                    } else {
                        REQUIRE(got == 7.0F);
                    }
                }
            }
        }
    }
}

TEST_CASE("a product's configuration that does not fit is refused with its parameter named")
{
    const gemm_shape s{.m = 8, .n = 8, .k = 8};
    const gemm_config good{.mr = 2, .nv = 1, .vl = 4, .mc = 8, .nc = 8, .kc = 8};
    const auto with = [&](auto change) {
        auto c = good;
        change(c);
        return [&, c] { gemm_kernel(s, c, test_table()); };
    };
    CHECK_NOTHROW(with([](auto&) {})());
    CHECK_THROWS_WITH(with([](auto& c) { c.nc = 6; })(),
                      "tunekit: gemm_config: nc is 6, want a positive multiple of nv vl");
    CHECK_THROWS_WITH(with([](auto& c) { c.mc = 0; })(), "tunekit: gemm_config: mc is 0, want >= 1");
    CHECK_THROWS_WITH(with([](auto& c) { c.mr = 0; })(),
                      "tunekit: gemm_config: no tile 0 x 1 x 4 in the table, want one of its tiles");
    CHECK_THROWS_AS(with([](auto& c) { c.edge = edge_mode::overlap; })(), std::invalid_argument);
}

TEST_CASE(
    "every product of every network has a space that holds its default, and the kernel accepts what the space holds")
{
    tk::random::philox gen(23);
    const tile_table table{.tiles = test_table().tiles, .registers = 16, .lanes = 4};
    for (const auto& network : networks) {
        for (const auto& layer : network.products) {
            CAPTURE(std::string(layer.name));
            const auto space = gemm_space(layer.shape, table);
            CHECK(space.size() > 1'000'000);
            const auto i = index_of(space, default_config(layer.shape, table));
            REQUIRE(i.has_value());
            CHECK(config_of<gemm_config>(space.at(*i)) == default_config(layer.shape, table));
            for (const tk::index j : space.sample(30, gen)) {
                const gemm_kernel kernel(layer.shape, config_of<gemm_config>(space.at(j)), table);
                CHECK(kernel.scratch_size() * sizeof(float) <= 8 * 1024 * 1024 + 65536);
            }
        }
    }
}
