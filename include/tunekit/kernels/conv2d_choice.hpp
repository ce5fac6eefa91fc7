// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One space for a convolution in blocked layouts whose algorithm is a parameter, and the kernel that any of its configurations
/// makes.

#include <algorithm>
#include <concepts>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "tunekit/kernels/conv2d.hpp"
#include "tunekit/kernels/conv2d_space.hpp"
#include "tunekit/kernels/either_conv2d.hpp"
#include "tunekit/kernels/space_parts.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/kernels/winograd.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

/// The configuration of either algorithm.
using any_conv2d_config = std::variant<conv2d_config, winograd_config>;

/// A convolution in blocked layouts by the algorithm of its configuration: see `conv2d_kernel` and `winograd_kernel`.
using any_conv2d_kernel = either_conv2d_kernel<conv2d_kernel, winograd_kernel>;

/// Parameters of a convolution with the tiles and transforms of `table`: those of `conv2d_space`, and
///
/// | parameter | values | constraint |
/// |---|---|---|
/// | algorithm | direct, winograd | winograd for 3 x 3 without stride and groups, where the table has transforms |
/// | oh_block, order, pad, edge | as there | used by direct alone |
/// | tile_h, tile_w | 2 to 8 as in the table | used by winograd alone; a transform of the table for vl |
/// | m_tiles | 1, 2, ..., 64 micro-kernels per block of tiles | used by winograd alone; less than twice the tiles |
/// | layout | by_element, by_tile | used by winograd alone |
///
/// With winograd mr counts tiles and is at most their number, and the scratch is at most 8 MiB. Hazards are in the direct
/// algorithm alone.
/// Throws: std::invalid_argument where no tile of the table fits the shape.
template <std::same_as<tile_table> Table>  // a template, so that only callers pay for its product
[[nodiscard]] auto any_conv2d_space(const conv2d_shape& shape, const Table& table, hazards hazard = hazards::excluded)
{
    require_valid(shape);
    const conv2d_shape s = shape, part = group_of(shape);
    const bool flat = s.kernel_h == 1 && s.kernel_w == 1;  // rows of a block may then become one
    const int row = flat ? s.oh() * s.ow() : s.ow(), ci = part.ci, co = part.co;
    std::vector<int> unrollings{1, 2, 4, 8};
    std::vector<edge_mode> edges{edge_mode::balanced, edge_mode::remainder, edge_mode::overlap};
    if (hazard == hazards::included) {
        unrollings.push_back(0);
        edges.push_back(edge_mode::overrun);
    }
    const auto pads = helps_copy(s) ? std::vector{padding_mode::copy, padding_mode::clip} : std::vector{padding_mode::clip};
    const auto direct = [](conv2d_algorithm a) { return a == conv2d_algorithm::direct; };
    const auto winograd = [](conv2d_algorithm a) { return a == conv2d_algorithm::winograd; };
    return space::product{
        space::parameter<"algorithm">(detail::conv2d_algorithms(s, table)),
        space::parameter<"mr">(detail::values_of(table, &tile::mr)),
        space::parameter<"nv">(detail::values_of(table, &tile::nv)),
        space::parameter<"vl">(detail::values_of(table, &tile::vl)),
        space::parameter<"ku">(std::move(unrollings)),
        space::parameter<"prefetch">({0, 4, 8, 16, 24}),
        space::divisors<"ic_block">(ci, 256),
        space::divisors<"ic_chunk">(ci, 512),
        space::powers_of_two<"oc_block">(1, 64),
        space::parameter<"inner">({inner_order::channels_outside, inner_order::pixels_outside}),
        space::divisors<"oh_block">(s.oh()),
        space::parameter<"order">({loop_order::ori, loop_order::oir, loop_order::roi, loop_order::rio, loop_order::ior,
                                   loop_order::iro}),
        space::parameter<"pad">(pads),
        space::parameter<"edge">(std::move(edges)),
        space::parameter<"tile_h">(detail::winograd_sizes(table)),
        space::parameter<"tile_w">(detail::winograd_sizes(table)),
        space::powers_of_two<"m_tiles">(1, 64),
        space::parameter<"layout">({winograd_layout::by_element, winograd_layout::by_tile}),
        space::active_if<"oh_block", "algorithm">(direct),
        space::active_if<"order", "algorithm">(direct),
        space::active_if<"pad", "algorithm">(direct),
        space::active_if<"edge", "algorithm">(direct),
        space::active_if<"tile_h", "algorithm">(winograd),
        space::active_if<"tile_w", "algorithm">(winograd),
        space::active_if<"m_tiles", "algorithm">(winograd),
        space::active_if<"layout", "algorithm">(winograd),
        space::where<"algorithm", "mr", "nv", "vl">([&table, s, row, co](conv2d_algorithm a, int mr, int nv, int vl) {
            return (s.groups == 1 || co % (nv * vl) == 0) && table.find(mr, nv, vl) != nullptr &&
                   table.registers_for(mr, nv, vl) <= table.registers + 2 && (a == conv2d_algorithm::winograd || mr <= row) &&
                   4 * detail::padded(co, nv * vl) <= (std::max)(5 * co, 4 * detail::padded(co, table.narrowest()));
        }),
        space::where<"nv", "vl", "oc_block">([co](int nv, int vl, int oc_block) {
            return oc_block == 1 || oc_block * nv * vl < 2 * detail::padded(co, nv * vl);
        }),
        space::where<"ic_block", "ic_chunk">(detail::chunk_divides(ci)),
        space::where<"ic_block", "ic_chunk", "edge">(detail::overlaps_whole(ci)),
        space::where<"algorithm", "ku">([](conv2d_algorithm a, int ku) { return ku != 0 || a == conv2d_algorithm::direct; }),
        space::where<"algorithm", "vl", "tile_h">(detail::winograd_has_transform(table)),
        space::where<"algorithm", "vl", "tile_w">(detail::winograd_has_transform(table)),
        space::where<"algorithm", "tile_h", "tile_w", "mr", "m_tiles">(detail::winograd_block_fits(s)),
        space::where<"algorithm", "tile_h", "tile_w", "mr", "m_tiles", "nv", "vl", "oc_block">(
            detail::winograd_scratch_fits(s)),
    };
}

/// The plain configuration behind a point of `any_conv2d_space`.
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
            const auto i = space.index_of(point{{conv2d_algorithm::direct, c->mr, c->nv, c->vl, c->ku, c->prefetch, c->ic_block,
                                                 c->ic_chunk,
                                                 c->oc_block, c->inner, c->oh_block, c->order, c->pad, c->edge, tile, tile, 1,
                                                 winograd_layout::by_element}});
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
