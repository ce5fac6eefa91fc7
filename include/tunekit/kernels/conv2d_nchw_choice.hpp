// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One space for a convolution from and to plain NCHW whose algorithm is a parameter, and the kernel that any of its
/// configurations makes.

#include <algorithm>
#include <concepts>
#include <optional>
#include <variant>

#include "tunekit/kernels/conv2d_nchw.hpp"
#include "tunekit/kernels/conv2d_nchw_space.hpp"
#include "tunekit/kernels/either_conv2d.hpp"
#include "tunekit/kernels/space_parts.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/kernels/winograd_nchw.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

/// The configuration of either algorithm.
using any_nchw_config = std::variant<nchw_config, winograd_config>;

/// A convolution from and to plain NCHW by the algorithm of its configuration: see `nchw_kernel` and `winograd_nchw_kernel`.
using any_nchw_kernel = either_conv2d_kernel<nchw_kernel, winograd_nchw_kernel>;

/// Parameters of a convolution from and to plain NCHW with the tiles and transforms of `table`: those of `conv2d_nchw_space`, of
/// which vectorise, oh_block, order, pad and edge are used by `algorithm` = direct alone, and those that `any_conv2d_space` has
/// for winograd.
/// Throws: std::invalid_argument where no tile of the table fits the shape.
template <std::same_as<tile_table> Table>  // a template, so that only callers pay for its product
[[nodiscard]] auto any_nchw_space(const conv2d_shape& shape, const Table& table)
{
    require_valid(shape);
    const conv2d_shape s = group_of(shape);
    const int ci = s.ci;
    const auto direct = [](conv2d_algorithm a) { return a == conv2d_algorithm::direct; };
    const auto winograd = [](conv2d_algorithm a) { return a == conv2d_algorithm::winograd; };
    return space::product{
        space::parameter<"algorithm">(detail::conv2d_algorithms(shape, table)),
        space::parameter<"vectorise">({vectorise_mode::channel, vectorise_mode::pixel}),
        space::parameter<"mr">(detail::values_of(table, &tile::mr)),
        space::parameter<"nv">(detail::values_of(table, &tile::nv)),
        space::parameter<"vl">(detail::values_of(table, &tile::vl)),
        space::parameter<"ku">({1, 2, 4, 8}),
        space::parameter<"prefetch">({0, 4, 8, 16, 24}),
        space::divisors<"ic_block">(ci, 256),
        space::divisors<"ic_chunk">(ci, 512),
        space::divisors<"oh_block">(s.oh()),
        space::powers_of_two<"oc_block">(1, 64),
        space::parameter<"order">(
            {loop_order::ori, loop_order::oir, loop_order::roi, loop_order::rio, loop_order::ior, loop_order::iro}),
        space::parameter<"inner">({inner_order::channels_outside, inner_order::pixels_outside}),
        space::parameter<"pad">({padding_mode::copy, padding_mode::clip}),
        space::parameter<"edge">({edge_mode::balanced, edge_mode::remainder, edge_mode::overlap}),
        space::parameter<"tile_h">(detail::winograd_sizes(table)),
        space::parameter<"tile_w">(detail::winograd_sizes(table)),
        space::powers_of_two<"m_tiles">(1, 64),
        space::parameter<"layout">({winograd_layout::by_element, winograd_layout::by_tile}),
        space::active_if<"vectorise", "algorithm">(direct),
        space::active_if<"oh_block", "algorithm">(direct),
        space::active_if<"order", "algorithm">(direct),
        space::active_if<"pad", "algorithm">(direct),
        space::active_if<"edge", "algorithm">(direct),
        space::active_if<"tile_h", "algorithm">(winograd),
        space::active_if<"tile_w", "algorithm">(winograd),
        space::active_if<"m_tiles", "algorithm">(winograd),
        space::active_if<"layout", "algorithm">(winograd),
        space::where<"algorithm", "vectorise", "mr", "nv", "vl">(
            [&table, s](conv2d_algorithm a, vectorise_mode vectorise, int mr, int nv, int vl) {
                if (table.find(mr, nv, vl) == nullptr || table.registers_for(mr, nv, vl) > table.registers + 2)
                    return false;
                return detail::nchw_tile_fits(s, table, vectorise, a == conv2d_algorithm::direct ? mr : 1, nv, vl);
            }),
        space::where<"vectorise", "mr", "nv", "vl", "oc_block">(detail::nchw_block_is_filled(s)),
        space::where<"ic_block", "ic_chunk">(detail::chunk_divides(ci)),
        space::where<"ic_block", "ic_chunk", "edge">(detail::overlaps_whole(ci)),
        space::where<"algorithm", "vectorise", "ic_block", "pad">(
            [s](conv2d_algorithm a, vectorise_mode vectorise, int block, padding_mode pad) {
                return a == conv2d_algorithm::winograd || pad == padding_mode::clip ||
                       detail::nchw_copy_differs(s, vectorise, block);
            }),
        space::where<"algorithm", "vl", "tile_h">(detail::winograd_has_transform(table)),
        space::where<"algorithm", "vl", "tile_w">(detail::winograd_has_transform(table)),
        space::where<"algorithm", "tile_h", "tile_w", "mr", "m_tiles">(detail::winograd_block_fits(shape)),
        space::where<"algorithm", "tile_h", "tile_w", "mr", "m_tiles", "nv", "vl", "oc_block">(
            detail::winograd_scratch_fits(shape)),
    };
}

/// The plain configuration behind a point of `any_nchw_space`.
template <class... Parameters>
[[nodiscard]] any_nchw_config any_nchw_config_of(const space::configuration<Parameters...>& c)
{
    if (get<"algorithm">(c) == conv2d_algorithm::direct) return nchw_config_of(c);
    return winograd_config_of(c);
}

/// The point of `space` with these values; empty where it is not in the space.
template <class Space>
[[nodiscard]] std::optional<index> index_of(const Space& space, const any_nchw_config& config)
{
    using point = typename Space::config;
    if (const auto* c = std::get_if<nchw_config>(&config)) {
        for (int tile = 2; tile <= 8; ++tile) {  // the smallest transform's: Winograd's parameters have first values
            const auto i =
                space.index_of(point{{conv2d_algorithm::direct, c->vectorise, c->mr, c->nv, c->vl, c->ku, c->prefetch,
                                      c->ic_block, c->ic_chunk, c->oh_block, c->oc_block, c->order, c->inner, c->pad,
                                      c->edge, tile, tile, 1, winograd_layout::by_element}});
            if (i) return i;
        }
        return std::nullopt;
    }
    const auto& c = std::get<winograd_config>(config);
    if (c.mr < 1 || c.tile_block % c.mr != 0) return std::nullopt;
    return space.index_of(
        point{{conv2d_algorithm::winograd, vectorise_mode::channel, c.mr, c.nv, c.vl, c.ku, c.prefetch, c.ic_block,
               c.ic_chunk, 1, c.oc_block, loop_order::ori, c.inner, padding_mode::copy, edge_mode::balanced, c.tile_h,
               c.tile_w, c.tile_block / c.mr, c.layout}});
}

}  // namespace tunekit::kernels
