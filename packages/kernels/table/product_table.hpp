// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The tiles of a product table: each format is compiled in a translation unit of its own.

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "packages/kernels/table/families.hpp"
#include "tunekit/kernels/make_product_table.hpp"

namespace programs::families {

template <class F, int NV, int Cap>
constexpr auto product_column = []<std::size_t... I>(std::index_sequence<I...>) {
    namespace tk = tunekit::kernels;
    return std::array{tk::make_tile<F, static_cast<int>(I) + 1, NV, tk::detail::lanes_of<F>()>()...};
}(std::make_index_sequence<static_cast<std::size_t>(tallest(NV, Cap))>{});

template <class Tile, std::size_t... N>
constexpr auto joined(const std::array<Tile, N>&... parts)
{
    std::array<Tile, (N + ...)> all{};
    auto end = all.begin();
    ((end = std::copy(parts.begin(), parts.end(), end)), ...);
    return all;
}

template <class F>
constexpr auto product_tiles = joined(product_column<F, 1, 4>, product_column<F, 2, 14>, product_column<F, 3, 9>,
                                      product_column<F, 4, 6>, product_column<F, 6, 4>);

template <class F>
constexpr auto product_table_of_machine = tunekit::kernels::make_table<F>(product_tiles<F>);

}  // namespace programs::families
