// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>

#include "packages/kernels/table/families.hpp"

namespace programs::families {
namespace {

namespace tk = tunekit::kernels;

// Rows of channels, and rows of pixels for the kernels that networks have and any other.
template <int NV, int... MR>
constexpr std::array channels{tk::make_depthwise_tile<tk::vectorise_mode::channel, MR, NV, lanes>()...};

template <int KH, int SH, int... MR>
constexpr std::array pixels{tk::make_depthwise_tile<tk::vectorise_mode::pixel, MR, 1, lanes, KH, SH>()...,
                            tk::make_depthwise_tile<tk::vectorise_mode::pixel, MR, 2, lanes, KH, SH>()...,
                            tk::make_depthwise_tile<tk::vectorise_mode::pixel, MR, 1, lanes / 2, KH, SH>()...};

template <class Tile, std::size_t... N>
constexpr auto join(const std::array<Tile, N>&... parts)
{
    std::array<Tile, (N + ...)> all{};
    auto end = all.begin();
    ((end = std::copy(parts.begin(), parts.end(), end)), ...);
    return all;
}

constexpr auto all = join(channels<1, 1, 2, 3, 4, 5, 6, 7, 8>, channels<2, 1, 2, 3, 4, 5, 6>, pixels<0, 0, 1>,
                          pixels<3, 1, 2, 4, 7>, pixels<3, 2, 2, 4, 7>, pixels<5, 1, 2, 4>, pixels<5, 2, 2, 4>);

// Whole rows of channels, for 3 x 3 kernels as networks have them.
template <int S, int... MR>
constexpr std::array sweeps{tk::make_depthwise_sweep<MR, lanes, 3, S>()...};

constexpr auto all_sweeps = join(sweeps<1, 1, 2, 3, 4>, sweeps<2, 1, 2, 3, 4>);

}  // namespace

std::span<const tk::detail::depthwise_tile> depthwise() { return all; }
std::span<const tk::detail::depthwise_sweep> depthwise_sweeps() { return all_sweeps; }

}  // namespace programs::families
