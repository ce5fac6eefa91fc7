// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The configuration of a Winograd convolution.

#include <cstdint>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/shapes.hpp"

namespace tunekit::kernels {

/// The layout of a Winograd convolution's products in memory.
enum class winograd_layout : std::uint8_t {
    by_element,  ///< one matrix per element of the transformed tile: products read in order, transforms scatter
    by_tile,     ///< all elements of a tile side by side: transforms write in order, products read with a stride
};

/// The name of a layout, as it is written in configurations.
[[nodiscard]] constexpr const char* to_text(winograd_layout layout) noexcept
{
    return layout == winograd_layout::by_element ? "by_element" : "by_tile";
}

/// The configuration of a Winograd convolution: F(tile_h x tile_w, 3 x 3).
struct winograd_config {
    /// The outputs of a tile, down and across: 2 to 8. Larger tiles save more work and have larger errors: see
    /// `winograd_kernel`.
    int tile_h = 2, tile_w = 2;
    int mr = 1, nv = 1, vl = 1;  ///< the micro-kernel: mr tiles by nv vectors of vl output channels
    int ku = 1;                  ///< unrolling of the reduction: 1, 2, 4, 8
    int prefetch = 0;            ///< steps of the reduction that weights are fetched ahead
    int ic_block = 1;            ///< input channels side by side in memory; divides their number
    int ic_chunk = 1;            ///< input blocks between two visits of a product's result; divides their number
    int tile_block = 1;          ///< tiles that are transformed together
    int oc_block = 1;  ///< output channel tiles between two output transforms; 1: each product is transformed at once
    inner_order inner = inner_order::channels_outside;     ///< of the loops within a block
    winograd_layout layout = winograd_layout::by_element;  ///< of the products

    friend bool operator==(const winograd_config&, const winograd_config&) = default;
};

/// Whether a convolution has Winograd's form: 3 x 3, without stride, without groups.
[[nodiscard]] constexpr bool fits_winograd(const conv2d_shape& s) noexcept
{
    return s.kernel_h == 3 && s.kernel_w == 3 && s.stride_h == 1 && s.stride_w == 1 && s.groups == 1;
}

}  // namespace tunekit::kernels
