// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Functions that make the entries of a table of micro-kernels. Each entry is compiled where it is named. That should
/// be a translation unit of its own, compiled by g++ or clang with the flags of the machine that runs it (see
/// `docs/kernels.md`).

#if defined(__CUDACC__)
#error "tunekit: kernels/make_table.hpp: a table of micro-kernels is compiled by g++ or clang, not by nvcc"
#endif

#include "tunekit/kernels/detail/dense_tile.hpp"
#include "tunekit/kernels/detail/depthwise_sweep.hpp"
#include "tunekit/kernels/detail/depthwise_tile.hpp"
#include "tunekit/kernels/detail/movement.hpp"
#include "tunekit/kernels/detail/tile.hpp"
#include "tunekit/kernels/detail/winograd_transforms.hpp"
#include "tunekit/kernels/micro_kernel.hpp"

namespace tunekit::kernels {

/// The machine that this translation unit's flags describe.
inline constexpr machine native{
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
template <int MR, int NV, int VL, machine M = native>
[[nodiscard]] constexpr tile make_tile() noexcept
{
    return {MR, NV, VL, &detail::tile_kernel<formats::fp32, MR, NV, VL, M>};
}

/// Makes a dense micro-kernel for this translation unit's machine.
template <int MR, int Rows, machine M = native>
[[nodiscard]] constexpr dense_tile make_dense_tile() noexcept
{
    return {MR, Rows, &detail::dense_rows<MR, Rows, M>};
}

/// Makes a depthwise micro-kernel for this translation unit's machine: channels in vectors.
template <int MR, int NV, int VL, machine M = native>
[[nodiscard]] constexpr depthwise_tile make_depthwise_channels() noexcept
{
    return {vectorise_mode::channel, MR, NV, VL, 0, 0, &detail::depthwise_channels<MR, NV, VL, M>};
}

/// The same with pixels in vectors.
template <int MR, int NV, int VL, int KH = 0, int SH = 0, machine M = native>
[[nodiscard]] constexpr depthwise_tile make_depthwise_pixels() noexcept
{
    return {vectorise_mode::pixel, MR, NV, VL, KH, SH, &detail::depthwise_pixels<MR, NV, VL, KH, SH, M>};
}

/// Makes a sweeping depthwise micro-kernel for this translation unit's machine.
template <int MR, int VL, int K, int S, machine M = native>
[[nodiscard]] constexpr depthwise_sweep make_depthwise_sweep() noexcept
{
    return {MR, VL, K, S, &detail::depthwise_sweep_rows<MR, VL, K, S, M>};
}

/// Makes the Winograd transforms for this translation unit's machine.
template <int M, int VL, machine On = native>
[[nodiscard]] constexpr winograd_transform make_winograd() noexcept
{
    return {M, VL, &detail::winograd_input<M, VL, On>, &detail::winograd_output<M, VL, On>};
}

/// Makes the data movement functions for this translation unit's machine.
template <machine M = native>
[[nodiscard]] constexpr movement make_movement() noexcept
{
    return {&detail::transpose_floats<M>, &detail::gather_floats<M>, &detail::copy_floats<M>};
}

}  // namespace tunekit::kernels
