// SPDX-License-Identifier: MIT
#include "tunekit/kernels/dense/dense.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/dense/space.hpp"
#include "tunekit/kernels/make_table.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

constexpr std::array dense_tiles{make_dense_tile<1, 1>(), make_dense_tile<1, 2>(), make_dense_tile<1, 4>(),
                                 make_dense_tile<1, 8>(), make_dense_tile<2, 1>(), make_dense_tile<2, 4>(),
                                 make_dense_tile<8, 1>(), make_dense_tile<8, 4>()};

tile_table table_of_dense()
{
    tile_table table = test_table();
    table.dense = dense_tiles;
    return table;
}

}  // namespace

TEST_CASE("a dense micro-kernel replaces or adds to the columns it is given, for every width")
{
    tk::random::philox gen(43);
    for (const auto& t : dense_tiles) {
        const int depth = 8;
        for (const int columns : {1, 3, native.lanes, 2 * native.lanes + 7}) {
            const auto n = [](int i) { return static_cast<std::size_t>(i); };
            guarded x(n((t.mr - 1) * 11 + depth)), w(n((depth - 1) * 100 + columns)), y(n((t.mr - 1) * 90 + columns));
            // Small integers: sums are exact.
            for (float& f : x.span()) f = static_cast<float>(one_of({-2, -1, 1, 3}, gen));
            for (float& f : w.span()) f = static_cast<float>(one_of({-3, -1, 0, 2}, gen));
            for (const bool accumulate : {false, true}) {
                y.fill(50);
                t.run({.x = x.data(),
                       .w = w.data(),
                       .y = y.data(),
                       .x_row = 11,
                       .w_row = 100,
                       .y_row = 90,
                       .columns = columns,
                       .depth = depth,
                       .prefetch = 16,
                       .accumulate = accumulate});
                for (int m = 0; m < t.mr; ++m) {
                    for (int j = 0; j < 90 && m * 90 + j < (t.mr - 1) * 90 + columns; ++j) {
                        float want = accumulate || j >= columns ? 50.0F : 0.0F;
                        for (int k = 0; k < depth && j < columns; ++k)
                            want += x.data()[m * 11 + k] * w.data()[k * 100 + j];
                        REQUIRE(y.data()[m * 90 + j] == want);
                    }
                }
            }
        }
    }
}

TEST_CASE(
    "a dense product agrees with the definition for every configuration of its space, between pages without access")
{
    const auto table = table_of_dense();
    const std::array<gemm_shape, 4> shapes{{{.m = 1, .n = 1, .k = 1},
                                            {.m = 1, .n = 130, .k = 33},
                                            {.m = 2, .n = 77, .k = 12},
                                            {.m = 1, .n = 300, .k = 7}}};
    tk::random::philox gen(47);
    for (const auto& s : shapes) {
        const auto a = uniform_floats(std::int64_t{s.m} * s.k, gen), b = uniform_floats(std::int64_t{s.k} * s.n, gen);
        const auto want = reference_gemm(s, a, b);
        guarded ga(a.size()), gb(b.size()), gc(want.size());
        std::copy(a.begin(), a.end(), ga.data());
        std::copy(b.begin(), b.end(), gb.data());
        const auto space = dense_space(s, table);
        for (tk::index i = 0; i < space.size(); ++i) {
            CAPTURE(i);
            dense_kernel kernel(s, config_of<dense_config>(space.at(i)), table, gb.span());
            for (int run = 0; run < 2; ++run) {
                gc.fill(1e30F);
                kernel.run(ga.data(), gc.data());
                REQUIRE(relative_error(gc.span(), want) <
                        1e-5);  // at most 33 roundings of 2^-24 relative to the largest sum
            }
        }
    }
}

TEST_CASE("plain weights pass by any number of columns, eight rows of A included")
{
    const auto table = table_of_dense();
    tk::random::philox gen(53);
    for (const gemm_shape s : {gemm_shape{.m = 8, .n = 64, .k = 3}, gemm_shape{.m = 8, .n = 9, .k = 5},
                               gemm_shape{.m = 1, .n = 25, .k = 17}}) {
        const auto a = uniform_floats(std::int64_t{s.m} * s.k, gen), b = uniform_floats(std::int64_t{s.k} * s.n, gen);
        std::vector<float> c(static_cast<std::size_t>(s.m * s.n));
        for (const int columns : {1, 10, 64}) {
            dense_kernel(s, {.rows = s.m == 1 ? 8 : 4, .columns = columns}, table, b).run(a.data(), c.data());
            CHECK(relative_error(c, reference_gemm(s, a, b)) < 1e-5);
        }
    }
}

