// SPDX-License-Identifier: MIT
#include "tunekit/kernels/conv2d/parallel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "on_threads.hpp"
#include "support.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

TEST_CASE("a convolution on threads is the serial one to the last bit, and touches nothing beside its images")
{
    const conv2d_shape odd{
        .ci = 6, .height = 9, .width = 7, .co = 22, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
    conv2d_shape grouped = odd, batch = odd;
    grouped.groups = 3;
    grouped.co = 24;
    batch.batch = 4;
    const std::vector<conv2d_config> configs{
        {.mr = 3, .nv = 2, .vl = 4, .ku = 2, .ic_block = 2, .ic_chunk = 1, .oh_block = 3, .oc_block = 2},
        {.mr = 2, .nv = 1, .vl = 4, .ic_block = 1, .ic_chunk = 2, .pad = padding_mode::clip}};
    tk::random::philox gen(5);
    for (const conv2d_shape& s : {odd, grouped, batch})
        for (const conv2d_config& config : configs) {
            const auto weights = uniform_floats(s.weights(), gen), x = uniform_floats(s.inputs(), gen);
            conv2d_kernel serial(s, config, test_table(), weights);
            std::vector<float> in(serial.input_size()), want(serial.output_size());
            serial.pack_input(x, in);
            serial.run(in.data(), want.data());
            guarded gin(in.size()), gout(want.size());
            std::copy(in.begin(), in.end(), gin.data());
            for (const int threads : {1, 2, 3, 7}) {
                parallel_conv2d kernel(s, config, test_table(), weights, threads);
                CHECK(kernel.parts() >= static_cast<std::size_t>(std::min(threads, 3)));
                CHECK(kernel.parts() <= static_cast<std::size_t>(threads));
                gout.fill(1e30F);
                kernel.run(gin.data(), gout.data(), on_threads);
                REQUIRE(std::equal(want.begin(), want.end(), gout.data()));
            }
        }
    const auto weights = uniform_floats(odd.weights(), gen);
    CHECK_THROWS_WITH_AS(parallel_conv2d(odd, configs[0], test_table(), weights, 0),
                         "tunekit: parallel_conv2d: threads is 0, want >= 1", std::invalid_argument);
}
