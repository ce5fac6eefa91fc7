// SPDX-License-Identifier: MIT
#include "tunekit/kernels/conv2d/space.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/conv2d/nchw.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

const tile_table& four_lanes()
{
    static const tile_table table{.tiles = test_table().tiles, .registers = 16, .lanes = 4};
    return table;
}

}  // namespace

TEST_CASE(
    "the plain NCHW space holds exactly the combinations that its table of constraints admits, on a shape small enough "
    "to count")
{
    const conv2d_shape shape{
        .ci = 2, .height = 4, .width = 4, .co = 4, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
    const auto space = conv2d_nchw_space(shape, four_lanes());
    std::uint64_t members = 0;
    for (const auto& t : four_lanes().tiles) {
        if (four_lanes().registers_for(t.mr, t.nv, t.vl) > 18 || t.mr > 4) continue;
        const int width = t.nv * t.vl;
        // (ic_block, ic_chunk) is (1, 1), (1, 2) or (2, 1); the last two take all channels and have a third edge.
        const std::uint64_t rest = 4 * 5 * 3 * 6 * 2 * 2;  // ku, prefetch, oh_block in {1, 2, 4}, order, inner, pad
        if (width == 4) members += rest * 8;               // channel: one tile of channels
        if ((t.nv - 1) * t.vl < 4) {
            std::uint64_t blocks = 0;  // pixel: tiles of mr channels
            for (int b = 1; b <= 64; b *= 2) blocks += b == 1 || b * t.mr < 2 * ((4 + t.mr - 1) / t.mr * t.mr);
            members += blocks * rest * 8;
        }
    }
    CHECK(space.size() == members);
}

TEST_CASE("every sampled configuration of the plain NCHW space is one that the kernel takes, and right")
{
    const conv2d_shape shapes[] = {
        {.ci = 6, .height = 9, .width = 11, .co = 10, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1},
        {.batch = 2, .ci = 8, .height = 6, .width = 6, .co = 12, .kernel_h = 1, .kernel_w = 1},
        {.ci = 4, .height = 7, .width = 9, .co = 8, .kernel_h = 1, .kernel_w = 1, .stride_h = 2, .stride_w = 2},
        {.ci = 8,
         .height = 8,
         .width = 7,
         .co = 12,
         .kernel_h = 3,
         .kernel_w = 3,
         .stride_h = 2,
         .stride_w = 2,
         .padding_h = 1,
         .padding_w = 1,
         .groups = 2},
    };
    tk::random::philox gen(23);
    for (const auto& shape : shapes) {
        const auto space = conv2d_nchw_space(shape, four_lanes());
        const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
        const auto want = reference_conv2d(shape, x, w);
        for (const tk::index i : space.sample(150, gen)) {
            const auto config = config_of<nchw_config>(space.at(i));
            CHECK(index_of(space, config) == i);
            REQUIRE(relative_error(convolve<nchw_kernel>(shape, config, x, w, guard::behind, four_lanes()), want) <
                    1e-5);
        }
    }
}

TEST_CASE(
    "strides, paddings, kernels, odd channels, batches and non-square images: sampled configurations of both direct "
    "spaces are right")
{
    // Every stride of 1 to 3 with every kernel, paddings of 0 and half the kernel; the rest changes with them.
    tk::random::philox gen(37);
    for (const int kernel : {1, 3, 5, 7, 11}) {
        for (const int stride : {1, 2, 3}) {
            for (const int padding : {0, kernel / 2}) {
                if (kernel == 1 && padding == 0 && stride == 1) continue;  // the same as with padding kernel / 2
                const conv2d_shape shape{.batch = one_of({1, 2}, gen),
                                         .ci = one_of({1, 3, 5, 6}, gen),
                                         .height = kernel + one_of({2, 5, 6}, gen),
                                         .width = kernel + one_of({1, 4, 8}, gen),
                                         .co = one_of({1, 4, 7, 9}, gen),
                                         .kernel_h = kernel,
                                         .kernel_w = kernel,
                                         .stride_h = stride,
                                         .stride_w = stride,
                                         .padding_h = padding,
                                         .padding_w = padding};
                CAPTURE(text(shape));
                const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
                const auto want = reference_conv2d(shape, x, w);
                const double within = 6e-8 * shape.ci * kernel * kernel + 1e-6;  // a rounding for every product
                const auto plain = conv2d_nchw_space(shape, four_lanes());
                for (const tk::index i : plain.sample(12, gen)) {
                    const auto y = convolve<nchw_kernel>(shape, config_of<nchw_config>(plain.at(i)), x, w,
                                                         guard::behind, four_lanes());
                    REQUIRE(relative_error(y, want) < within);
                }
                const auto blocked = conv2d_space(shape, four_lanes());
                for (const tk::index i : blocked.sample(12, gen)) {
                    const auto y = convolve<conv2d_kernel>(shape, config_of<conv2d_config>(blocked.at(i)), x, w,
                                                           guard::behind, four_lanes());
                    REQUIRE(relative_error(y, want) < within);
                }
            }
        }
    }
}

TEST_CASE("every layer of every network has a plain NCHW space that holds its default")
{
    for (const auto& network : networks) {
        for (const auto& layer : network.convolutions) {
            CAPTURE(std::string(layer.name));
            const auto space = conv2d_nchw_space(layer.shape, four_lanes());
            CHECK(space.size() > 1000);
            CHECK(index_of(space, default_config<nchw_config>(layer.shape, four_lanes())).has_value());
        }
    }
}
