// SPDX-License-Identifier: MIT
#include "tunekit/kernels/autotvm/cuda_source.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "packages/kernels/tests/unit/cuda_support.hpp"
#include "packages/kernels/tests/unit/support.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
namespace at = tunekit::kernels::autotvm;

TEST_CASE("the transforms compute a correlation, for every m and r there are points for")
{
    for (int r = 1; r <= 7; ++r) {
        for (const int m : {1, 2, 4}) {
            const auto t = tk::kernels::detail::toom_cook(m, r);
            const auto alpha = static_cast<std::size_t>(m + r - 1), taps = static_cast<std::size_t>(r);
            tk::random::philox gen(1);
            const auto d = uniform_floats(m + r - 1, gen), g = uniform_floats(r, gen);
            for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
                double want = 0, got = 0;
                for (std::size_t k = 0; k < taps; ++k)
                    want += static_cast<double>(d[i + k]) * static_cast<double>(g[k]);
                for (std::size_t j = 0; j < alpha; ++j) {
                    double u = 0, v = 0;
                    for (std::size_t k = 0; k < taps; ++k) u += t.g[j * taps + k] * static_cast<double>(g[k]);
                    for (std::size_t k = 0; k < alpha; ++k) v += t.bt[j * alpha + k] * static_cast<double>(d[k]);
                    got += t.at[i * alpha + j] * u * v;
                }
                CAPTURE(m);
                CAPTURE(r);
                CHECK(got == doctest::Approx(want).epsilon(1e-9));
            }
        }
    }
    CHECK_THROWS_AS((void)tk::kernels::detail::toom_cook(4, 8), std::invalid_argument);
}

TEST_CASE("sampled Winograd convolutions compute the definition: tiles of 2 that overlap the edge, two images, padding")
{
    emulated_convolution c({.batch = 2,
                            .ci = 6,
                            .height = 9,
                            .width = 11,
                            .co = 4,
                            .kernel_h = 3,
                            .kernel_w = 3,
                            .padding_h = 1,
                            .padding_w = 2});
    for (const auto& source : valid_sources(at::winograd_cuda_template(c.s), 5, 5)) {
        CAPTURE(source.text);
        CHECK(c.error(source) < 1e-5);
    }
}

// Errors grow with alpha: 6 and 8 points.
TEST_CASE("sampled Winograd convolutions compute the definition: tiles of 4, kernels of 3 and 5")
{
    for (const int kernel : {3, 5}) {
        emulated_convolution c({.ci = 5,
                                .height = 8,
                                .width = 10,
                                .co = 6,
                                .kernel_h = kernel,
                                .kernel_w = kernel,
                                .padding_h = kernel / 2,
                                .padding_w = kernel / 2});
        for (const auto& source : valid_sources(at::winograd_cuda_template(c.s), 3, 5)) {
            CAPTURE(source.text);
            CHECK(c.error(source) < (kernel == 3 ? 3e-5 : 3e-4));
        }
    }
}

TEST_CASE("a Winograd convolution needs its barriers")
{
    emulated_convolution c(
        {.ci = 4, .height = 8, .width = 8, .co = 4, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1});
    auto config = tk::kernels::detail::winograd_cuda_space(c.s).at(0);
    tk::get<"tile_y">(config) = {1, 1, 4, 1};
    tk::get<"tile_x">(config) = {1, 2, 2, 1};
    tk::get<"tile_rc">(config) = {2, 2};
    const auto whole = at::winograd_cuda_template(c.s).text(config);
    CHECK(whole.launches.at(1) ==
          tk::measure::device_source::launch{.entry = "product", .grid = {1, 1, 36}, .block = {2, 4, 1}});
    const auto cut = without_one_barrier(whole);
    REQUIRE(cut.size() == 2);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        CHECK(c.error(whole, seed) < 3e-5);
        for (const auto& source : cut) CHECK(c.error(source, seed) > 1e-3);
    }
}
