// SPDX-License-Identifier: MIT
#include "tunekit/kernels/conv2d/choice.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <set>
#include <variant>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

constexpr conv2d_shape shape = small_shape;

/// By enumeration: the configurations of Winograd's convolution that the space should hold.
std::uint64_t winograd_members(const conv2d_shape& s, const tile_table& table)
{
    std::uint64_t n = 0;
    for (const auto& t : table.tiles) {
        const int nr = t.nv * t.vl, blocks = (s.co + nr - 1) / nr;
        if (4 * blocks * nr > 5 * s.co || table.registers_for(t.mr, t.nv, t.vl) > table.registers + 2) continue;
        for (const auto& h : table.winograd) {
            for (const auto& w : table.winograd) {
                if (h.vl != t.vl || w.vl != t.vl) continue;
                const int tiles = s.batch * ((s.oh() + h.tile - 1) / h.tile) * ((s.ow() + w.tile - 1) / w.tile);
                for (int m = 1; m <= 64 && t.mr <= tiles; m *= 2) {
                    for (int o = 1; o <= 64; o *= 2)
                        n += (m == 1 || m * t.mr < 2 * tiles) && (o == 1 || o < 2 * blocks);
                }
            }
        }
    }
    return n * 4 * 5 * 9 * 2 * 2;  // ku, prefetch, (ic_block, ic_chunk) of 6 channels, inner, layout
}

}  // namespace

TEST_CASE("the space holds what the direct one holds, and what Winograd's kernel accepts")
{
    const auto space = any_conv2d_space(shape, test_table());
    CHECK(space.size() == conv2d_space(shape, test_table()).size() + winograd_members(shape, test_table()));
    const std::vector<float> w(static_cast<std::size_t>(shape.weights()));
    tk::random::philox gen(41);
    std::set<conv2d_algorithm> seen;
    for (const tk::index i : space.sample(300, gen)) {
        const auto config = config_of<any_conv2d_config>(space.at(i));
        CHECK(index_of(space, config) == i);
        const any_conv2d_kernel kernel(shape, config, test_table(), w);
        CHECK(static_cast<std::size_t>(kernel.algorithm()) == config.index());
        CHECK(kernel.shape() == shape);
        CHECK(space.texts(i)[0] == to_text(kernel.algorithm()));
        seen.insert(kernel.algorithm());
    }
    CHECK(seen.size() == 2);
}

TEST_CASE("either algorithm's kernel computes the convolution")
{
    const auto space = any_conv2d_space(shape, test_table());
    tk::random::philox gen(43);
    const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
    const auto want = reference_conv2d(shape, x, w);
    for (const tk::index i : space.sample(100, gen)) {
        const auto config = config_of<any_conv2d_config>(space.at(i));
        any_conv2d_kernel kernel(shape, config, test_table(), w);
        guarded in(kernel.input_size()), out(kernel.output_size());
        kernel.pack_input(x, in.span());
        kernel.run(in.data(), out.data());
        std::vector<float> y(want.size());
        kernel.unpack_output(out.span(), y);
        CHECK(relative_error(y, want) < 5e-4);  // with six channels F(8 x 8) comes this close
        CHECK(kernel.scratch_size() > 0);
    }
}

TEST_CASE("Winograd is chosen from where it can be: 3 x 3 without stride, and a table with transforms")
{
    for (const auto& layer : detail::resnet18) {
        CAPTURE(layer.name);
        const auto space = any_conv2d_space(layer.shape, test_table());
        const auto direct = conv2d_space(layer.shape, test_table());
        CHECK((space.size() > direct.size()) == layer.shape.fits_winograd());
    }
    tile_table plain = test_table();
    plain.winograd = {};
    CHECK(any_conv2d_space(shape, plain).size() == conv2d_space(shape, plain).size());
}

TEST_CASE("the untuned configuration is direct, and in the space of every layer")
{
    const tile_table table{.tiles = test_table().tiles, .registers = 16, .lanes = 4, .winograd = test_table().winograd};
    for (const auto& layer : detail::resnet18) {
        const any_conv2d_config config = default_config(layer.shape, table);
        CHECK(config.index() == 0);
        CHECK(index_of(any_conv2d_space(layer.shape, table), config).has_value());
    }
}

TEST_CASE("scratch is at most 8 MiB")
{
    const auto large = square_conv2d(256, 56, 256, 3, 1, 1);
    const auto space = any_conv2d_space(large, test_table());
    tk::random::philox gen(47);
    std::ptrdiff_t most = 0;
    for (const tk::index i : space.sample(2000, gen)) {
        const auto config = config_of<any_conv2d_config>(space.at(i));
        if (const auto* c = std::get_if<winograd_config>(&config))
            most = (std::max)(most, detail::winograd_scratch(large, *c));
    }
    CHECK(most > std::ptrdiff_t{1} << 20);
    CHECK(most <= std::ptrdiff_t{1} << 21);
}

TEST_CASE("hazards are the direct algorithm's, on request only")
{
    const auto tame = any_conv2d_space(shape, test_table()),
               wild = any_conv2d_space(shape, test_table(), hazards::included);
    const auto direct = conv2d_space(shape, test_table()),
               hazardous = conv2d_space(shape, test_table(), hazards::included);
    CHECK(wild.size() - tame.size() == hazardous.size() - direct.size());
}

TEST_CASE("a configuration outside the space has no index")
{
    const auto space = any_conv2d_space(shape, test_table());
    winograd_config c{
        .tile_h = 4, .tile_w = 2, .mr = 2, .nv = 1, .vl = 4, .ic_block = 3, .ic_chunk = 2, .tile_block = 8};
    CHECK(index_of(space, any_conv2d_config{c}).has_value());
    c.tile_block = 7;  // no multiple of mr
    CHECK(!index_of(space, any_conv2d_config{c}).has_value());
    c.tile_block = 8;
    c.tile_h = 9;
    CHECK(!index_of(space, any_conv2d_config{c}).has_value());
    CHECK(!index_of(space, any_conv2d_config{conv2d_config{.ku = 3}}).has_value());
}