TEST_CASE(
    "the dense space holds its default, counts each layout's configurations once, and refuses what is no dense layer")
{
    const auto table = table_of_dense();
    const gemm_shape s{.m = 1, .n = 1000, .k = 512};
    const auto space = dense_space(s, table);
    const auto i = index_of(space, default_config<dense_config>(s, table));
    REQUIRE(i.has_value());
    CHECK(config_of<dense_config>(space.at(*i)) == default_config<dense_config>(s, table));
    // plain: 4 numbers of rows, 5 of columns (64 ... 1024); panels: the 5 tiles of one row, 4 unrollings; 5 prefetches each.
    CHECK(space.size() == (4 * 5 + 5 * 4) * 5);
    CHECK_THROWS_WITH_AS(
        (void)dense_space(gemm_shape{.m = 9, .n = 4, .k = 4}, table),
        "tunekit: dense_space: the shape is a batch or has more than 8 rows, want one product of few rows",
        std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)dense_space(gemm_shape{.m = 5, .n = 4, .k = 4}, table),
                         "tunekit: dense_space: the table has no dense tile for the shape, want one",
                         std::invalid_argument);
}

TEST_CASE("a dense configuration that does not fit is refused with its parameter named")
{
    const auto table = table_of_dense();
    const gemm_shape s{.m = 1, .n = 8, .k = 8};
    const std::vector<float> w(64);
    const auto plan = [&](const gemm_shape& shape, const dense_config& c) {
        return dense_kernel(shape, c, table, w).scratch_size();
    };
    CHECK(plan(s, {.rows = 2, .columns = 8}) == 0);
    CHECK(plan(s, {.layout = dense_config::weights::panels, .nv = 1, .vl = 4}) == 64 + 4);
    CHECK_THROWS_WITH_AS(plan(s, {.rows = 3}),
                         "tunekit: dense_config: rows is 3 for 1 rows of A, want what the table's dense tiles have",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(plan(s, {.rows = 2, .columns = 0}), "tunekit: dense_config: columns is 0, want >= 1",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(plan(s, {.layout = dense_config::weights::panels, .nv = 7, .vl = 4}),
                         "tunekit: dense_config: no tile 1 x 7 x 4 in the table, want one of its tiles",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(plan(s, {.layout = dense_config::weights::panels, .nv = 1, .vl = 4, .ku = 3}),
                         "tunekit: dense_config: ku is 3, want 1, 2, 4 or 8", std::invalid_argument);
    CHECK_THROWS_AS(plan({.m = 9, .n = 2, .k = 2}, {}), std::invalid_argument);
    CHECK_THROWS_AS(plan({.batch = 2, .m = 1, .n = 2, .k = 2}, {}), std::invalid_argument);
}

TEST_CASE("rows are copied into panels with what is beyond the columns zero, and nothing else is read or written")
{
    for (const int columns : {1, 5, native.lanes, 3 * native.lanes + 1}) {
        const int rows = 4, from_row = columns + 3, filled = columns + 2, to_row = filled + 1;
        guarded from(static_cast<std::size_t>((rows - 1) * from_row + columns)),
            to(static_cast<std::size_t>((rows - 1) * to_row + filled));
        for (std::size_t i = 0; i < from.span().size(); ++i) from.data()[i] = static_cast<float>(i + 1);
        to.fill(-1);
        test_table().moves.copy(from.data(), from_row, to.data(), to_row, rows, columns, filled);
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < to_row && r * to_row + c < (rows - 1) * to_row + filled; ++c) {
                const float want = c < columns ? static_cast<float>(r * from_row + c + 1) : c < filled ? 0.0F : -1.0F;
                REQUIRE(to.data()[r * to_row + c] == want);
            }
        }
    }
}
