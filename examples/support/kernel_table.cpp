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

template <std::size_t... N>
constexpr auto join(const std::array<tk::tile, N>&... columns)
{
    std::array<tk::tile, (N + ...)> all{};
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

constexpr auto winograd = transforms<2, 3, 4, 5, 6, 8>();

template <std::size_t... M>
constexpr std::array<tk::dense_tile, 4 * sizeof...(M)> few_rows(std::index_sequence<M...>)
{
    return {tk::make_dense_tile<static_cast<int>(M) + 1, 1>()..., tk::make_dense_tile<static_cast<int>(M) + 1, 2>()...,
            tk::make_dense_tile<static_cast<int>(M) + 1, 4>()..., tk::make_dense_tile<static_cast<int>(M) + 1, 8>()...};
}

constexpr auto dense = few_rows(std::make_index_sequence<8>{});

}  // namespace

const tk::tile_table& kernel_table()
{
    static constexpr tk::tile_table table{.tiles = tiles, .registers = registers, .lanes = lanes, .winograd = winograd, .dense = dense,
                                          .moves = tk::make_movement()};
    return table;
}
