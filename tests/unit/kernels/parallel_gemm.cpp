// SPDX-License-Identifier: MIT
#include "tunekit/kernels/gemm/parallel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

/// A thread for each part.
constexpr auto on_threads = [](std::size_t parts, const auto& task) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < parts; ++i) threads.emplace_back([&task, i] { task(i); });
    for (auto& t : threads) t.join();
};

}  // namespace

TEST_CASE(
    "a product on threads is the serial one to the last bit, for any number of them, and touches nothing beside its "
    "matrices")
{
    const std::array<gemm_shape, 5> shapes{{{.m = 7, .n = 53, .k = 40},
                                            {.m = 61, .n = 5, .k = 33},
                                            {.batch = 5, .m = 6, .n = 9, .k = 12},
                                            {.m = 1, .n = 1, .k = 1},
                                            {.m = 16, .n = 64, .k = 8}}};
    const std::array<gemm_config, 3> configs{
        {{.mr = 3, .nv = 2, .vl = 4, .ku = 2, .mc = 6, .nc = 16, .kc = 16},
         {.mr = 5, .nv = 1, .vl = 4, .ku = 4, .mc = 64, .nc = 8, .kc = 7, .pack_a = true, .pack_b = true},
         {.mr = 2, .nv = 3, .vl = 4, .mc = 2, .nc = 24, .kc = 128, .pack_b = true, .edge = edge_mode::remainder}}};
    tk::random::philox gen(59);
    for (const auto& s : shapes) {
        const auto a = uniform_floats(std::int64_t{s.batch} * s.m * s.k, gen),
                   b = uniform_floats(std::int64_t{s.batch} * s.k * s.n, gen);
        const auto reference = reference_gemm(s, a, b);
        guarded ga(a.size()), gb(b.size()), gc(reference.size());
        std::copy(a.begin(), a.end(), ga.data());
        std::copy(b.begin(), b.end(), gb.data());
        for (const auto& config : configs) {
            std::vector<float> want(reference.size());
            gemm_kernel(s, config, test_table()).run(a.data(), b.data(), want.data());
            for (const int threads : {1, 2, 3, 7}) {
                parallel_gemm kernel(s, config, test_table(), threads);
                CHECK(kernel.parts() >= 1);
                CHECK(kernel.parts() <= static_cast<std::size_t>(threads));
                gc.fill(1e30F);
                kernel.run(ga.data(), gb.data(), gc.data(), on_threads);
                REQUIRE(std::equal(want.begin(), want.end(), gc.data()));
            }
            CHECK(relative_error(want, reference) < 1e-5);
        }
    }
}

TEST_CASE("a product is divided along what it has most of, and no part is empty")
{
    const gemm_config config{.mr = 2, .nv = 1, .vl = 4, .mc = 8, .nc = 8, .kc = 8};
    CHECK(parallel_gemm({.m = 4, .n = 40, .k = 8}, config, test_table(), 4).parts() == 4);
    CHECK(parallel_gemm({.m = 40, .n = 4, .k = 8}, config, test_table(), 4).parts() == 4);
    CHECK(parallel_gemm({.m = 2, .n = 8, .k = 8}, config, test_table(), 16).parts() == 2);  // two panels of columns
    CHECK(parallel_gemm({.batch = 3, .m = 40, .n = 40, .k = 8}, config, test_table(), 16).parts() == 3);
    CHECK_THROWS_WITH_AS(parallel_gemm({.m = 2, .n = 8, .k = 8}, config, test_table(), 0),
                         "tunekit: parallel_gemm: threads is 0, want >= 1", std::invalid_argument);
}
