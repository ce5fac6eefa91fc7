// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One space for the convolutions of all shapes, so that the winner at one shape can run at another.

#include <algorithm>
#include <concepts>
#include <tuple>
#include <utility>
#include <vector>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/config_of.hpp"
#include "tunekit/kernels/conv2d/choice.hpp"
#include "tunekit/kernels/detail/space_parts.hpp"
#include "tunekit/kernels/detail/winograd_parts.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

/// The configuration of convolutions of any shape from and to plain NCHW. It has the largest allowed size of each
/// block. A shape takes its largest divisor within that size: `for_shape` makes the configuration of one shape.
struct conv2d_family_config {
    conv2d_algorithm algorithm = conv2d_algorithm::direct;  ///< winograd: where that fits the shape, else direct
    vectorise_mode vectorise = vectorise_mode::channel;     ///< of direct
    int mr = 1, nv = 1, vl = 1;                             ///< the tile of the micro-kernel
    int ku = 1;                                             ///< unrolling of the reduction: 1, 2, 4 or 8
    int prefetch = 0;                                       ///< steps of the reduction fetched ahead
    int ic_width = 1;                                       ///< ic_block at most
    int ic_depth = 1;                                       ///< input channels between two visits of an output, at most
    int oh_rows = 1;                                        ///< oh_block at most; of direct
    int oc_block = 1;                                       ///< tiles of output channels per block
    loop_order order = loop_order::ori;                     ///< of direct
    inner_order inner = inner_order::channels_outside;      ///< of the loops within a block
    padding_mode pad = padding_mode::clip;                  ///< of direct
    edge_mode edge = edge_mode::balanced;                   ///< of direct; balanced or remainder
    int tile = 2;                                           ///< of winograd: outputs down and across
    int m_tiles = 1;                                        ///< of winograd: micro-kernels per block of tiles
    winograd_config::products layout = winograd_config::products::by_element;  ///< of winograd

    /// The configuration at one shape: blocks are the largest divisors within what this one allows.
    [[nodiscard]] any_nchw_config for_shape(const conv2d_shape& shape) const
    {
        const conv2d_shape s = detail::group_of(shape);
        const int ic_block = detail::largest_divisor(s.ci, ic_width);
        const int ic_chunk = detail::largest_divisor(s.ci / ic_block, (std::max)(1, ic_depth / ic_block));
        if (algorithm == conv2d_algorithm::winograd && shape.fits_winograd())
            return winograd_config{.tile_h = tile,
                                   .tile_w = tile,
                                   .mr = mr,
                                   .nv = nv,
                                   .vl = vl,
                                   .ku = ku,
                                   .prefetch = prefetch,
                                   .ic_block = ic_block,
                                   .ic_chunk = ic_chunk,
                                   .tile_block = mr * m_tiles,
                                   .oc_block = oc_block,
                                   .inner = inner,
                                   .layout = layout};
        return nchw_config{.vectorise = vectorise,
                           .mr = mr,
                           .nv = nv,
                           .vl = vl,
                           .ku = ku,
                           .prefetch = prefetch,
                           .ic_block = ic_block,
                           .ic_chunk = ic_chunk,
                           .oh_block = detail::largest_divisor(s.oh(), oh_rows),
                           .oc_block = oc_block,
                           .order = order,
                           .inner = inner,
                           .pad = pad,
                           .edge = edge};
    }

    friend bool operator==(const conv2d_family_config&, const conv2d_family_config&) = default;
};

template <>
inline constexpr auto detail::fields<conv2d_family_config> = std::tuple_cat(
    tile_fields<conv2d_family_config>,
    std::tuple{field{"algorithm", &conv2d_family_config::algorithm},
               field{"vectorise", &conv2d_family_config::vectorise}, field{"ic_width", &conv2d_family_config::ic_width},
               field{"ic_depth", &conv2d_family_config::ic_depth}, field{"oh_rows", &conv2d_family_config::oh_rows},
               field{"oc_block", &conv2d_family_config::oc_block}, field{"order", &conv2d_family_config::order},
               field{"inner", &conv2d_family_config::inner}, field{"pad", &conv2d_family_config::pad},
               field{"edge", &conv2d_family_config::edge}, field{"tile", &conv2d_family_config::tile},
               field{"m_tiles", &conv2d_family_config::m_tiles}, field{"layout", &conv2d_family_config::layout}});

