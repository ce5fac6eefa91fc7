// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parts of the table, each compiled in a translation unit of its own: together they take a minute and much memory.

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "tunekit/kernels/make_table.hpp"
#include "tunekit/kernels/table.hpp"

namespace programs::families {

// Full-width vectors in every useful shape, and one column of half-width ones for narrow outputs: by vectors across.
std::span<const tunekit::kernels::detail::tile<>> tiles_1();
std::span<const tunekit::kernels::detail::tile<>> tiles_2();
std::span<const tunekit::kernels::detail::tile<>> tiles_3();
std::span<const tunekit::kernels::detail::tile<>> tiles_4();
std::span<const tunekit::kernels::detail::tile<>> tiles_6();
std::span<const tunekit::kernels::detail::tile<>> half_tiles_2();

std::span<const tunekit::kernels::detail::winograd_transform> winograd();
std::span<const tunekit::kernels::detail::dense_tile> dense();
std::span<const tunekit::kernels::detail::depthwise_tile> depthwise();
std::span<const tunekit::kernels::detail::depthwise_sweep> depthwise_sweeps();

inline constexpr int lanes = tunekit::kernels::native.lanes;
inline constexpr int registers = tunekit::kernels::native.registers;

/// The largest mr whose tile is at most two registers over the budget; at most `cap` of them, to keep the table small.
constexpr int tallest(int nv, int cap)
{
    int mr = 1;
    while (mr < cap && tunekit::kernels::detail::registers_of(mr + 1, nv) <= registers + 2) ++mr;
    return mr;
}

/// The tiles of NV vectors of VL floats, of every height up to the tallest.
template <int NV, int VL, int Cap>
inline constexpr auto column = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{tunekit::kernels::make_tile<static_cast<int>(I) + 1, NV, VL>()...};
}(std::make_index_sequence<static_cast<std::size_t>(tallest(NV, Cap))>{});

}  // namespace programs::families
