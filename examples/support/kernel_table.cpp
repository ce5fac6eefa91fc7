// SPDX-License-Identifier: MIT
// The micro-kernels of this machine. Compile with -O3 -march=native (g++: -mprefer-vector-width=512 too); see docs/kernels.md.
#include "kernel_table.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace tk = tunekit::kernels;

namespace {

constexpr int lanes = tk::native.lanes;
constexpr int registers = tk::native.registers;

/// The largest mr whose tile is at most two registers over the budget; at most `cap` of them, to keep the table small.
constexpr int widest(int nv, int cap)
{
    int mr = 1;
    while (mr < cap && tk::registers_of(mr + 1, nv) <= registers + 2) ++mr;
    return mr;
}

template <int NV, int VL, std::size_t... I>
constexpr std::array<tk::tile, sizeof...(I)> column(std::index_sequence<I...>)
{
    return {tk::make_tile<static_cast<int>(I) + 1, NV, VL>()...};
}

template <int NV, int VL, int Cap>
constexpr auto column()
{
    return column<NV, VL>(std::make_index_sequence<static_cast<std::size_t>(widest(NV, Cap))>{});
}

template <class Tile, std::size_t... N>
constexpr auto join(const std::array<Tile, N>&... columns)
{
    std::array<Tile, (N + ...)> all{};
    std::size_t end = 0;
    const auto append = [&](const auto& c) {
        for (const auto& t : c) all[end++] = t;
    };
    (append(columns), ...);
    return all;
}

// Full-width vectors in every useful shape, and one column of half-width ones for narrow outputs.
constexpr auto tiles = join(column<1, lanes, 8>(), column<2, lanes, 14>(), column<3, lanes, 8>(), column<4, lanes, 7>(),
                            column<6, lanes, 4>(), column<2, lanes / 2, 6>());

template <int... M>
constexpr std::array<tk::winograd_transform, 2 * sizeof...(M)> transforms()
{
    return {tk::make_winograd<M, lanes>()..., tk::make_winograd<M, lanes / 2>()...};
}

constexpr auto winograd = transforms<2, 3, 4, 5, 6, 7, 8>();

template <std::size_t... M>
constexpr std::array<tk::dense_tile, 4 * sizeof...(M)> few_rows(std::index_sequence<M...>)
{
    return {tk::make_dense_tile<static_cast<int>(M) + 1, 1>()..., tk::make_dense_tile<static_cast<int>(M) + 1, 2>()...,
            tk::make_dense_tile<static_cast<int>(M) + 1, 4>()..., tk::make_dense_tile<static_cast<int>(M) + 1, 8>()...};
}

constexpr auto dense = few_rows(std::make_index_sequence<8>{});

// Depthwise: rows of channels, and rows of pixels for the kernels that networks have and any other.
template <int NV, std::size_t... I>
constexpr std::array<tk::depthwise_tile, sizeof...(I)> channels(std::index_sequence<I...>)
{
    return {tk::make_depthwise_channels<static_cast<int>(I) + 1, NV, lanes>()...};
}

template <int KH, int SH, int... MR>
constexpr std::array<tk::depthwise_tile, 3 * sizeof...(MR)> pixels()
{
    return {tk::make_depthwise_pixels<MR, 1, lanes, KH, SH>()..., tk::make_depthwise_pixels<MR, 2, lanes, KH, SH>()...,
            tk::make_depthwise_pixels<MR, 1, lanes / 2, KH, SH>()...};
}

constexpr auto depthwise = join(channels<1>(std::make_index_sequence<8>{}), channels<2>(std::make_index_sequence<6>{}), pixels<0, 0, 1>(),
                                pixels<3, 1, 2, 4, 7>(), pixels<3, 2, 2, 4, 7>(), pixels<5, 1, 2, 4>(), pixels<5, 2, 2, 4>());

}  // namespace

const tk::tile_table& kernel_table()
{
    static constexpr tk::tile_table table{.tiles = tiles, .registers = registers, .lanes = lanes, .winograd = winograd, .dense = dense,
                                          .depthwise = depthwise, .moves = tk::make_movement()};
    return table;
}
