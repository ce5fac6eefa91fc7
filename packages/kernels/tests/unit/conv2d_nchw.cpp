// SPDX-License-Identifier: MIT
#include "tunekit/kernels/conv2d/nchw.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

template <class G>
nchw_config random_nchw_config(const conv2d_shape& shape, G& gen)
{
    auto c = random_config<nchw_config>(detail::group_of(shape), gen);
    c.vectorise = static_cast<vectorise_mode>(one_of({0, 1}, gen));
    return c;
}

}  // namespace

TEST_CASE("an image of one channel against a cross of ones, by hand: every sum is that of a pixel's neighbours")
{
    const conv2d_shape shape{
        .ci = 1, .height = 3, .width = 4, .co = 1, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
    const std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, w{0, 1, 0, 1, 0, 1, 0, 1, 0};
    const std::vector<float> want{7, 10, 13, 11, 16, 24, 28, 23, 15, 26, 29, 19};  // 6 has 2, 5, 7 and 10 around it
    for (const auto vectorise : {vectorise_mode::channel, vectorise_mode::pixel}) {
        for (const auto pad : {padding_mode::copy, padding_mode::clip}) {
            const nchw_config config{.vectorise = vectorise, .mr = 1, .nv = 1, .vl = 4, .pad = pad};
            CHECK(convolve<nchw_kernel>(shape, config, x, w, guard::behind) == want);
        }
    }
}

TEST_CASE("a pointwise convolution with stride 2 is a matrix product of every other pixel, by hand")
{
    const conv2d_shape shape{
        .ci = 2, .height = 3, .width = 3, .co = 2, .kernel_h = 1, .kernel_w = 1, .stride_h = 2, .stride_w = 2};
    const std::vector<float> x{1, 0, 2, 0, 0, 0, 3, 0, 4, 10, 0, 20, 0, 0, 0, 30, 0, 40}, w{1, 1, 2, -1};
    const std::vector<float> want{11, 22, 33, 44, -8, -16, -24, -32};
    for (const auto vectorise : {vectorise_mode::channel, vectorise_mode::pixel}) {
        for (const int ic_block : {1, 2}) {
            const nchw_config config{
                .vectorise = vectorise, .mr = 2, .nv = 1, .vl = 4, .ic_block = ic_block, .ic_chunk = 2 / ic_block};
            CHECK(convolve<nchw_kernel>(shape, config, x, w, guard::before) == want);
        }
    }
}

TEST_CASE("two groups see their own channels alone, by hand")
{
    const conv2d_shape shape{.ci = 2, .height = 1, .width = 3, .co = 4, .kernel_h = 1, .kernel_w = 2, .groups = 2};
    const std::vector<float> x{1, 2, 3, 10, 20, 30}, w{1, 0, 0, 1, 1, 1, 1, -1};
    const std::vector<float> want{1, 2, 2, 3, 30, 50, -10, -10};
    CHECK(shape.macs() == 16);
    CHECK(reference_conv2d(shape, x, w) == want);
    for (const auto vectorise : {vectorise_mode::channel, vectorise_mode::pixel}) {
        const nchw_config config{.vectorise = vectorise, .mr = 1, .nv = 1, .vl = 4};
        CHECK(convolve<nchw_kernel>(shape, config, x, w, guard::behind) == want);
    }
}

TEST_CASE("plain NCHW agrees with the definition in both ways of vectorising, and touches nothing beside its operands")
{
    std::vector<conv2d_shape> shapes{
        {.batch = 2, .ci = 5, .height = 7, .width = 7, .co = 11, .kernel_h = 1, .kernel_w = 1},
        {.ci = 4, .height = 8, .width = 7, .co = 5, .kernel_h = 1, .kernel_w = 1, .stride_h = 3, .stride_w = 1},
        {.ci = 4, .height = 7, .width = 8, .co = 5, .kernel_h = 1, .kernel_w = 1, .stride_h = 1, .stride_w = 3},
        {.ci = 3,
         .height = 27,
         .width = 23,
         .co = 6,
         .kernel_h = 11,
         .kernel_w = 11,
         .stride_h = 3,
         .stride_w = 3,
         .padding_h = 2,
         .padding_w = 2},
        {.ci = 4, .height = 9, .width = 9, .co = 5, .kernel_h = 2, .kernel_w = 2, .stride_h = 3, .stride_w = 3},
        {.batch = 2,
         .ci = 6,
         .height = 6,
         .width = 8,
         .co = 9,
         .kernel_h = 3,
         .kernel_w = 3,
         .padding_h = 1,
         .padding_w = 1,
         .groups = 3},
        {.ci = 5,
         .height = 10,
         .width = 6,
         .co = 10,
         .kernel_h = 3,
         .kernel_w = 3,
         .stride_h = 2,
         .stride_w = 2,
         .padding_h = 1,
         .padding_w = 1,
         .groups = 5},
        {.ci = 8, .height = 5, .width = 5, .co = 4, .kernel_h = 1, .kernel_w = 1, .groups = 2}};
    shapes.insert(shapes.end(), awkward_shapes.begin(), awkward_shapes.end());
    // Sums of at most 400 products below 1 in float: 400 roundings of 2^-24 relative to the largest output.
    check_against_the_definition<nchw_kernel>(
        shapes, 200, 2.5e-5, [](const auto& shape, auto& gen) { return random_nchw_config(shape, gen); },
        [](const auto& c) { return text(c); }, tk::random::philox(17));
}

TEST_CASE("a configuration that does not fit is refused with its parameter named")
{
    const conv2d_shape shape{.ci = 12,
                             .height = 8,
                             .width = 8,
                             .co = 8,
                             .kernel_h = 3,
                             .kernel_w = 3,
                             .padding_h = 1,
                             .padding_w = 1,
                             .groups = 2};
    const std::vector<float> w(static_cast<std::size_t>(shape.weights()));
    const nchw_config good{.mr = 4, .nv = 1, .vl = 4, .ic_block = 2, .ic_chunk = 3, .oh_block = 4};
    const auto with = [&](auto change) {
        auto c = good;
        change(c);
        return [&, c] { nchw_kernel(shape, c, test_table(), w); };
    };
    CHECK_NOTHROW(with([](auto&) {})());
    CHECK_THROWS_WITH(with([](auto& c) { c.nv = 7; })(),
                      "tunekit: nchw_config: no tile 4 x 7 x 4 in the table, want one of its tiles");
    CHECK_THROWS_WITH(with([](auto& c) { c.ic_block = 4; })(),
                      "tunekit: nchw_config: ic_block is 4, want a divisor of a group's input channels");
    CHECK_THROWS_WITH(with([](auto& c) { c.ic_chunk = 2; })(),
                      "tunekit: nchw_config: ic_chunk is 2, want a divisor of the input blocks");
    CHECK_THROWS_WITH(with([](auto& c) { c.oh_block = 3; })(),
                      "tunekit: nchw_config: oh_block is 3, want a divisor of the output height");
    CHECK_THROWS_WITH(with([](auto& c) { c.ku = 0; })(), "tunekit: nchw_config: ku is 0, want 1, 2, 4 or 8");
    CHECK_THROWS_WITH(with([](auto& c) { c.prefetch = -1; })(), "tunekit: nchw_config: prefetch is -1, want >= 0");
    CHECK_THROWS_WITH(with([](auto& c) { c.oc_block = 0; })(), "tunekit: nchw_config: oc_block is 0, want >= 1");
    CHECK_THROWS_WITH(with([](auto& c) { c.edge = edge_mode::overrun; })(),
                      "tunekit: nchw_config: edge is overrun, want balanced, remainder or overlap");
    CHECK_THROWS_AS(with([](auto& c) {
                        c.edge = edge_mode::overlap;
                        c.ic_chunk = 1;
                    })(),
                    std::invalid_argument);
    CHECK_THROWS_AS((nchw_kernel(shape, good, test_table(), std::vector<float>(3))), std::invalid_argument);
}
