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
#include "tunekit/kernels/conv2d/space.hpp"
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

TEST_CASE("every division of a convolution is the serial one to the last bit, and covers each output once")
{
    const conv2d_shape odd{
        .ci = 6, .height = 9, .width = 7, .co = 22, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
    conv2d_shape strided = odd, pointwise = odd, grouped = odd;
    strided.stride_h = strided.stride_w = 2;
    pointwise.kernel_h = pointwise.kernel_w = 1;
    pointwise.padding_h = pointwise.padding_w = 0;
    grouped.batch = 2;
    grouped.groups = 2;
    grouped.co = 16;
    tk::random::philox gen(7);
    for (const conv2d_shape& s : {odd, strided, pointwise, grouped})
        for (const padding_mode pad : {padding_mode::copy, padding_mode::clip})
            for (const loop_order order : {loop_order::ori, loop_order::roi, loop_order::iro}) {
                const conv2d_config config{.mr = 3,
                                           .nv = 1,
                                           .vl = 4,
                                           .ku = 2,
                                           .ic_block = 1,
                                           .ic_chunk = 3,
                                           .oh_block = 1,
                                           .oc_block = 2,
                                           .order = order,
                                           .pad = pad};
                const auto weights = uniform_floats(s.weights(), gen), x = uniform_floats(s.inputs(), gen);
                conv2d_kernel serial(s, config, test_table(), weights);
                std::vector<float> in(serial.input_size()), want(serial.output_size()), got(want.size());
                serial.pack_input(x, in);
                serial.run(in.data(), want.data());
                for (const conv2d_division::cut split : {conv2d_division::cut::automatic, conv2d_division::cut::images,
                                                         conv2d_division::cut::channels, conv2d_division::cut::rows}) {
                    for (const int parts : {1, 2, 5, 100}) {
                        CAPTURE(to_text(split));
                        parallel_conv2d kernel(s, config, test_table(), weights, {.parts = parts, .split = split});
                        CHECK(kernel.parts() <= static_cast<std::size_t>(parts));
                        if (split == conv2d_division::cut::rows)
                            CHECK(kernel.parts() == static_cast<std::size_t>(std::min(parts, s.oh())));
                        std::fill(got.begin(), got.end(), 1e30F);
                        kernel.run(in.data(), got.data(), on_threads);
                        REQUIRE(got == want);
                    }
                }
            }
}

TEST_CASE("a division without a choice is left to what there is more of")
{
    const conv2d_config config{.mr = 2, .nv = 1, .vl = 4, .ic_block = 1, .ic_chunk = 1};
    const auto parts_of = [&](const conv2d_shape& s, int threads) {
        const std::vector<float> weights(static_cast<std::size_t>(s.weights()));
        return parallel_conv2d(s, config, test_table(), weights, threads).parts();
    };
    const conv2d_shape few{.ci = 2, .height = 9, .width = 7, .co = 4};
    CHECK(parts_of(few, 4) == 4);  // rows: there is one block of channels
    conv2d_shape flat = few;
    flat.height = 1;
    CHECK(parts_of(flat, 4) == 1);
    conv2d_shape batch = few;
    batch.batch = 3;
    CHECK(parts_of(batch, 8) == 3);
}

TEST_CASE("the space of a convolution on threads is that of the serial one with its divisions")
{
    const conv2d_shape s{
        .ci = 2, .height = 4, .width = 5, .co = 8, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
    const auto serial = conv2d_space(s, test_table());
    const auto space = conv2d_space(s, test_table(), 3);
    CHECK(space.size() == serial.size() * 5);  // one part, or 2 or 3 of channels or of rows
    CHECK(conv2d_space(s, test_table(), 1).size() == serial.size());
    CHECK(conv2d_space(s, test_table(), 1000).size() == serial.size() * (1 + 7 + 3));
    tk::random::philox gen(11);
    const auto weights = uniform_floats(s.weights(), gen), x = uniform_floats(s.inputs(), gen);
    for (const tk::index i : space.sample(60, gen)) {
        const auto point = space.at(i);
        const conv2d_config config = config_of<conv2d_config>(point);
        const conv2d_division division = config_of<conv2d_division>(point);
        CAPTURE(space.text(i));
        CHECK(index_of(space, config, division) == i);
        CHECK(index_of(serial, config).has_value());
        conv2d_kernel one(s, config, test_table(), weights);
        std::vector<float> in(one.input_size()), want(one.output_size()), got(want.size());
        one.pack_input(x, in);
        one.run(in.data(), want.data());
        parallel_conv2d kernel(s, config, test_table(), weights, division);
        kernel.run(in.data(), got.data(), on_threads);
        REQUIRE(got == want);
    }
    CHECK(index_of(space, default_config(s, test_table()), {.parts = 1, .split = conv2d_division::cut::channels})
              .has_value());
    CHECK_THROWS_WITH_AS(static_cast<void>(conv2d_space(s, test_table(), 0)), "tunekit: threads is 0, want >= 1",
                         std::invalid_argument);
}
