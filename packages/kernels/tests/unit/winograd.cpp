// SPDX-License-Identifier: MIT
#include "tunekit/kernels/winograd/blocked.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

std::string text(const winograd_config& c)
{
    const auto n = [](const char* name, int i) { return std::string(name) + "=" + std::to_string(i) + " "; };
    return n("tile_h", c.tile_h) + n("tile_w", c.tile_w) + n("mr", c.mr) + n("nv", c.nv) + n("vl", c.vl) +
           n("ku", c.ku) + n("pf", c.prefetch) + n("icb", c.ic_block) + n("icc", c.ic_chunk) + n("tb", c.tile_block) +
           n("ocb", c.oc_block) + n("inner", static_cast<int>(c.inner)) + to_text(c.layout);
}

/// Any configuration that the test table and the shape allow, with tiles of at most `largest`.
template <class G>
winograd_config random_winograd_config(const conv2d_shape& s, int largest, G& gen)
{
    for (;;) {
        const auto plain = random_config(s, gen);
        const auto tile = [&] {
            return 2 + static_cast<int>(tk::random::uniform_index(static_cast<std::size_t>(largest - 1), gen));
        };
        const winograd_config c{.tile_h = tile(),
                                .tile_w = tile(),
                                .mr = plain.mr,
                                .nv = plain.nv,
                                .vl = plain.vl,
                                .ku = plain.ku,
                                .prefetch = plain.prefetch,
                                .ic_block = plain.ic_block,
                                .ic_chunk = plain.ic_chunk,
                                .tile_block = one_of({1, 2, 5, 8, 100}, gen),
                                .oc_block = one_of({1, 2, 3, 50}, gen),
                                .inner = plain.inner,
                                .layout = static_cast<winograd_config::products>(one_of({0, 1}, gen))};
        if (test_table().find_winograd(c.tile_h, c.vl) != nullptr &&
            test_table().find_winograd(c.tile_w, c.vl) != nullptr)
            return c;
    }
}

/// Largest |B d * G g| A - (d correlated with g)| of F(M, 3), over all pairs of unit inputs and taps: exact matrices have none.
template <int M>
double filtering_error()
{
    constexpr auto m = detail::winograd_matrices_of<M>();
    double worst = 0;
    for (std::size_t input = 0; input < m.t; ++input) {
        for (std::size_t tap = 0; tap < 3; ++tap) {
            for (std::size_t k = 0; k < m.a.size(); ++k) {
                double y = 0;
                for (std::size_t i = 0; i < m.t; ++i) y += m.a[k][i] * m.b[i][input] * m.g[i][tap];
                worst = (std::max)(worst, std::fabs(y - (input == k + tap ? 1 : 0)));
            }
        }
    }
    return worst;
}

double error_of(int tile, const conv2d_shape& shape, const std::vector<float>& x, const std::vector<float>& w,
                const std::vector<float>& want)
{
    const winograd_config c{.tile_h = tile,
                            .tile_w = tile,
                            .mr = 2,
                            .nv = 2,
                            .vl = 4,
                            .ic_block = 16,
                            .ic_chunk = shape.ci / 16,
                            .tile_block = 8};
    return relative_error(convolve<winograd_kernel>(shape, c, x, w, guard::behind), want);
}

}  // namespace

TEST_CASE("F(2, 3) has Lavin and Gray's matrices, up to a sign that two of them share")
{
    constexpr auto m = detail::winograd_matrices_of<2>();
    using row = std::array<double, 4>;
    CHECK(m.a == std::array<row, 2>{row{1, 1, 1, 0}, row{0, 1, -1, 1}});
    CHECK(m.b == std::array<row, 4>{row{-1, 0, 1, 0}, row{0, 1, 1, 0}, row{0, -1, 1, 0}, row{0, -1, 0, 1}});
    using taps = std::array<double, 3>;
    CHECK(m.g == std::array<taps, 4>{taps{-1, 0, 0}, taps{0.5, 0.5, 0.5}, taps{0.5, -0.5, 0.5}, taps{0, 0, 1}});
}

