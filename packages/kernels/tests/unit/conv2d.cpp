// SPDX-License-Identifier: MIT
#include "tunekit/kernels/conv2d/blocked.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

TEST_CASE("a row is cut into tiles that cover it")
{
    using tiles = std::vector<detail::row_tile>;
    CHECK(detail::tiles_of_row(14, 6, edge_mode::balanced) == tiles{{0, 5}, {5, 5}, {10, 4}});
    CHECK(detail::tiles_of_row(14, 6, edge_mode::remainder) == tiles{{0, 6}, {6, 6}, {12, 2}});
    CHECK(detail::tiles_of_row(14, 6, edge_mode::overlap) == tiles{{0, 6}, {6, 6}, {8, 6}});
    CHECK(detail::tiles_of_row(14, 6, edge_mode::overrun) == tiles{{0, 6}, {6, 6}, {12, 6}});
    CHECK(detail::tiles_of_row(4, 6, edge_mode::overlap) == tiles{{0, 4}});
    for (const auto edge : {edge_mode::balanced, edge_mode::remainder, edge_mode::overlap}) {
        for (int length = 1; length < 30; ++length) {
            for (int mr = 1; mr < 9; ++mr) {
                int end = 0;
                for (const auto& t : detail::tiles_of_row(length, mr, edge)) {
                    CHECK(t.begin <= end);
                    CHECK(t.length >= 1);
                    CHECK(t.length <= mr);
                    end = t.begin + t.length;
                }
                CHECK(end == length);
            }
        }
    }
}

TEST_CASE("segments cover each output of a row and each of its taps inside the image once")
{
    const std::array<detail::row_shape, 6> rows{{{.length = 7, .taps = 3, .padding = 1, .width = 7},
                                                 {.length = 6, .stride = 2, .taps = 7, .padding = 3, .width = 12},
                                                 {.length = 3, .stride = 1, .taps = 5, .padding = 3, .width = 1},
                                                 {.length = 2, .stride = 3, .taps = 2, .padding = 1, .width = 4},
                                                 {.length = 1, .stride = 1, .taps = 3, .padding = 1, .width = 1},
                                                 {.length = 9, .stride = 1, .taps = 1, .padding = 0, .width = 9}}};
    for (const auto& row : rows) {
        for (int mr = 1; mr <= 9; ++mr) {
            std::vector<int> widths;  // a micro-kernel is asked for each segment's width
            const auto segments = detail::cut_row(row, mr, edge_mode::balanced, [&](int m) -> detail::tile_function<> {
                widths.push_back(m);
                return nullptr;
            });
            REQUIRE(widths.size() == segments.size());
            std::vector<int> visits(static_cast<std::size_t>(row.length * row.taps));
            std::vector<int> written(static_cast<std::size_t>(row.length));
            for (const auto& s : segments) {
                if (s.clears) std::fill_n(written.begin() + s.tile_pixel, s.tile_pixels, 1);
                CHECK(s.input == s.pixel * row.stride + s.tap - row.padding);
                // The first call of a tile may come second in the list of widths; the taps tell the width as well.
                int width = 0;
                while (s.pixel + width < s.tile_pixel + s.tile_pixels &&
                       (s.pixel + width) * row.stride + s.tap - row.padding < row.width)
                    ++width;
                CHECK(s.input + (width - 1) * row.stride + s.taps - 1 < row.width);
                for (int q = s.pixel; q < s.pixel + width; ++q) {
                    if (!s.accumulates) written[static_cast<std::size_t>(q)] = 1;
                    CHECK(written[static_cast<std::size_t>(q)] == 1);
                    for (int k = s.tap; k < s.tap + s.taps; ++k) ++visits[static_cast<std::size_t>(q * row.taps + k)];
                }
            }
            for (int q = 0; q < row.length; ++q) {
                for (int k = 0; k < row.taps; ++k) {
                    const int input = q * row.stride + k - row.padding;
                    CHECK(visits[static_cast<std::size_t>(q * row.taps + k)] ==
                          (input >= 0 && input < row.width ? 1 : 0));
                }
            }
        }
    }
}

TEST_CASE("convolution agrees with the definition for every edge, padding, order and unrolling on awkward shapes")
{
    // Sums of at most 200 products below 1 in float: 200 roundings of 2^-24 relative to the largest output.
    check_against_the_definition<conv2d_kernel<>>(
        awkward_shapes, 150, 1e-5, [](const auto& shape, auto& gen) { return random_config(shape, gen); },
        [](const auto& c) { return text(c); }, tk::random::philox(11));
}

