// SPDX-License-Identifier: MIT
#include "tunekit/kernels/autotvm/cuda_source.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "packages/kernels/tests/unit/cuda_support.hpp"

namespace tk = tunekit;
namespace at = tunekit::kernels::autotvm;
using tk::measure::device_source;

TEST_CASE("sampled CUDA convolutions compute the definition: odd sizes, strides and padding that differ by axis")
{
    emulated_convolution c({.batch = 2,
                            .ci = 6,
                            .height = 9,
                            .width = 11,
                            .co = 12,
                            .kernel_h = 3,
                            .kernel_w = 2,
                            .stride_h = 1,
                            .stride_w = 2,
                            .padding_h = 2,
                            .padding_w = 1});
    for (const auto& source : valid_sources(at::conv2d_cuda_template(c.s), 12, 5)) {
        CAPTURE(source.text);
        CHECK(c.error(source) < 1e-5);
    }
}

TEST_CASE("a convolution without one of its barriers is wrong under the emulation, in whatever order threads run")
{
    emulated_convolution c(
        {.ci = 8, .height = 6, .width = 6, .co = 8, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1});
    const auto space = tk::kernels::detail::conv2d_cuda_space(c.s);
    auto config = space.at(0);
    tk::get<"tile_f">(config) = {1, 2, 4, 1};
    tk::get<"tile_y">(config) = {1, 1, 3, 2};
    tk::get<"tile_x">(config) = {2, 1, 3, 1};
    tk::get<"tile_rc">(config) = {4, 2};
    tk::get<"tile_ry">(config) = {1, 3};
    tk::get<"tile_rx">(config) = {3, 1};
    const device_source whole = at::conv2d_cuda_template(c.s).text(config);
    const auto cut = without_one_barrier(whole);
    REQUIRE(cut.size() == 2);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        CHECK(c.error(whole, seed) < 1e-5);
        for (const auto& source : cut) CHECK(c.error(source, seed) > 1e-2);
    }
}