TEST_CASE("the matrices of every size filter each pair of an input and a tap exactly")
{
    CHECK(filtering_error<2>() == 0);
    CHECK(filtering_error<3>() < 1e-14);
    CHECK(filtering_error<4>() < 1e-14);
    CHECK(filtering_error<5>() < 1e-13);
    CHECK(filtering_error<6>() < 1e-13);
    CHECK(filtering_error<7>() < 1e-12);
    CHECK(filtering_error<8>() < 1e-11);
}

TEST_CASE("a single pixel through a cross of ones, by hand: the outputs are the taps turned around")
{
    const conv2d_shape shape{
        .ci = 1, .height = 3, .width = 4, .co = 1, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
    const std::vector<float> x{0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0}, w{1, 2, 3, 4, 5, 6, 7, 8, 9};
    const std::vector<float> want{72, 64, 56, 0, 48, 40, 32, 0, 24, 16, 8, 0};
    const winograd_config config{.tile_h = 2, .tile_w = 2, .mr = 2, .nv = 1, .vl = 4};
    CHECK(convolve<winograd_kernel>(shape, config, x, w, guard::behind) == want);  // halves of small integers: exact
}

TEST_CASE(
    "Winograd agrees with the definition for all tiles, layouts and blocks on awkward shapes, and touches nothing "
    "beside its operands")
{
    const std::array<conv2d_shape, 8> shapes{{
        {.ci = 3, .height = 11, .width = 13, .co = 9, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1},
        {.batch = 2,
         .ci = 8,
         .height = 7,
         .width = 7,
         .co = 12,
         .kernel_h = 3,
         .kernel_w = 3,
         .padding_h = 1,
         .padding_w = 1},
        {.ci = 12, .height = 6, .width = 10, .co = 16, .kernel_h = 3, .kernel_w = 3},
        {.batch = 3,
         .ci = 7,
         .height = 9,
         .width = 4,
         .co = 5,
         .kernel_h = 3,
         .kernel_w = 3,
         .padding_h = 2,
         .padding_w = 2},
        {.ci = 4, .height = 1, .width = 1, .co = 3, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1},
        {.ci = 1, .height = 3, .width = 17, .co = 1, .kernel_h = 3, .kernel_w = 3},
        {.ci = 24, .height = 5, .width = 8, .co = 33, .kernel_h = 3, .kernel_w = 3, .padding_h = 2},
        {.batch = 2, .ci = 16, .height = 8, .width = 8, .co = 8, .kernel_h = 3, .kernel_w = 3, .padding_w = 1},
    }};
    check_against_the_definition<winograd_kernel>(
        shapes, 200, 5e-5, [](const auto& shape, auto& gen) { return random_winograd_config(shape, 7, gen); },
        [](const auto& c) { return text(c); }, tk::random::philox(19));
}

TEST_CASE("with many channels the error is what the tile size says, and that of F(8 x 8) fails a check for 1e-4")
{
    const conv2d_shape shape{
        .ci = 256, .height = 16, .width = 16, .co = 8, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
    tk::random::philox gen(23);
    const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
    const auto want = reference_conv2d(shape, x, w);
    CHECK(error_of(2, shape, x, w, want) < 2e-6);
    CHECK(error_of(3, shape, x, w, want) < 4e-6);
    CHECK(error_of(4, shape, x, w, want) < 1.7e-5);
    CHECK(error_of(5, shape, x, w, want) < 1.9e-5);
    CHECK(error_of(6, shape, x, w, want) < 1.9e-5);
    CHECK(error_of(7, shape, x, w, want) < 8e-5);
    CHECK(error_of(8, shape, x, w, want) > 1e-4);
}

TEST_CASE("blocks of tiles cover all of them once, in sizes that differ by one at most")
{
    const auto shape = square_conv2d(4, 28, 8, 3, 1, 1);
    for (int tile_block = 1; tile_block < 60; ++tile_block) {
        const detail::winograd_strides strides(
            shape, {.tile_h = 4, .tile_w = 4, .mr = 1, .nv = 1, .vl = 4, .ic_block = 4, .tile_block = tile_block});
        CHECK(strides.tiles == 49);
        CHECK(strides.first_tile(0) == 0);
        CHECK(strides.first_tile(strides.blocks) == strides.tiles);
        for (int b = 0; b < strides.blocks; ++b) {
            const int size = strides.first_tile(b + 1) - strides.first_tile(b);
            CHECK(size <= tile_block);
            CHECK((size == strides.tiles / strides.blocks || size == strides.tiles / strides.blocks + 1));
        }
    }
}

TEST_CASE("the scratch that a configuration asks for is what its kernel keeps besides weights")
{
    const conv2d_shape shape{.ci = 16, .height = 13, .width = 9, .co = 12, .kernel_h = 3, .kernel_w = 3};
    tk::random::philox gen(37);
    const std::vector<float> w(static_cast<std::size_t>(shape.weights()));
    for (int trial = 0; trial < 50; ++trial) {
        const auto c = random_winograd_config(shape, 7, gen);
        const winograd_kernel kernel(shape, c, test_table(), w);
        const int nr = c.nv * c.vl, t = (c.tile_h + 2) * (c.tile_w + 2);
        const auto patch = c.ic_block % c.vl == 0 ? 0 : t * c.vl;
        CHECK(kernel.scratch_size() ==
              static_cast<std::size_t>(detail::winograd_scratch(shape, c) + patch + (12 + nr - 1) / nr * nr * 16 * t));
    }
}

TEST_CASE("a configuration that does not fit is refused with its parameter named")
{
    const conv2d_shape shape{
        .ci = 6, .height = 8, .width = 8, .co = 8, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
    const std::vector<float> w(static_cast<std::size_t>(shape.weights()));
    const winograd_config good{
        .tile_h = 4, .tile_w = 6, .mr = 4, .nv = 1, .vl = 4, .ic_block = 2, .ic_chunk = 3, .tile_block = 4};
    const auto with = [&](auto change) {
        auto c = good;
        change(c);
        return [&, c] { winograd_kernel(shape, c, test_table(), w); };
    };
    CHECK_NOTHROW(with([](auto&) {})());
    CHECK_THROWS_WITH(with([](auto& c) { c.nv = 7; })(),
                      "tunekit: winograd_config: no tile 4 x 7 x 4 in the table, want one of its tiles");
    CHECK_THROWS_WITH(with([](auto& c) { c.tile_w = 9; })(),
                      "tunekit: winograd_config: no transform of tiles of 9 for vectors of 4 in the table, want one of "
                      "its transforms");
    CHECK_THROWS_WITH(with([](auto& c) { c.ku = 0; })(), "tunekit: winograd_config: ku is 0, want 1, 2, 4 or 8");
    CHECK_THROWS_WITH(with([](auto& c) { c.prefetch = -1; })(), "tunekit: winograd_config: prefetch is -1, want >= 0");
    CHECK_THROWS_WITH(with([](auto& c) { c.ic_block = 4; })(),
                      "tunekit: winograd_config: ic_block is 4, want a divisor of the input channels");
    CHECK_THROWS_WITH(with([](auto& c) { c.ic_chunk = 2; })(),
                      "tunekit: winograd_config: ic_chunk is 2, want a divisor of the input blocks");
    CHECK_THROWS_WITH(with([](auto& c) { c.tile_block = 0; })(),
                      "tunekit: winograd_config: tile_block is 0, want >= 1");
    CHECK_THROWS_WITH(with([](auto& c) { c.oc_block = 0; })(), "tunekit: winograd_config: oc_block is 0, want >= 1");
    CHECK_THROWS_AS((winograd_kernel(shape, good, test_table(), std::vector<float>(3))), std::invalid_argument);
    for (const auto& other : {square_conv2d(6, 8, 8, 5, 1, 2), square_conv2d(6, 8, 8, 3, 2, 1)}) {
        CHECK(!other.fits_winograd());
        CHECK_THROWS_WITH(
            (winograd_kernel(other, good, test_table(), w)),
            "tunekit: winograd_kernel: a convolution that is not 3 x 3 without stride and groups, want conv2d_kernel");
    }
}
