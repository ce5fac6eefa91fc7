// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The space of a convolution in blocked layouts with its algorithm as a parameter, and the kernel of any of its
/// configurations.

#include <optional>
#include <tuple>
#include <variant>

#include "tunekit/kernels/conv2d/algorithm.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/conv2d/blocked_space.hpp"
#include "tunekit/kernels/detail/space_parts.hpp"
#include "tunekit/kernels/detail/winograd_parts.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/kernels/winograd/blocked.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

/// The configuration of either algorithm.
using any_conv2d_config = std::variant<conv2d_config, winograd_config>;

/// A convolution in blocked layouts by the algorithm of its configuration: see `conv2d_kernel` and `winograd_kernel`.
using any_conv2d_kernel = either_conv2d_kernel<conv2d_kernel, winograd_kernel>;

/// The space of a convolution of `shape` with the tiles and transforms of `table`. Its parameters are those of
/// `conv2d_space`, and
///
/// | parameter | values | constraint |
/// |---|---|---|
/// | algorithm | direct, winograd | winograd for 3 x 3 without stride and groups, where the table has transforms |
/// | oh_block, order, pad, edge | as there | used by direct alone |
/// | tile_h, tile_w | 2 to 8 as in the table | used by winograd alone; a transform of the table for vl |
/// | m_tiles | 1, 2, ..., 64 micro-kernels per block of tiles | used by winograd alone; less than twice the tiles |
/// | layout | by_element, by_tile | used by winograd alone |
///
/// With winograd mr counts tiles and is at most their number, and the scratch is at most 8 MiB. Only the direct
/// algorithm has hazards.
/// Throws: std::invalid_argument where no tile of the table fits the shape.
[[nodiscard]] inline auto any_conv2d_space(const conv2d_shape& shape, const tile_table& table,
                                           hazards hazard = hazards::excluded)
{
    require_valid(shape);
    const conv2d_shape part = group_of(shape);
    return detail::product_of(std::tuple{detail::algorithm_parameter(shape, table)},
                              detail::tile_parameters(table, hazard), detail::channel_parameters(part.ci),
                              std::tuple{space::powers_of_two<"oc_block">(1, 64), detail::inner_parameter(),
                                         space::divisors<"oh_block">(shape.oh()), detail::nest_parameter(),
                                         detail::padding_parameter(helps_copy(shape)), detail::edge_parameter(hazard)},
                              detail::winograd_parameters(table), detail::used_by_one_algorithm(),
                              std::tuple{space::where<"algorithm", "mr", "nv", "vl">(
                                             [&table, s = shape](conv2d_algorithm a, int mr, int nv, int vl) {
                                                 return (a == conv2d_algorithm::winograd || mr <= detail::row_of(s)) &&
                                                        detail::blocked_tile_fits(s, table, mr, nv, vl);
                                             }),
                                         detail::blocks_are_filled(part.co)},
                              detail::channel_constraints(part.ci),
                              std::tuple{space::where<"algorithm", "ku">(
                                  [](conv2d_algorithm a, int ku) { return ku != 0 || a == conv2d_algorithm::direct; })},
                              detail::winograd_constraints(shape, table));
}

/// The plain configuration of a point in `any_conv2d_space`.
template <class... Parameters>
[[nodiscard]] any_conv2d_config any_conv2d_config_of(const space::configuration<Parameters...>& c)
{
    if (get<"algorithm">(c) == conv2d_algorithm::direct) return conv2d_config_of(c);
    return winograd_config_of(c);
}

/// The point of `space` with these values; empty where it is not in the space.
template <class Space>
[[nodiscard]] std::optional<index> index_of(const Space& space, const any_conv2d_config& config)
{
    using point = typename Space::config;
    if (const auto* c = std::get_if<conv2d_config>(&config)) {
        for (int tile = 2; tile <= 8; ++tile) {  // the smallest transform's: Winograd's parameters have first values
            const auto i = space.index_of(point{{conv2d_algorithm::direct, c->mr, c->nv, c->vl, c->ku, c->prefetch,
                                                 c->ic_block, c->ic_chunk, c->oc_block, c->inner, c->oh_block, c->order,
                                                 c->pad, c->edge, tile, tile, 1, winograd_layout::by_element}});
            if (i) return i;
        }
        return std::nullopt;
    }
    const auto& c = std::get<winograd_config>(config);
    if (c.mr < 1 || c.tile_block % c.mr != 0) return std::nullopt;
    for (const auto pad : {padding_mode::copy, padding_mode::clip}) {  // the first value: copy where it helps
        const auto i = space.index_of(point{{conv2d_algorithm::winograd, c.mr, c.nv, c.vl, c.ku, c.prefetch, c.ic_block,
                                             c.ic_chunk, c.oc_block, c.inner, 1, loop_order::ori, pad,
                                             edge_mode::balanced, c.tile_h, c.tile_w, c.tile_block / c.mr, c.layout}});
        if (i) return i;
    }
    return std::nullopt;
}

}  // namespace tunekit::kernels
