// SPDX-License-Identifier: MIT
#include "tunekit/kernels/autotvm/cuda_source.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "packages/devices/tests/support/cuda_emulation.hpp"
#include "packages/kernels/tests/unit/cuda_support.hpp"
#include "packages/kernels/tests/unit/support.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
namespace at = tunekit::kernels::autotvm;
using tk::kernels::gemm_shape;
using tk::measure::device_source;

namespace {

/// C = A W^T for W [n][k], by the definition.
struct product {
    explicit product(const gemm_shape& shape)
        : s(shape), c(static_cast<std::size_t>(shape.batch) * static_cast<std::size_t>(shape.m * shape.n))
    {
        tk::random::philox gen(2);
        a = uniform_floats(std::int64_t{1} * s.batch * s.m * s.k, gen);
        w = uniform_floats(std::int64_t{1} * s.batch * s.n * s.k, gen);
        want = tk::kernels::reference_gemm(s, a, transposed_weights(s, w));
    }

    /// How far off a source's result is.
    double error(const device_source& source, std::uint64_t seed = 1)
    {
        c.fill(1e9F);
        emulation::program(source).run({a.data(), w.data(), c.data()}, seed);
        return tk::kernels::relative_error(c.span(), want);
    }

    gemm_shape s;
    std::vector<float> a, w, want;
    guarded c;
};

/// Every barrier matters: without it the result is wrong in each of three orders of threads.
void needs_its_barriers(product& p, const device_source& whole, std::size_t barriers)
{
    const auto cut = without_one_barrier(whole);
    REQUIRE(cut.size() == barriers);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        CHECK(p.error(whole, seed) < 1e-5);
        for (const auto& source : cut) CHECK(p.error(source, seed) > 1e-3);
    }
}

}  // namespace

TEST_CASE("sampled batched products compute the definition, and need their barriers")
{
    product p({.batch = 3, .m = 12, .n = 10, .k = 42});
    const auto what = at::batched_gemm_cuda_template(p.s);
    for (const auto& source : valid_sources(what, 10, 4)) {
        CAPTURE(source.text);
        CHECK(p.error(source) < 1e-5);
    }
    auto config = what.space.at(0);
    tk::get<"tile_y">(config) = {2, 3, 2};
    tk::get<"tile_x">(config) = {1, 5, 2};
    tk::get<"tile_k">(config) = {7, 6};
    needs_its_barriers(p, what.text(config), 2);
}

TEST_CASE("sampled dense layers of many rows compute the definition, and need their one barrier")
{
    product p({.m = 128, .n = 64, .k = 12});
    const auto intended = at::dense_large_cuda_template(p.s);
    for (const auto& source : valid_sources(intended, 5, 4)) {
        CAPTURE(source.text);
        CHECK(p.error(source) < 1e-5);
    }
    using namespace tk::kernels::detail;
    const auto of = [s = p.s](const auto& c) { return dense_large_cuda_source(s, c); };
    const tk::measure::source_template shipped{dense_large_cuda_space(p.s, pruning::shipped), of};
    for (const auto& source : valid_sources(shipped, 5, 4)) {
        CAPTURE(source.text);
        CHECK(p.error(source) < 1e-5);
    }
    auto config = intended.space.at(0);
    tk::get<"tile_x">(config) = {2, 2, 16, 2};
    tk::get<"tile_y">(config) = {1, 2, 8, 4};
    tk::get<"tile_k">(config) = {4, 3, 1};
    needs_its_barriers(p, intended.text(config), 1);
}

TEST_CASE("every dense layer of few rows computes the definition, and needs its barriers")
{
    product p({.m = 3, .n = 5, .k = 48});
    const auto what = at::dense_small_cuda_template(p.s);
    for (tk::index i = 0; i < what.space.size(); ++i) CHECK(p.error(what.text(what.space.at(i))) < 1e-5);
    auto config = what.space.at(0);
    tk::get<"tile_k">(config) = {6, 8};
    needs_its_barriers(p, what.text(config), 3);
}

TEST_CASE("launches are as the tiles say")
{
    const gemm_shape s{.m = 128, .n = 64, .k = 12};
    auto config = tk::kernels::detail::dense_large_cuda_space(s).at(0);
    tk::get<"tile_x">(config) = {2, 2, 16, 2};
    tk::get<"tile_y">(config) = {1, 4, 8, 2};
    CHECK(at::dense_large_cuda_template(s).text(config).launches ==
          std::vector<tk::measure::device_source::launch>{{.grid = {2, 1, 1}, .block = {16, 8, 1}}});
}

TEST_CASE("sources are refused where a static check refuses them, in one line that says why")
{
    const gemm_shape s{.batch = 2, .m = 2048, .n = 2048, .k = 8};
    auto config = tk::kernels::detail::batched_gemm_cuda_space(s).at(0);
    tk::get<"tile_y">(config) = {1, 2048, 1};
    CHECK_THROWS_WITH_AS((void)at::batched_gemm_cuda_template(s).text(config),
                         "tunekit: batched_gemm_cuda_source: threads per block is 2048, want at most 1024",
                         std::invalid_argument);
    CHECK_THROWS_AS((void)at::dense_small_cuda_template(s).text(tk::kernels::detail::dense_small_cuda_space(s).at(0)),
                    std::invalid_argument);
    const gemm_shape tall{.m = 70000, .n = 1, .k = 8};
    CHECK_THROWS_WITH_AS(
        (void)at::dense_small_cuda_template(tall).text(tk::kernels::detail::dense_small_cuda_space(tall).at(0)),
        "tunekit: dense_small_cuda_source: the grid is 70000 x 1 in y and z, want at most 65535 each",
        std::invalid_argument);
}
