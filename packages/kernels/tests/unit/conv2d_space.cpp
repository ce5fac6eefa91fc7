// SPDX-License-Identifier: MIT
#include "tunekit/kernels/conv2d/space.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

/// A table of that machine without code: spaces ask for shapes only.
std::vector<detail::tile<>> shapes_for(int registers, int lanes)
{
    std::vector<detail::tile<>> tiles;
    for (const int nv : {1, 2, 3, 4, 6}) {
        for (int mr = 1; mr <= 14 && detail::registers_of(mr, nv) <= registers + 2; ++mr)
            tiles.push_back({mr, nv, lanes, nullptr});
    }
    return tiles;
}

}  // namespace

TEST_CASE(
    "the space holds exactly the configurations that the kernel accepts, on a shape small enough to visit all of it")
{
    const conv2d_shape shape{
        .ci = 6, .height = 5, .width = 5, .co = 8, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
    const auto space = conv2d_space(shape, test_table());
    const std::vector<float> w(static_cast<std::size_t>(shape.weights()));
    REQUIRE(space.size() > 0);
    std::uint64_t members = 0;
    for (const auto& t : test_table().tiles) {
        const int nr = t.nv * t.vl, blocks = (8 + nr - 1) / nr;
        if (t.mr > 5 || blocks * nr > 10 || test_table().registers_for(t.mr, t.nv, t.vl) > test_table().registers + 2)
            continue;
        std::uint64_t oc_blocks = 0;
        for (int b = 1; b <= 64; b *= 2) oc_blocks += b == 1 || b < 2 * blocks;
        // ku, prefetch, oh_block in {1, 5}, order, inner, pad; of the 9 (block, chunk) 4 take all channels and have a third edge.
        members += oc_blocks * 4 * 5 * 2 * 6 * 2 * 2 * (9 * 2 + 4);
    }
    CHECK(space.size() == members);
    tk::random::philox gen(3);
    for (const tk::index i : space.sample(200, gen)) {
        const auto config = config_of<conv2d_config>(space.at(i));
        CHECK_NOTHROW(conv2d_kernel(shape, config, test_table(), w));
        CHECK(index_of(space, config) == i);
    }
}

TEST_CASE(
    "the register budget is the table's: 6 x 2 by default on 16 registers, 14 x 2 on 32, at most two over in the space")
{
    const auto narrow = shapes_for(16, 8), wide = shapes_for(32, 16);
    const tile_table avx2{.tiles = narrow, .registers = 16, .lanes = 8},
        avx512{.tiles = wide, .registers = 32, .lanes = 16};
    const auto shape = detail::resnet18[1].shape;
    CHECK(default_config(shape, avx2).mr == 6);
    CHECK(default_config(shape, avx2).nv == 2);
    CHECK(default_config(shape, avx512).mr == 14);
    CHECK(default_config(shape, avx512).nv == 2);
    for (const auto* table : {&avx2, &avx512}) {
        const auto space = conv2d_space(shape, *table);
        tk::random::philox gen(5);
        int most = 0;
        for (const tk::index i : space.sample(2000, gen)) {
            const auto c = config_of<conv2d_config>(space.at(i));
            most = std::max(most, table->registers_for(c.mr, c.nv, c.vl));
        }
        CHECK(most <= table->registers + 2);
        CHECK(most > table->registers);
    }
}

TEST_CASE("every layer of every network has a space that holds its default")
{
    const auto tiles = shapes_for(16, 8);
    const tile_table table{.tiles = tiles, .registers = 16, .lanes = 8};
    for (const auto& network : networks) {
        for (const auto& layer : network.convolutions) {
            CAPTURE(std::string(layer.name));
            const auto space = conv2d_space(layer.shape, table);
            CHECK(space.size() > 1000);
            CHECK(index_of(space, default_config(layer.shape, table)).has_value());
        }
    }
}

TEST_CASE("hazards are in the space on request only")
{
    const auto shape = detail::resnet18[0].shape;
    const auto tame = conv2d_space(shape, test_table()), wild = conv2d_space(shape, test_table(), hazards::included);
    CHECK(wild.size() > tame.size());
    auto c = default_config(shape, tile_table{.tiles = test_table().tiles, .registers = 16, .lanes = 4});
    CHECK(index_of(tame, c).has_value());
    c.ku = 0;
    CHECK(!index_of(tame, c).has_value());
    CHECK(index_of(wild, c).has_value());
    c.ku = 1;
    c.edge = edge_mode::overrun;
    CHECK(!index_of(tame, c).has_value());
    CHECK(index_of(wild, c).has_value());
}

TEST_CASE("a table without tiles is refused")
{
    CHECK_THROWS_AS((void)default_config(detail::resnet18[0].shape, tile_table{}), std::invalid_argument);
}
