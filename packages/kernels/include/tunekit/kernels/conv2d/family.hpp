// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One space for the convolutions of all shapes, so that the winner at one shape can run at another.

#include <algorithm>
#include <optional>
#include <vector>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/conv2d/algorithm.hpp"
#include "tunekit/kernels/conv2d/nchw_choice.hpp"
#include "tunekit/kernels/detail/space_parts.hpp"
#include "tunekit/kernels/detail/winograd_parts.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/kernels/winograd/config.hpp"
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
    winograd_layout layout = winograd_layout::by_element;   ///< of winograd

    friend bool operator==(const conv2d_family_config&, const conv2d_family_config&) = default;
};

/// The configuration at one shape: blocks are the largest divisors within what the family's allows.
[[nodiscard]] inline any_nchw_config for_shape(const conv2d_family_config& c, const conv2d_shape& shape)
{
    const conv2d_shape s = group_of(shape);
    const int ic_block = detail::largest_divisor(s.ci, c.ic_width);
    const int ic_chunk = detail::largest_divisor(s.ci / ic_block, (std::max)(1, c.ic_depth / ic_block));
    if (c.algorithm == conv2d_algorithm::winograd && fits_winograd(shape))
        return winograd_config{.tile_h = c.tile,
                               .tile_w = c.tile,
                               .mr = c.mr,
                               .nv = c.nv,
                               .vl = c.vl,
                               .ku = c.ku,
                               .prefetch = c.prefetch,
                               .ic_block = ic_block,
                               .ic_chunk = ic_chunk,
                               .tile_block = c.mr * c.m_tiles,
                               .oc_block = c.oc_block,
                               .inner = c.inner,
                               .layout = c.layout};
    return nchw_config{.vectorise = c.vectorise,
                       .mr = c.mr,
                       .nv = c.nv,
                       .vl = c.vl,
                       .ku = c.ku,
                       .prefetch = c.prefetch,
                       .ic_block = ic_block,
                       .ic_chunk = ic_chunk,
                       .oh_block = detail::largest_divisor(s.oh(), c.oh_rows),
                       .oc_block = c.oc_block,
                       .order = c.order,
                       .inner = c.inner,
                       .pad = c.pad,
                       .edge = c.edge};
}

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
[[nodiscard]] inline auto conv2d_family_space(const tile_table& table)
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
        std::tuple{space::parameter<"ic_width">({1, 8, 16, 24, 32, 48, 64, 96, 128, 256}),
                   space::parameter<"ic_depth">({64, 256, 4096}), space::parameter<"oh_rows">({1, 2, 4, 8, 16, 4096}),
                   space::powers_of_two<"oc_block">(1, 64), detail::nest_parameter(), detail::inner_parameter(),
                   detail::padding_parameter(true),
                   space::parameter<"edge">({edge_mode::balanced, edge_mode::remainder}),
                   space::parameter<"tile">(std::move(tiles)), space::powers_of_two<"m_tiles">(1, 64),
                   space::parameter<"layout">({winograd_layout::by_element, winograd_layout::by_tile}),
                   space::active_if<"tile", "algorithm">(detail::is_winograd),
                   space::active_if<"m_tiles", "algorithm">(detail::is_winograd),
                   space::active_if<"layout", "algorithm">(detail::is_winograd),
                   space::where<"mr", "nv", "vl">(
                       [&table](int mr, int nv, int vl) { return detail::has_tile(table, mr, nv, vl); }),
                   space::where<"algorithm", "vl", "tile">([&table](conv2d_algorithm a, int vl, int tile) {
                       return a == conv2d_algorithm::direct || table.find_winograd(tile, vl) != nullptr;
                   })});
}

/// The plain configuration behind a point of `conv2d_family_space`.
template <class... Parameters>
[[nodiscard]] conv2d_family_config conv2d_family_config_of(const space::configuration<Parameters...>& c)
{
    return {.algorithm = get<"algorithm">(c),
            .vectorise = get<"vectorise">(c),
            .mr = get<"mr">(c),
            .nv = get<"nv">(c),
            .vl = get<"vl">(c),
            .ku = get<"ku">(c),
            .prefetch = get<"prefetch">(c),
            .ic_width = get<"ic_width">(c),
            .ic_depth = get<"ic_depth">(c),
            .oh_rows = get<"oh_rows">(c),
            .oc_block = get<"oc_block">(c),
            .order = get<"order">(c),
            .inner = get<"inner">(c),
            .pad = get<"pad">(c),
            .edge = get<"edge">(c),
            .tile = get<"tile">(c),
            .m_tiles = get<"m_tiles">(c),
            .layout = get<"layout">(c)};
}

/// The point of `space` with these values; empty where it is not in the space.
template <class Space>
[[nodiscard]] std::optional<index> index_of(const Space& space, const conv2d_family_config& c)
{
    return space.index_of(
        typename Space::config{{c.algorithm, c.vectorise, c.mr, c.nv, c.vl, c.ku, c.prefetch, c.ic_width, c.ic_depth,
                                c.oh_rows, c.oc_block, c.order, c.inner, c.pad, c.edge, c.tile, c.m_tiles, c.layout}});
}

/// The family's configuration that is `default_nchw_config` at the shape.
/// Throws: std::invalid_argument where the table has no full-width tile that fits.
[[nodiscard]] inline conv2d_family_config default_family_config(const conv2d_shape& shape, const tile_table& table)
{
    const nchw_config c = default_nchw_config(shape, table);
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
