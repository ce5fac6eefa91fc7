// SPDX-License-Identifier: MIT
#include "tunekit/kernels/gemm/parallel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include "on_threads.hpp"
#include "support.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

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

TEST_CASE("every division of a space among threads gives the serial product to the last bit")
{
    tk::random::philox gen(61);
    const gemm_config config{.mr = 3, .nv = 1, .vl = 4, .mc = 6, .nc = 8, .kc = 16, .pack_b = true};
    for (const gemm_shape& s : {gemm_shape{.m = 13, .n = 21, .k = 18}, gemm_shape{.batch = 3, .m = 8, .n = 1, .k = 9},
                                gemm_shape{.m = 1, .n = 1, .k = 5}}) {
        const auto a = uniform_floats(std::int64_t{s.batch} * s.m * s.k, gen),
                   b = uniform_floats(std::int64_t{s.batch} * s.k * s.n, gen);
        std::vector<float> want(static_cast<std::size_t>(s.batch * s.m * s.n)), got(want.size());
        gemm_kernel(s, config, test_table()).run(a.data(), b.data(), want.data());
        const auto space = gemm_division_space(s, 4);
        std::size_t most = 0;
        for (tk::index i = 0; i < space.size(); ++i) {
            const gemm_division division = config_of<gemm_division>(space.at(i));
            CAPTURE(space.text(i));
            parallel_gemm kernel(s, config, test_table(), division);
            CHECK(kernel.parts() <= static_cast<std::size_t>(division.parts));
            most = std::max(most, kernel.parts());
            std::fill(got.begin(), got.end(), 1e30F);
            kernel.run(a.data(), b.data(), got.data(), on_threads);
            CHECK(got == want);
        }
        CHECK(most == (s.n == 1 && s.batch == 1 ? 1 : s.batch > 1 ? 3 : 4));
    }
    CHECK(gemm_division_space({.m = 13, .n = 21, .k = 18}, 4).size() == 7);  // one part, or 2 to 4 of columns or rows
    CHECK(gemm_division_space({.m = 1, .n = 1, .k = 5}, 4).size() == 1);
    CHECK(gemm_division_space({.m = 3, .n = 5, .k = 5}, std::numeric_limits<int>::max()).size() == 7);
    CHECK_THROWS_AS(static_cast<void>(gemm_division_space({.m = 1, .n = 1, .k = 5}, 0)), std::invalid_argument);
}

TEST_CASE("the space of a product on threads is that of the serial one with its divisions")
{
    const gemm_shape s{.m = 13, .n = 21, .k = 18};
    const auto serial = gemm_space(s, test_table());
    const auto space = gemm_space(s, test_table(), 3);
    CHECK(space.size() == serial.size() * 5);
    tk::random::philox gen(67);
    const auto a = uniform_floats(std::int64_t{s.m} * s.k, gen), b = uniform_floats(std::int64_t{s.k} * s.n, gen);
    std::vector<float> want(static_cast<std::size_t>(s.m * s.n)), got(want.size());
    for (const tk::index i : space.sample(60, gen)) {
        const auto point = space.at(i);
        const gemm_config config = config_of<gemm_config>(point);
        const gemm_division division = config_of<gemm_division>(point);
        CAPTURE(space.text(i));
        CHECK(index_of(space, config, division) == i);
        CHECK(index_of(serial, config).has_value());
        gemm_kernel(s, config, test_table()).run(a.data(), b.data(), want.data());
        parallel_gemm(s, config, test_table(), division).run(a.data(), b.data(), got.data(), on_threads);
        REQUIRE(got == want);
    }
    CHECK(index_of(space, default_config(s, test_table()), {.parts = 1, .split = gemm_division::cut::columns})
              .has_value());
}

TEST_CASE("a tile beyond all numbers is refused on threads, too")
{
    constexpr int huge = std::numeric_limits<int>::max();
    const gemm_shape s{.m = 13, .n = 21, .k = 18};
    for (const gemm_config& c :
         {gemm_config{.mr = 2, .nv = huge, .vl = huge}, gemm_config{.mr = huge, .nv = 1, .vl = 4},
          gemm_config{.mr = -huge, .nv = -huge, .vl = 4}})
        CHECK_THROWS_AS(parallel_gemm(s, c, test_table(), 4), std::invalid_argument);
}
