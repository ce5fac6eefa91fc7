// SPDX-License-Identifier: MIT
#include "tunekit/kernels/conv2d/family.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <variant>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

TEST_CASE("one space for all shapes: each of its configurations computes each convolution")
{
    const auto space = conv2d_family_space(test_table());
    tk::random::philox gen(61);
    std::set<conv2d_algorithm> seen;
    for (const conv2d_shape& shape : {small_shape, square_conv2d(5, 9, 7, 1, 1, 0), square_conv2d(12, 8, 10, 3, 2, 1),
                                      square_conv2d(3, 11, 9, 5, 1, 2), square_conv2d(8, 7, 16, 3, 1, 1)}) {
        const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
        const auto want = reference_conv2d(shape, x, w);
        for (const tk::index i : space.sample(60, gen)) {
            const auto c = config_of<conv2d_family_config>(space.at(i));
            CHECK(index_of(space, c) == i);
            any_nchw_kernel kernel(shape, c.for_shape(shape), test_table(), w);
            std::vector<float> y(want.size(), 1e30F);
            kernel.run(x.data(), y.data());
            CHECK(relative_error(y, want) < 1e-4);
            CHECK((kernel.algorithm() == conv2d_algorithm::winograd) ==
                  (c.algorithm == conv2d_algorithm::winograd && shape.fits_winograd()));
            seen.insert(kernel.algorithm());
        }
    }
    CHECK(seen.size() == 2);
}

TEST_CASE("blocks are the largest divisors within what the family allows")
{
    const conv2d_family_config c{.ic_width = 32, .ic_depth = 256, .oh_rows = 8};
    const auto at = std::get<nchw_config>(c.for_shape(square_conv2d(144, 14, 64, 3, 1, 1)));
    CHECK(at.ic_block == 24);
    CHECK(at.ic_chunk == 6);  // 144 / 24 blocks, at most 10
    CHECK(at.oh_block == 7);
}

TEST_CASE("the family's default is the plain default at every layer of the networks")
{
    const auto space = conv2d_family_space(test_table());
    for (const auto& net : networks)
        for (const auto& l : net.convolutions) {
            const auto c = default_config<conv2d_family_config>(l.shape, test_table());
            CHECK_MESSAGE(index_of(space, c).has_value(), l.name);
            CHECK_MESSAGE(c.for_shape(l.shape) == any_nchw_config(default_config<nchw_config>(l.shape, test_table())),
                          l.name);
        }
}
