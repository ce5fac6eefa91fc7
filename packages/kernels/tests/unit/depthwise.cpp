// SPDX-License-Identifier: MIT
#include "tunekit/kernels/depthwise/depthwise.hpp"

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

/// Any configuration that the test table and the shape allow.
template <class G>
depthwise_config random_depthwise_config(const conv2d_shape& s, G& gen)
{
    for (;;) {
        const auto swept = test_table().sweeps;
        if (s.co == s.ci && one_of({0, 1}, gen) == 1) {
            const auto& t = swept[tk::random::uniform_index(swept.size(), gen)];
            if (test_table().find_sweep(t.mr, t.vl, s) == &t) {
                return {.vectorise = vectorise_mode::channel,
                        .mr = t.mr,
                        .nv = one_of({1, 2, 3}, gen),
                        .vl = t.vl,
                        .pad = padding_mode::clip,
                        .sweep = true};
            }
        }
        const auto tiles = test_table().depthwise;
        const auto& t = tiles[tk::random::uniform_index(tiles.size(), gen)];
        const bool channel = t.vectorise == vectorise_mode::channel;
        const depthwise_config c{.vectorise = t.vectorise,
                                 .mr = t.mr,
                                 .nv = t.nv,
                                 .vl = t.vl,
                                 .oh_block = divisor_of(s.oh(), gen),
                                 .pad = channel ? static_cast<padding_mode>(one_of({0, 1}, gen)) : padding_mode::copy};
        const bool suits = test_table().find_depthwise(t.vectorise, t.mr, t.nv, t.vl, s.kernel_h, s.stride_h) == &t;
        if (suits && (channel ? s.co == s.ci : c.mr <= c.oh_block)) return c;
    }
}

std::string text(const depthwise_config& c)
{
    return to_text(c.vectorise) + " " + std::to_string(c.mr) + " x " + std::to_string(c.nv) + " x " +
           std::to_string(c.vl) + " oh_block " + std::to_string(c.oh_block) + " pad " + to_text(c.pad) +
           (c.sweep ? " sweep" : "");
}

}  // namespace

TEST_CASE("two channels with a filter each, by hand")
{
    const conv2d_shape shape{
        .ci = 2, .height = 2, .width = 3, .co = 2, .kernel_h = 1, .kernel_w = 3, .padding_w = 1, .groups = 2};
    const std::vector<float> x{1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60}, w{1, 10, 100, 0, 1, -1};
    // 10 x + 100 of the right neighbour + 1 of the left one; then x less its right neighbour.
    const std::vector<float> want{210, 321, 32, 540, 654, 65, -10, -10, 30, -10, -10, 60};
    CHECK(shape.macs() == 36);
    CHECK(reference_conv2d(shape, x, w) == want);
    for (const auto side : {guard::behind, guard::before}) {
        CHECK(convolve<depthwise_kernel>(shape, {.vectorise = vectorise_mode::pixel, .mr = 1, .nv = 1, .vl = 4}, x, w,
                                         side) == want);
        for (const auto pad : {padding_mode::copy, padding_mode::clip}) {
            CHECK(convolve<depthwise_kernel>(
                      shape, {.vectorise = vectorise_mode::channel, .mr = 2, .nv = 1, .vl = 4, .pad = pad}, x, w,
                      side) == want);
        }
    }
}

