// SPDX-License-Identifier: MIT
#include "tunekit/kernels/conv2d/choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

constexpr conv2d_shape shape = small_shape;

}  // namespace

TEST_CASE("the plain space holds what the plain direct one holds, and Winograd as often as the blocked one does")
{
    const auto space = any_nchw_space(shape, test_table());
    const auto winograd = any_conv2d_space(shape, test_table()).size() - conv2d_space(shape, test_table()).size();
    CHECK(winograd > 0);
    CHECK(space.size() == conv2d_nchw_space(shape, test_table()).size() + winograd);
    tk::random::philox gen(53);
    for (const tk::index i : space.sample(200, gen))
        CHECK(index_of(space, config_of<any_nchw_config>(space.at(i))) == i);
}

TEST_CASE("either algorithm computes the convolution of plain tensors, and touches nothing beside its operands")
{
    const auto space = any_nchw_space(shape, test_table());
    tk::random::philox gen(59);
    const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
    const auto want = reference_conv2d(shape, x, w);
    std::set<conv2d_algorithm> seen;
    for (const tk::index i : space.sample(200, gen)) {
        const auto side = i % 2 == 0 ? guard::behind : guard::before;
        any_nchw_kernel kernel(shape, config_of<any_nchw_config>(space.at(i)), test_table(), w);
        REQUIRE(kernel.input_size() == x.size());
        REQUIRE(kernel.output_size() == want.size());
        guarded in(x.size(), side), out(want.size(), side);
        std::copy(x.begin(), x.end(), in.data());
        out.fill(1e30F);
        kernel.run(in.data(), out.data());
        CHECK(relative_error(out.span(), want) < 5e-4);  // with six channels F(8 x 8) comes this close
        CHECK(kernel.scratch_size() > 0);
        seen.insert(kernel.algorithm());
    }
    CHECK(seen.size() == 2);
}

TEST_CASE("the untuned configuration of plain layouts is direct, and in the space of every layer")
{
    const tile_table table{.tiles = test_table().tiles, .registers = 16, .lanes = 4, .winograd = test_table().winograd};
    for (const auto& layer : detail::resnet18) {
        CAPTURE(layer.name);
        const any_nchw_config config = default_config<nchw_config>(layer.shape, table);
        CHECK(config.index() == 0);
        CHECK(index_of(any_nchw_space(layer.shape, table), config).has_value());
    }
}
