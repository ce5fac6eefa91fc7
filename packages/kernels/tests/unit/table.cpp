// SPDX-License-Identifier: MIT
#include "tunekit/kernels/table.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/make_table.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

constexpr std::array tiles{make_tile<1, 1, 4>(), make_tile<2, 1, 4>(), make_tile<3, 1, 4>(), make_tile<4, 1, 4>(),
                           make_tile<5, 1, 4>(), make_tile<1, 2, 4>(), make_tile<2, 2, 4>(), make_tile<3, 2, 4>(),
                           make_tile<1, 3, 4>(), make_tile<2, 3, 4>(), make_tile<1, 8, 4>(), make_tile<2, 8, 4>(),
                           make_tile<1, 1, 8>(), make_tile<2, 1, 8>()};

constexpr std::array depthwise{make_depthwise_tile<vectorise_mode::channel, 1, 1, 4>(),
                               make_depthwise_tile<vectorise_mode::channel, 2, 1, 4>(),
                               make_depthwise_tile<vectorise_mode::channel, 3, 1, 4>(),
                               make_depthwise_tile<vectorise_mode::channel, 1, 2, 4>(),
                               make_depthwise_tile<vectorise_mode::channel, 2, 2, 4>(),
                               make_depthwise_tile<vectorise_mode::pixel, 1, 1, 4>(),
                               make_depthwise_tile<vectorise_mode::pixel, 1, 2, 4>(),
                               make_depthwise_tile<vectorise_mode::pixel, 1, 1, 8>(),
                               make_depthwise_tile<vectorise_mode::pixel, 2, 1, 4, 3, 1>(),
                               make_depthwise_tile<vectorise_mode::pixel, 4, 2, 4, 3, 1>(),
                               make_depthwise_tile<vectorise_mode::pixel, 3, 1, 4, 3, 2>(),
                               make_depthwise_tile<vectorise_mode::pixel, 2, 2, 4, 5, 1>(),
                               make_depthwise_tile<vectorise_mode::pixel, 2, 1, 4, 3, 3>()};

constexpr std::array sweeps{
    make_depthwise_sweep<1, 4, 3, 1>(), make_depthwise_sweep<2, 4, 3, 1>(), make_depthwise_sweep<3, 4, 3, 1>(),
    make_depthwise_sweep<1, 8, 3, 1>(), make_depthwise_sweep<1, 4, 3, 2>(), make_depthwise_sweep<2, 4, 3, 2>(),
    make_depthwise_sweep<1, 4, 3, 3>(), make_depthwise_sweep<1, 4, 7, 2>(), make_depthwise_sweep<2, 4, 7, 2>()};

constexpr std::array transforms{make_winograd<2, 4>(), make_winograd<3, 4>(), make_winograd<4, 4>(),
                                make_winograd<5, 4>(), make_winograd<6, 4>(), make_winograd<7, 4>(),
                                make_winograd<8, 4>(), make_winograd<2, 8>(), make_winograd<4, 8>()};

}  // namespace

const tile_table& test_table()
{
    static constexpr tile_table table{.tiles = tiles,
                                      .registers = native.registers,
                                      .lanes = native.lanes,
                                      .winograd = transforms,
                                      .depthwise = depthwise,
                                      .sweeps = sweeps};
    return table;
}

TEST_CASE("a tile needs its accumulators, its shorter side and one register more")
{
    static_assert(detail::registers_of(6, 2) == 15);
    static_assert(detail::registers_of(3, 4) == 16);
    static_assert(detail::registers_of(14, 2) == 31);
    const tile_table narrow{.tiles = tiles, .registers = 16, .lanes = 4};
    CHECK(narrow.registers_for(2, 3, 4) == 9);
    CHECK(narrow.registers_for(2, 1, 8) == 8);  // a vector of 8 takes two registers of 4
}

TEST_CASE("a table finds its tiles and no others")
{
    for (const auto& t : tiles) CHECK((test_table().find(t.mr, t.nv, t.vl)->run == t.run));
    CHECK((test_table().find(6, 1, 4) == nullptr));
    CHECK((test_table().find(1, 1, 16) == nullptr));
}

TEST_CASE("a table finds its transforms and no others")
{
    CHECK((test_table().find_winograd(4, 8)->tile == 4));
    CHECK((test_table().find_winograd(3, 8) == nullptr));
    CHECK((test_table().find_winograd(9, 4) == nullptr));
    CHECK((tile_table{}.find_winograd(2, 4) == nullptr));
}

TEST_CASE("every tile sums blocks, taps and steps of k, replacing or adding, with every unrolling")
{
    for (const auto& t : tiles) {
        const int nr = t.nv * t.vl;
        for (const int unroll : {1, 2, 4, 8}) {
            for (const int depth : {1, 3, 8, 13}) {
                const int blocks = 2, taps = 3;
                const auto n = [](int i) { return static_cast<std::size_t>(i); };
                // Rows 100 floats apart, taps 20, blocks 1000; integers, so that sums are exact.
                guarded x(n(1000 + 2 * 20 + (t.mr - 1) * 100 + depth)),
                    w(n((blocks * taps - 1) * 200 + (depth - 1) * nr + nr));
                guarded y(n((t.mr - 1) * 70 + nr));
                for (std::size_t i = 0; i < x.span().size(); ++i) x.data()[i] = static_cast<float>(i % 7) - 3;
                for (std::size_t i = 0; i < w.span().size(); ++i) w.data()[i] = static_cast<float>(i % 5) - 2;
                y.fill(100);
                detail::tile_args<> a{.x = x.data(),
                                      .w = w.data(),
                                      .y = y.data(),
                                      .x_row = 100,
                                      .x_block = 1000,
                                      .x_tap = 20,
                                      .w_step = nr,
                                      .w_block = 600,
                                      .w_tap = 200,
                                      .y_row = 70,
                                      .blocks = blocks,
                                      .taps = taps,
                                      .depth = depth,
                                      .unroll = unroll,
                                      .prefetch = 4};
                for (const bool accumulate : {true, false}) {
                    a.accumulate = accumulate;
                    y.fill(100);
                    t.run(a);
                    int wrong = 0;
                    for (int m = 0; m < t.mr; ++m) {
                        for (int j = 0; j < nr; ++j) {
                            float sum = accumulate ? 100.0F : 0.0F;
                            for (int b = 0; b < blocks; ++b) {
                                for (int tap = 0; tap < taps; ++tap) {
                                    for (int k = 0; k < depth; ++k) {
                                        sum += x.data()[m * 100 + b * 1000 + tap * 20 + k] *
                                               w.data()[b * 600 + tap * 200 + k * nr + j];
                                    }
                                }
                            }
                            wrong += y.data()[m * 70 + j] != sum;
                        }
                    }
                    CAPTURE(t.mr);
                    CAPTURE(t.nv);
                    CAPTURE(t.vl);
                    CHECK(wrong == 0);
                }
            }
        }
    }
}
