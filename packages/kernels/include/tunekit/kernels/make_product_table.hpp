// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Functions that make a `product_table` and its entries: micro-kernels for double precision, bfloat16 and bytes.
/// Compile them as those of `make_table.hpp`. Programs without such products need not include it.

#include "tunekit/kernels/detail/dot_arithmetic.hpp"
#include "tunekit/kernels/detail/product_movement.hpp"
#include "tunekit/kernels/make_table.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels {

/// Makes a product's micro-kernel in that format for this translation unit's machine.
template <class Format, int MR, int NV, int VL, detail::machine M = native>
[[nodiscard]] constexpr detail::tile<Format> make_tile() noexcept
{
    return {MR, NV, VL, &detail::tile_kernel<Format, MR, NV, VL, M>};
}

namespace detail {

/// The number of sums in a vector register of that machine.
template <class Format>
[[nodiscard]] constexpr int lanes_of(const machine& on = native) noexcept
{
    return on.lanes * static_cast<int>(sizeof(float)) / static_cast<int>(sizeof(typename Format::sum));
}

}  // namespace detail

/// Makes the table of these tiles, with the functions that move operands, for this translation unit's machine. The
/// tiles must outlive it.
template <class Format, detail::machine M = native>
[[nodiscard]] constexpr product_table<Format> make_table(std::span<const detail::tile<Format>> tiles) noexcept
{
    product_table<Format> out{.tiles = tiles,
                              .registers = M.registers,
                              .lanes = detail::lanes_of<Format>(M),
                              .copy_left = &detail::copy_elements<typename Format::left, M>};
    if constexpr (Format::group == 1) out.pack_right = &detail::copy_elements<typename Format::right, M>;
    else out.pack_right = &detail::pack_groups<Format, M>;
    return out;
}

}  // namespace tunekit::kernels