TEST_CASE("a sweep over a kernel that tells its taps apart, by hand")
{
    const conv2d_shape shape{
        .ci = 1, .height = 2, .width = 2, .co = 1, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
    const std::vector<float> x{1, 2, 3, 4};
    // 1 x the left neighbour, 10 the right one, 100 the one above, 1000 itself, 10000 the one below.
    const std::vector<float> w{0, 100, 0, 1, 1000, 10, 0, 10000, 0}, want{31020, 42001, 3140, 4203};
    CHECK(reference_conv2d(shape, x, w) == want);
    for (const auto side : {guard::behind, guard::before}) {
        for (const int mr : {1, 2}) {
            for (const int nv : {1, 2}) {
                CHECK(convolve<depthwise_kernel>(shape,
                                                 {.vectorise = vectorise_mode::channel,
                                                  .mr = mr,
                                                  .nv = nv,
                                                  .vl = 4,
                                                  .pad = padding_mode::clip,
                                                  .sweep = true},
                                                 x, w, side) == want);
            }
        }
    }
}

TEST_CASE("a channel with two outputs, by hand")
{
    const conv2d_shape shape{
        .ci = 1, .height = 1, .width = 4, .co = 2, .kernel_h = 1, .kernel_w = 2, .stride_w = 2, .groups = 1};
    const std::vector<float> x{1, 2, 3, 4}, w{1, 1, 1, -1}, want{3, 7, -1, -1};
    CHECK(convolve<depthwise_kernel>(shape, {.mr = 1, .nv = 1, .vl = 4}, x, w, guard::behind) == want);
}

TEST_CASE("depthwise agrees with the definition in both layouts, and touches nothing beside its operands")
{
    const auto depthwise = [](int channels, int multiplier, conv2d_shape s) {
        s.ci = s.groups = channels;
        s.co = channels * multiplier;
        return s;
    };
    const std::array<conv2d_shape, 12> shapes{{
        depthwise(8, 1, {.height = 8, .width = 8, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1}),
        depthwise(5, 1,
                  {.batch = 2, .height = 7, .width = 7, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1}),
        depthwise(3, 1,
                  {.height = 12,
                   .width = 21,
                   .kernel_h = 3,
                   .kernel_w = 3,
                   .stride_h = 2,
                   .stride_w = 2,
                   .padding_h = 1,
                   .padding_w = 1}),
        depthwise(4, 1, {.height = 13, .width = 14, .kernel_h = 3, .kernel_w = 3, .stride_h = 3, .stride_w = 3}),
        depthwise(9, 1, {.height = 6, .width = 5, .kernel_h = 5, .kernel_w = 5, .padding_h = 2, .padding_w = 2}),
        depthwise(2, 1,
                  {.height = 15,
                   .width = 17,
                   .kernel_h = 7,
                   .kernel_w = 7,
                   .stride_h = 2,
                   .stride_w = 2,
                   .padding_h = 3,
                   .padding_w = 3}),
        depthwise(2, 1, {.height = 14, .width = 15, .kernel_h = 11, .kernel_w = 11, .padding_h = 5, .padding_w = 5}),
        depthwise(3, 1, {.height = 9, .width = 1, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1}),
        depthwise(6, 1, {.height = 4, .width = 6, .kernel_h = 1, .kernel_w = 1, .stride_h = 2, .stride_w = 3}),
        depthwise(3, 2, {.height = 8, .width = 10, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1}),
        depthwise(4, 3,
                  {.batch = 2,
                   .height = 6,
                   .width = 9,
                   .kernel_h = 3,
                   .kernel_w = 2,
                   .stride_h = 1,
                   .stride_w = 2,
                   .padding_h = 2,
                   .padding_w = 1}),
        depthwise(1, 5,
                  {.height = 5,
                   .width = 5,
                   .kernel_h = 5,
                   .kernel_w = 3,
                   .stride_h = 1,
                   .stride_w = 1,
                   .padding_h = 4,
                   .padding_w = 2}),
    }};
    // Sums of at most 121 products below 1 in float: 121 roundings of 2^-24 relative to the largest output.
    check_against_the_definition<depthwise_kernel>(
        shapes, 100, 1e-5, [](const auto& shape, auto& gen) { return random_depthwise_config(shape, gen); },
        [](const auto& c) { return text(c); }, tk::random::philox(19));
}

TEST_CASE("a depthwise configuration that does not fit is refused with its parameter named")
{
    const conv2d_shape shape{.ci = 4,
                             .height = 8,
                             .width = 8,
                             .co = 4,
                             .kernel_h = 3,
                             .kernel_w = 3,
                             .padding_h = 1,
                             .padding_w = 1,
                             .groups = 4};
    const std::vector<float> w(static_cast<std::size_t>(shape.weights()));
    const depthwise_config plain{.mr = 2, .nv = 1, .vl = 4, .oh_block = 4};
    const auto with = [&](auto change) {
        auto c = plain;
        change(c);
        return [&, c] { depthwise_kernel(shape, c, test_table(), w); };
    };
    CHECK_NOTHROW(with([](auto&) {})());
    CHECK_THROWS_WITH(
        with([](auto& c) { c.nv = 7; })(),
        "tunekit: depthwise_config: no pixel tile 2 x 7 x 4 for this kernel in the table, want one of its tiles");
    CHECK_THROWS_WITH(with([](auto& c) { c.oh_block = 3; })(),
                      "tunekit: depthwise_config: oh_block is 3, want a divisor of the output height");
    CHECK_THROWS_WITH(with([](auto& c) { c.oh_block = 1; })(),
                      "tunekit: depthwise_config: mr is 2, want at most oh_block");
    CHECK_THROWS_WITH(with([](auto& c) { c.pad = padding_mode::clip; })(),
                      "tunekit: depthwise_config: pad is clip with pixels in vectors, want copy");
    const depthwise_config swept{
        .vectorise = vectorise_mode::channel, .mr = 2, .nv = 1, .vl = 4, .pad = padding_mode::clip, .sweep = true};
    const auto sweep_with = [&](auto change) {
        auto c = swept;
        change(c);
        return [&, c] { depthwise_kernel(shape, c, test_table(), w); };
    };
    CHECK_NOTHROW(sweep_with([](auto&) {})());
    CHECK_THROWS_WITH(
        sweep_with([](auto& c) { c.mr = 4; })(),
        "tunekit: depthwise_config: no sweeping tile 4 x 1 x 4 for this kernel in the table, want one of its tiles");
    CHECK_THROWS_WITH(sweep_with([](auto& c) { c.nv = 0; })(), "tunekit: depthwise_config: nv is 0, want at least 1");
    const char* const only_clip =
        "tunekit: depthwise_config: sweep with pixels in vectors, copies or oh_block above 1, want channel, clip and 1";
    CHECK_THROWS_WITH(sweep_with([](auto& c) { c.pad = padding_mode::copy; })(), only_clip);
    CHECK_THROWS_WITH(sweep_with([](auto& c) { c.oh_block = 2; })(), only_clip);
    CHECK_THROWS_WITH(sweep_with([](auto& c) { c.vectorise = vectorise_mode::pixel; })(), only_clip);
    CHECK_THROWS_AS((depthwise_kernel(shape, plain, test_table(), std::vector<float>(3))), std::invalid_argument);
    auto grouped = shape;
    grouped.groups = 2;
    CHECK_THROWS_WITH((depthwise_kernel(grouped, plain, test_table(), w)),
                      "tunekit: depthwise_kernel: groups is 2, want the 4 input channels");
    auto several = shape;
    several.co = 8;
    CHECK_THROWS_WITH(
        (depthwise_kernel(several, {.vectorise = vectorise_mode::channel, .mr = 1, .nv = 1, .vl = 4}, test_table(), w)),
        "tunekit: depthwise_config: vectorise is channel with several outputs for a channel, want pixel");
}
