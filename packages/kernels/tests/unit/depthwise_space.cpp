// SPDX-License-Identifier: MIT
#include "tunekit/kernels/depthwise/space.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/depthwise/depthwise.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

TEST_CASE(
    "every configuration of the depthwise spaces is one that the kernel takes, and right; the default is among them")
{
    const conv2d_shape shapes[] = {
        {.ci = 6,
         .height = 8,
         .width = 9,
         .co = 6,
         .kernel_h = 3,
         .kernel_w = 3,
         .padding_h = 1,
         .padding_w = 1,
         .groups = 6},
        {.batch = 2,
         .ci = 4,
         .height = 12,
         .width = 7,
         .co = 4,
         .kernel_h = 3,
         .kernel_w = 3,
         .stride_h = 2,
         .stride_w = 2,
         .padding_h = 1,
         .padding_w = 1,
         .groups = 4},
        {.ci = 9, .height = 6, .width = 12, .co = 9, .kernel_h = 5, .kernel_w = 5, .groups = 9},
    };
    tk::random::philox gen(41);
    for (const auto& shape : shapes) {
        const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
        const auto want = reference_conv2d(shape, x, w);
        for (const auto vectorise : {vectorise_mode::channel, vectorise_mode::pixel}) {
            const auto space = depthwise_space(shape, test_table(), vectorise);
            REQUIRE(space.size() > 2);
            const auto plain = default_config<depthwise_config>(shape, test_table(), vectorise);
            CHECK(index_of(space, plain).has_value());
            CHECK(plain.sweep == (vectorise == vectorise_mode::channel && shape.kernel_h == 3));  // the table's sweeps
            for (tk::index i = 0; i < space.size(); ++i) {
                const auto config = config_of<depthwise_config>(space.at(i), vectorise);
                CHECK(index_of(space, config) == i);
                REQUIRE(relative_error(convolve<depthwise_kernel>(shape, config, x, w), want) < 1e-5);
            }
        }
    }
}

TEST_CASE("a table without depthwise tiles has no default")
{
    const conv2d_shape shape{.ci = 4, .height = 8, .width = 8, .co = 4, .kernel_h = 3, .kernel_w = 3, .groups = 4};
    const tile_table none{.tiles = test_table().tiles};
    CHECK_THROWS_WITH((void)default_config<depthwise_config>(shape, none, vectorise_mode::pixel),
                      "tunekit: default_config: the table has no depthwise tile for the shape, want one");
}
