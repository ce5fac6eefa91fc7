// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The table of a program's micro-kernels, and the machine that they were compiled for.

#include <span>

#include "tunekit/kernels/micro_kernel.hpp"

namespace tunekit::kernels {

/// The number of registers that a tile uses: its accumulators, its shorter side, and one for the vectors of the longer
/// side.
[[nodiscard]] constexpr int registers_of(int mr, int nv) noexcept { return mr * nv + (mr < nv ? mr : nv) + 1; }

/// The micro-kernels that one translation unit instantiated for one machine. It refers to the tiles and does not own
/// them.
///
/// For each pair (nv, vl) that occurs, the table holds every mr from 1 to a largest one, so that a row of any length
/// can be divided into tiles. `registers` and `lanes` follow from the flags with which the translation unit was
/// compiled.
struct tile_table {
    std::span<const tile> tiles;                        ///< for convolutions and products
    int registers = 16;                                 ///< vector registers
    int lanes = 8;                                      ///< floats in a vector register
    std::span<const winograd_transform> winograd = {};  ///< without any there is no Winograd convolution
    std::span<const dense_tile> dense = {};             ///< without any there is no dense kernel on plain weights
    std::span<const depthwise_tile> depthwise = {};     ///< without any there is no depthwise convolution
    movement moves = plain_movement;                    ///< the functions that change layouts

    /// The micro-kernel of that tile, or nullptr.
    [[nodiscard]] constexpr const tile* find(int mr, int nv, int vl) const noexcept
    {
        for (const auto& t : tiles) {
            if (t.mr == mr && t.nv == nv && t.vl == vl) return &t;
        }
        return nullptr;
    }

    /// The transforms of that tile size for vectors of that length, or nullptr.
    [[nodiscard]] constexpr const winograd_transform* find_winograd(int tile_size, int vl) const noexcept
    {
        for (const auto& t : winograd) {
            if (t.tile == tile_size && t.vl == vl) return &t;
        }
        return nullptr;
    }

    /// The depthwise micro-kernel of that tile that suits the kernel's height and stride, or nullptr.
    [[nodiscard]] constexpr const depthwise_tile* find_depthwise(vectorise_mode vectorise, int mr, int nv, int vl,
                                                                 int kernel_h, int stride_h) const noexcept
    {
        for (const auto& t : depthwise) {
            const bool suits = t.kernel_h == 0 || (t.kernel_h == kernel_h && t.stride_h == stride_h);
            if (t.vectorise == vectorise && t.mr == mr && t.nv == nv && t.vl == vl && suits) return &t;
        }
        return nullptr;
    }

    /// The width of the narrowest tile, in floats; 0 for an empty table.
    [[nodiscard]] constexpr int narrowest() const noexcept
    {
        int least = 0;
        for (const auto& t : tiles) {
            if (least == 0 || t.nv * t.vl < least) least = t.nv * t.vl;
        }
        return least;
    }

    /// The number of registers that a tile needs on this machine, where a vector of vl floats may take several or part
    /// of one.
    [[nodiscard]] constexpr int registers_for(int mr, int nv, int vl) const noexcept
    {
        return registers_of(mr, nv) * (vl > lanes ? vl / lanes : 1);
    }
};

}  // namespace tunekit::kernels
