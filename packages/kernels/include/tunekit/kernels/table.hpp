// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The table of a program's micro-kernels, and the machine that they were compiled for.

#include <span>
#include <type_traits>

#include "tunekit/kernels/detail/micro_kernel.hpp"
#include "tunekit/kernels/shapes.hpp"

namespace tunekit::kernels {

namespace detail {

/// The number of registers that a tile uses: its accumulators, its shorter side, and one for the vectors of the longer
/// side.
[[nodiscard]] constexpr int registers_of(int mr, int nv) noexcept { return mr * nv + (mr < nv ? mr : nv) + 1; }

template <class Tile>
[[nodiscard]] constexpr const Tile* find_tile(std::span<const Tile> tiles, int mr, int nv, int vl) noexcept
{
    for (const auto& t : tiles) {
        if (t.mr == mr && t.nv == nv && t.vl == vl) return &t;
    }
    return nullptr;
}

template <class Tile>
[[nodiscard]] constexpr int narrowest_tile(std::span<const Tile> tiles) noexcept
{
    int least = 0;
    for (const auto& t : tiles) {
        if (least == 0 || t.nv * t.vl < least) least = t.nv * t.vl;
    }
    return least;
}

}  // namespace detail

/// The micro-kernels that one translation unit instantiated for one machine. It refers to the tiles and does not own
/// them.
///
/// For each pair (nv, vl) that occurs, the table holds every mr from 1 to a largest one, so that a row of any length
/// can be divided into tiles. `registers` and `lanes` follow from the flags with which the translation unit was
/// compiled.
struct tile_table {
    std::span<const detail::tile<>> tiles;                      ///< for convolutions and products
    int registers = 16;                                         ///< vector registers
    int lanes = 8;                                              ///< floats in a vector register
    std::span<const detail::winograd_transform> winograd = {};  ///< without any there is no Winograd convolution
    std::span<const detail::dense_tile> dense = {};          ///< without any there is no dense kernel on plain weights
    std::span<const detail::depthwise_tile> depthwise = {};  ///< without any there is no depthwise convolution
    std::span<const detail::depthwise_sweep> sweeps =
        {};                                           ///< for each vl, kernel and stride every mr up to a largest one
    detail::movement moves = detail::plain_movement;  ///< the functions that change layouts

    /// The micro-kernel of that tile, or nullptr.
    [[nodiscard]] constexpr const detail::tile<>* find(int mr, int nv, int vl) const noexcept
    {
        return detail::find_tile(tiles, mr, nv, vl);
    }

    /// The transforms of that tile size for vectors of that length, or nullptr.
    [[nodiscard]] constexpr const detail::winograd_transform* find_winograd(int tile_size, int vl) const noexcept
    {
        for (const auto& t : winograd) {
            if (t.tile == tile_size && t.vl == vl) return &t;
        }
        return nullptr;
    }

    /// The depthwise micro-kernel of that tile that suits the kernel's height and stride, or nullptr.
    [[nodiscard]] constexpr const detail::depthwise_tile* find_depthwise(vectorise_mode vectorise, int mr, int nv,
                                                                         int vl, int kernel_h,
                                                                         int stride_h) const noexcept
    {
        for (const auto& t : depthwise) {
            const bool suits = t.kernel_h == 0 || (t.kernel_h == kernel_h && t.stride_h == stride_h);
            if (t.vectorise == vectorise && t.mr == mr && t.nv == nv && t.vl == vl && suits) return &t;
        }
        return nullptr;
    }

    /// The sweeping micro-kernel of mr rows by one vector that suits the convolution, or nullptr.
    [[nodiscard]] constexpr const detail::depthwise_sweep* find_sweep(int mr, int vl,
                                                                      const conv2d_shape& shape) const noexcept
    {
        for (const auto& t : sweeps) {
            const bool suits = t.kernel == shape.kernel_h && t.kernel == shape.kernel_w && t.stride == shape.stride_h &&
                               t.stride == shape.stride_w;
            if (t.mr == mr && t.vl == vl && suits) return &t;
        }
        return nullptr;
    }

    /// The width of the narrowest tile, in floats; 0 for an empty table.
    [[nodiscard]] constexpr int narrowest() const noexcept { return detail::narrowest_tile(tiles); }

    /// The number of registers that a tile needs on this machine, where a vector of vl floats may take several or part
    /// of one.
    [[nodiscard]] constexpr int registers_for(int mr, int nv, int vl) const noexcept
    {
        return detail::registers_of(mr, nv) * (vl > lanes ? vl / lanes : 1);
    }
};

/// The micro-kernels of matrix products and direct convolutions in one number format, for one machine. It refers to the
/// tiles and does not own them. For each pair (nv, vl) that occurs, it holds every mr from 1 to a largest one.
template <class Format>
struct product_table {
    std::span<const detail::tile<Format>> tiles;  ///< the micro-kernels
    int registers = 16;                           ///< vector registers
    int lanes = 4;                                ///< sums in a vector register
    /// Copies rows of A, with zeros up to a length.
    detail::copy_function<typename Format::left> copy_left = nullptr;
    /// Copies rows of B in groups of `Format::group`, which lie element by element side by side:
    /// to[(r / group) to_row + c group + r % group] = from[r from_row + c] for r < rows, c < columns, and 0 for columns
    /// <= c < filled and for what is missing of the last group.
    detail::copy_function<typename Format::right> pack_right = nullptr;

    /// The micro-kernel of that tile, or nullptr.
    [[nodiscard]] constexpr const detail::tile<Format>* find(int mr, int nv, int vl) const noexcept
    {
        return detail::find_tile(tiles, mr, nv, vl);
    }

    /// The width of the narrowest tile, in sums; 0 for an empty table.
    [[nodiscard]] constexpr int narrowest() const noexcept { return detail::narrowest_tile(tiles); }

    /// The number of registers that a tile needs on this machine, where a vector of vl sums may take several or part
    /// of one.
    [[nodiscard]] constexpr int registers_for(int mr, int nv, int vl) const noexcept
    {
        return detail::registers_of(mr, nv) * (vl > lanes ? vl / lanes : 1);
    }
};

namespace detail {

/// The table that kernels of a format take: in single precision `tile_table`, which serves all kernels.
template <class Format>
using product_table_of = std::conditional_t<std::is_same_v<Format, formats::fp32>, tile_table, product_table<Format>>;

/// The functions of a table that copy A and B.
template <class Format>
struct operand_copies {
    copy_function<typename Format::left> left = nullptr;
    copy_function<typename Format::right> right = nullptr;
};

[[nodiscard]] constexpr operand_copies<formats::fp32> copies_of(const tile_table& t) noexcept
{
    return {t.moves.copy, t.moves.copy};
}

template <class Format>
[[nodiscard]] constexpr operand_copies<Format> copies_of(const product_table<Format>& t) noexcept
{
    return {t.copy_left, t.pack_right};
}

}  // namespace detail

}  // namespace tunekit::kernels
