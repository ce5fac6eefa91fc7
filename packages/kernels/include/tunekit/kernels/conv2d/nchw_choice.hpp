// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The space of a convolution from and to plain NCHW with its algorithm as a parameter, and the kernel of any of its
/// configurations.

#include <optional>
#include <tuple>
#include <variant>

#include "tunekit/kernels/conv2d/algorithm.hpp"
#include "tunekit/kernels/conv2d/nchw.hpp"
#include "tunekit/kernels/conv2d/nchw_space.hpp"
#include "tunekit/kernels/detail/space_parts.hpp"
#include "tunekit/kernels/detail/winograd_parts.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/kernels/winograd/nchw.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

/// The configuration of either algorithm.
using any_nchw_config = std::variant<nchw_config, winograd_config>;

/// A convolution from and to plain NCHW by the algorithm of its configuration: see `nchw_kernel` and `winograd_nchw_kernel`.
using any_nchw_kernel = either_conv2d_kernel<nchw_kernel, winograd_nchw_kernel>;

/// The space of a convolution from and to plain NCHW with the tiles and transforms of `table`. Its parameters are those
/// of `conv2d_nchw_space`, and those that `any_conv2d_space` has for winograd. Only `algorithm` = direct uses
/// vectorise, oh_block, order, pad and edge.
/// Throws: std::invalid_argument where no tile of the table fits the shape.
[[nodiscard]] inline auto any_nchw_space(const conv2d_shape& shape, const tile_table& table)
{
    require_valid(shape);
    const conv2d_shape s = group_of(shape);
    return detail::product_of(
        std::tuple{detail::algorithm_parameter(shape, table), detail::vectorise_parameter()},
        detail::tile_parameters(table), detail::channel_parameters(s.ci), detail::loop_parameters(s.oh(), true),
        detail::winograd_parameters(table), std::tuple{space::active_if<"vectorise", "algorithm">(detail::is_direct)},
        detail::used_by_one_algorithm(),
        std::tuple{space::where<"algorithm", "vectorise", "mr", "nv", "vl">(
                       [&table, s](conv2d_algorithm a, vectorise_mode vectorise, int mr, int nv, int vl) {
                           const int rows = a == conv2d_algorithm::direct ? mr : 1;
                           return detail::has_tile(table, mr, nv, vl) &&
                                  detail::nchw_tile_fits(s, table, vectorise, rows, nv, vl);
                       }),
                   detail::nchw_blocks_are_filled(s)},
        detail::channel_constraints(s.ci),
        std::tuple{space::where<"algorithm", "vectorise", "ic_block", "pad">(
            [s](conv2d_algorithm a, vectorise_mode vectorise, int block, padding_mode pad) {
                return a == conv2d_algorithm::winograd || pad == padding_mode::clip ||
                       detail::nchw_copy_differs(s, vectorise, block);
            })},
        detail::winograd_constraints(shape, table));
}

/// The plain configuration of a point in `any_nchw_space`.
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