TEST_CASE("groups are convolutions of their own over the blocks of their channels")
{
    const std::array<conv2d_shape, 3> shapes{{
        {.batch = 2,
         .ci = 6,
         .height = 7,
         .width = 9,
         .co = 24,
         .kernel_h = 3,
         .kernel_w = 3,
         .padding_h = 1,
         .padding_w = 1,
         .groups = 2},
        {.ci = 9,
         .height = 5,
         .width = 6,
         .co = 12,
         .kernel_h = 1,
         .kernel_w = 1,
         .stride_h = 2,
         .stride_w = 2,
         .groups = 3},
        {.ci = 4,
         .height = 8,
         .width = 8,
         .co = 32,
         .kernel_h = 5,
         .kernel_w = 5,
         .stride_h = 2,
         .stride_w = 2,
         .padding_h = 2,
         .padding_w = 2,
         .groups = 4},
    }};
    tk::random::philox gen(13);
    for (const auto& shape : shapes) {
        const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
        const auto want = reference_conv2d(shape, x, w);
        int fitting = 0;
        for (int trial = 0; trial < 200; ++trial) {
            const auto config = random_config(detail::group_of(shape), gen);
            CAPTURE(text(shape));
            CAPTURE(text(config));
            if (shape.co / shape.groups % (config.nv * config.vl) != 0) {
                CHECK_THROWS_AS((conv2d_kernel(shape, config, test_table(), w)), std::invalid_argument);
                continue;
            }
            ++fitting;
            REQUIRE(relative_error(convolve<conv2d_kernel<>>(shape, config, x, w), want) < 1e-5);
        }
        CHECK(fitting > 20);
    }
    CHECK_THROWS_WITH(
        (conv2d_kernel(shapes[1], {.mr = 1, .nv = 1, .vl = 8, .ic_chunk = 3}, test_table(), std::vector<float>(36))),
        "tunekit: conv2d_config: nv vl is 8, want a divisor of a group's 4 output channels");
    auto odd = shapes[0];
    odd.groups = 4;
    CHECK_THROWS_WITH(detail::require_valid(odd),
                      "tunekit: conv2d_shape: groups is 4, want a divisor of the 6 input and 24 output channels");
    CHECK_THROWS_WITH(detail::require_ungrouped(shapes[0]),
                      "tunekit: conv2d_shape: groups is 2, want 1 for this kernel");
}

TEST_CASE("a configuration that does not fit is refused with its parameter named")
{
    const conv2d_shape shape{
        .ci = 6, .height = 8, .width = 8, .co = 8, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
    const std::vector<float> w(static_cast<std::size_t>(shape.weights()));
    const conv2d_config good{.mr = 4, .nv = 1, .vl = 4, .ic_block = 2, .ic_chunk = 3, .oh_block = 4};
    const auto with = [&](auto change) {
        auto c = good;
        change(c);
        return [&, c] { conv2d_kernel(shape, c, test_table(), w); };
    };
    CHECK_NOTHROW(with([](auto&) {})());
    CHECK_THROWS_WITH(with([](auto& c) { c.nv = 7; })(),
                      "tunekit: conv2d_config: no tile 4 x 7 x 4 in the table, want one of its tiles");
    CHECK_THROWS_WITH(with([](auto& c) { c.ic_block = 4; })(),
                      "tunekit: conv2d_config: ic_block is 4, want a divisor of the input channels");
    CHECK_THROWS_WITH(with([](auto& c) { c.ic_chunk = 2; })(),
                      "tunekit: conv2d_config: ic_chunk is 2, want a divisor of the input blocks");
    CHECK_THROWS_WITH(with([](auto& c) { c.oh_block = 3; })(),
                      "tunekit: conv2d_config: oh_block is 3, want a divisor of the output height");
    CHECK_THROWS_WITH(with([](auto& c) { c.ku = 3; })(), "tunekit: conv2d_config: ku is 3, want 1, 2, 4 or 8");
    CHECK_THROWS_WITH(with([](auto& c) { c.oc_block = 0; })(), "tunekit: conv2d_config: oc_block is 0, want >= 1");
    CHECK_THROWS_AS(with([](auto& c) {
                        c.edge = edge_mode::overlap;
                        c.ic_chunk = 1;
                    })(),
                    std::invalid_argument);
    CHECK_THROWS_AS((conv2d_kernel(shape, good, test_table(), std::vector<float>(3))), std::invalid_argument);
}
