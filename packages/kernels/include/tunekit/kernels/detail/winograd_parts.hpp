// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the spaces of convolutions with a choice of the algorithm share: Winograd's parameters and constraints.

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/detail/space_parts.hpp"
#include "tunekit/kernels/detail/winograd_strides.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels::detail {

/// Floats of scratch of a Winograd convolution at most: 8 MiB.
inline constexpr std::ptrdiff_t max_winograd_scratch = std::ptrdiff_t{1} << 21;

/// Tiles of outputs in all.
[[nodiscard]] constexpr int winograd_tiles(const conv2d_shape& s, int tile_h, int tile_w) noexcept
{
    return s.batch * ((s.oh() + tile_h - 1) / tile_h) * ((s.ow() + tile_w - 1) / tile_w);
}

/// The distinct tile sizes that a table has transforms for, ascending; 2 where it has none, so that the parameter has a
/// value.
[[nodiscard]] inline std::vector<int> winograd_sizes(const tile_table& table)
{
    std::vector<int> sizes;
    for (const auto& t : table.winograd) sizes.push_back(t.tile);
    if (sizes.empty()) sizes.push_back(2);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

inline constexpr auto is_direct = [](conv2d_algorithm a) { return a == conv2d_algorithm::direct; };
inline constexpr auto is_winograd = [](conv2d_algorithm a) { return a == conv2d_algorithm::winograd; };

/// The algorithms for a shape: Winograd's where it fits and the table has transforms.
[[nodiscard]] inline auto algorithm_parameter(const conv2d_shape& s, const tile_table& table)
{
    std::vector<conv2d_algorithm> out{conv2d_algorithm::direct};
    if (s.fits_winograd() && !table.winograd.empty()) out.push_back(conv2d_algorithm::winograd);
    return space::parameter<"algorithm">(std::move(out));
}

[[nodiscard]] inline auto winograd_parameters(const tile_table& table)
{
    return std::tuple{
        space::parameter<"tile_h">(winograd_sizes(table)), space::parameter<"tile_w">(winograd_sizes(table)),
        space::powers_of_two<"m_tiles">(1, 64),
        space::parameter<"layout">({winograd_config::products::by_element, winograd_config::products::by_tile})};
}

/// What the direct algorithm alone uses, and what Winograd's alone does.
[[nodiscard]] inline auto used_by_one_algorithm()
{
    return std::tuple{
        space::active_if<"oh_block", "algorithm">(is_direct),  space::active_if<"order", "algorithm">(is_direct),
        space::active_if<"pad", "algorithm">(is_direct),       space::active_if<"edge", "algorithm">(is_direct),
        space::active_if<"tile_h", "algorithm">(is_winograd),  space::active_if<"tile_w", "algorithm">(is_winograd),
        space::active_if<"m_tiles", "algorithm">(is_winograd), space::active_if<"layout", "algorithm">(is_winograd)};
}

/// Constraints of Winograd's algorithm alone: the table has the transforms; tiles of outputs, the micro-kernel and the
/// block of `m_tiles` of its heights suit each other; the scratch of either layout is within the limit.
[[nodiscard]] inline auto winograd_constraints(const conv2d_shape& s, const tile_table& table)
{
    const auto has_transform = [&table](conv2d_algorithm a, int vl, int tile) {
        return a == conv2d_algorithm::direct || table.find_winograd(tile, vl) != nullptr;
    };
    const auto block_fits = [s](conv2d_algorithm a, int tile_h, int tile_w, int mr, int m_tiles) {
        if (a == conv2d_algorithm::direct) return true;
        const int tiles = winograd_tiles(s, tile_h, tile_w);
        return mr <= tiles && (m_tiles == 1 || m_tiles * mr < 2 * tiles);
    };
    const auto scratch_fits = [s](conv2d_algorithm a, int tile_h, int tile_w, int mr, int m_tiles, int nv, int vl,
                                  int oc_block) {
        if (a == conv2d_algorithm::direct) return true;
        winograd_config c{.tile_h = tile_h,
                          .tile_w = tile_w,
                          .nv = nv,
                          .vl = vl,
                          .tile_block = mr * m_tiles,
                          .oc_block = oc_block,
                          .layout = winograd_config::products::by_element};
        const auto by_element = winograd_scratch(s, c);
        c.layout = winograd_config::products::by_tile;
        return (std::max)(by_element, winograd_scratch(s, c)) <= max_winograd_scratch;
    };
    return std::tuple{
        space::where<"algorithm", "vl", "tile_h">(has_transform),
        space::where<"algorithm", "vl", "tile_w">(has_transform),
        space::where<"algorithm", "tile_h", "tile_w", "mr", "m_tiles">(block_fits),
        space::where<"algorithm", "tile_h", "tile_w", "mr", "m_tiles", "nv", "vl", "oc_block">(scratch_fits)};
}

}  // namespace tunekit::kernels::detail
