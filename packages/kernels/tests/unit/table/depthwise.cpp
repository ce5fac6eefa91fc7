// SPDX-License-Identifier: MIT
#include "tunekit/kernels/depthwise/depthwise.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "packages/kernels/table/kernel_table.hpp"
#include "packages/kernels/tests/unit/support.hpp"
#include "tunekit/kernels/depthwise/space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

TEST_CASE(
    "every configuration of depthwise layers agrees with the definition, in both layouts, between pages without access")
{
    tk::random::philox gen(43);
    for (const int kernel : {3, 5, 7}) {
        for (const int stride : {1, 2}) {
            conv2d_shape shape = square_conv2d(20, 19, 20, kernel, stride, kernel / 2);
            shape.groups = 20;
            const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
            const auto want = reference_conv2d(shape, x, w);
            for (const auto vectorise : {vectorise_mode::channel, vectorise_mode::pixel}) {
                const auto space = depthwise_space(shape, kernel_table(), vectorise);
                REQUIRE(space.size() > 0);
                for (tk::index i = 0; i < space.size(); ++i) {
                    const auto config = config_of<depthwise_config>(space.at(i), vectorise);
                    CAPTURE(kernel);
                    CAPTURE(stride);
                    CAPTURE(i);
                    REQUIRE(relative_error(
                                convolve<depthwise_kernel>(shape, config, x, w, guard::behind, kernel_table()), want) <
                            1e-5);
                }
                CHECK(index_of(space, default_config<depthwise_config>(shape, kernel_table(), vectorise)).has_value());
            }
        }
    }
}