/// Parameters of `conv2d_family_config` with the tiles and transforms of `table`: the same space for every shape.
///
/// | parameter | values | constraint |
/// |---|---|---|
/// | algorithm | direct, winograd | winograd where the table has transforms |
/// | vectorise, order, inner, pad | as in `conv2d_nchw_space` | |
/// | mr, nv, vl, ku, prefetch | as there | a tile of the table |
/// | ic_width | 1, 8, 16, 24, 32, 48, 64, 96, 128, 256 | |
/// | ic_depth | 64, 256, 4096 | |
/// | oh_rows | 1, 2, 4, 8, 16, 4096 | |
/// | oc_block | 1, 2, ..., 64 | |
/// | edge | balanced, remainder | |
/// | tile | the table's, at most 6: larger ones round too much | used by winograd alone; a transform of the table for vl |
/// | m_tiles, layout | as in `any_conv2d_space` | used by winograd alone |
template <std::same_as<tile_table> Table>
[[nodiscard]] auto conv2d_family_space(const Table& table)
{
    auto tiles = detail::winograd_sizes(table);
    std::erase_if(tiles, [](int tile) { return tile > 6; });
    const bool transforms = !table.winograd.empty() && !tiles.empty();
    if (tiles.empty()) tiles.push_back(2);
    return detail::product_of(
        std::tuple{
            space::parameter<"algorithm">(transforms ? std::vector{conv2d_algorithm::direct, conv2d_algorithm::winograd}
                                                     : std::vector{conv2d_algorithm::direct}),
            detail::vectorise_parameter()},
        detail::tile_parameters(table),
        std::tuple{
            space::parameter<"ic_width">({1, 8, 16, 24, 32, 48, 64, 96, 128, 256}),
            space::parameter<"ic_depth">({64, 256, 4096}), space::parameter<"oh_rows">({1, 2, 4, 8, 16, 4096}),
            space::powers_of_two<"oc_block">(1, 64), detail::nest_parameter(), detail::inner_parameter(),
            detail::padding_parameter(true), space::parameter<"edge">({edge_mode::balanced, edge_mode::remainder}),
            space::parameter<"tile">(std::move(tiles)), space::powers_of_two<"m_tiles">(1, 64),
            space::parameter<"layout">({winograd_config::products::by_element, winograd_config::products::by_tile}),
            space::active_if<"tile", "algorithm">(detail::is_winograd),
            space::active_if<"m_tiles", "algorithm">(detail::is_winograd),
            space::active_if<"layout", "algorithm">(detail::is_winograd),
            space::where<"mr", "nv", "vl">(
                [&table](int mr, int nv, int vl) { return detail::has_tile(table, mr, nv, vl); }),
            space::where<"algorithm", "vl", "tile">([&table](conv2d_algorithm a, int vl, int tile) {
                return a == conv2d_algorithm::direct || table.find_winograd(tile, vl) != nullptr;
            })});
}

/// The family's configuration that is `default_config<nchw_config>` at the shape.
/// Throws: std::invalid_argument where the table has no full-width tile that fits.
template <std::same_as<conv2d_family_config> Config>
[[nodiscard]] Config default_config(const conv2d_shape& shape, const tile_table& table)
{
    const nchw_config c = default_config<nchw_config>(shape, table);
    const bool flat = shape.kernel_h == 1 && shape.kernel_w == 1;
    const int width = c.vectorise == vectorise_mode::pixel ? 256 : c.ic_block == 1 ? 1 : c.nv * c.vl;
    return {.vectorise = c.vectorise,
            .mr = c.mr,
            .nv = c.nv,
            .vl = c.vl,
            .ic_width = width,
            .ic_depth = 4096,
            .oh_rows = flat ? 4096 : 8,
            .order = c.order,
            .tile = detail::winograd_sizes(table).front()};  // unused, so the first value
}

}  // namespace tunekit::kernels
