// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Functions that make a table of micro-kernels and its entries. Each entry is compiled where it is named. That should
/// be a translation unit of its own, compiled by g++ or clang with the flags of the machine that runs it (see
/// `docs/kernels.md`).

#if defined(__CUDACC__)
#error "tunekit: kernels/make_table.hpp: a table of micro-kernels is compiled by g++ or clang, not by nvcc"
#endif

#include <span>

#include "tunekit/kernels/detail/dense_tile.hpp"
#include "tunekit/kernels/detail/depthwise_sweep.hpp"
#include "tunekit/kernels/detail/depthwise_tile.hpp"
#include "tunekit/kernels/detail/micro_kernel.hpp"
#include "tunekit/kernels/detail/movement.hpp"
#include "tunekit/kernels/detail/tile.hpp"
#include "tunekit/kernels/detail/winograd_transforms.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels {

/// The machine that this translation unit's flags describe.
inline constexpr detail::machine native{
#if defined(__AVX512F__)
    .registers = 32,
    .lanes = 16,
    .fused = true,
#if defined(__AVX512BF16__)
    .bf16_lanes = 16,
#endif
#if defined(__AVX512VNNI__)
    .u8s8_lanes = 16,
#endif
#elif defined(__AVX__) && defined(__FMA__)
    .registers = 16,
    .lanes = 8,
    .fused = true,
#if defined(__AVXVNNI__)
    .u8s8_lanes = 8,
#endif
#elif defined(__AVX__)
    .registers = 16,
    .lanes = 8,
    .fused = false,
#elif defined(__aarch64__)
    .registers = 32,
    .lanes = 4,
    .fused = true,
#else
    .registers = 16,
    .lanes = 4,
    .fused = false,
#endif
};

/// Makes a convolution's or product's micro-kernel for this translation unit's machine.
template <int MR, int NV, int VL, detail::machine M = native>
[[nodiscard]] constexpr detail::tile<> make_tile() noexcept
{
    return {MR, NV, VL, &detail::tile_kernel<formats::fp32, MR, NV, VL, M>};
}

/// Makes a dense micro-kernel for this translation unit's machine.
template <int MR, int Rows, detail::machine M = native>
[[nodiscard]] constexpr detail::dense_tile make_dense_tile() noexcept
{
    return {MR, Rows, &detail::dense_rows<MR, Rows, M>};
}

/// Makes a depthwise micro-kernel for this translation unit's machine. With pixels in vectors it may be for one height
/// and stride of the kernel; 0: any.
template <vectorise_mode Vectorise, int MR, int NV, int VL, int KH = 0, int SH = 0, detail::machine M = native>
[[nodiscard]] constexpr detail::depthwise_tile make_depthwise_tile() noexcept
{
    if constexpr (Vectorise == vectorise_mode::channel) {
        static_assert(KH == 0 && SH == 0, "channels in vectors are for any kernel");
        return {Vectorise, MR, NV, VL, 0, 0, &detail::depthwise_channels<MR, NV, VL, M>};
    } else {
        return {Vectorise, MR, NV, VL, KH, SH, &detail::depthwise_pixels<MR, NV, VL, KH, SH, M>};
    }
}

/// Makes a sweeping depthwise micro-kernel for this translation unit's machine.
template <int MR, int VL, int K, int S, detail::machine M = native>
[[nodiscard]] constexpr detail::depthwise_sweep make_depthwise_sweep() noexcept
{
    return {MR, VL, K, S, &detail::depthwise_sweep_rows<MR, VL, K, S, M>};
}

/// Makes the Winograd transforms for this translation unit's machine.
template <int M, int VL, detail::machine On = native>
[[nodiscard]] constexpr detail::winograd_transform make_winograd() noexcept
{
    return {M, VL, &detail::winograd_input<M, VL, On>, &detail::winograd_output<M, VL, On>};
}

namespace detail {

/// The functions of a machine that move floats.
template <machine M>
inline constexpr movement movement_of{&transpose_floats<M>, &gather_floats<M>, &copy_floats<M>};

}  // namespace detail

/// Makes the table of these tiles, with the functions that move floats, for this translation unit's machine: set its
/// other micro-kernels. The tiles must outlive it.
template <detail::machine M = native>
[[nodiscard]] constexpr tile_table make_table(std::span<const detail::tile<>> tiles) noexcept
{
    return {.tiles = tiles, .registers = M.registers, .lanes = M.lanes, .moves = detail::movement_of<M>};
}

}  // namespace tunekit::kernels
