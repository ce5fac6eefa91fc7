// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The search space of the direct convolution, and its untuned default configuration.

#include <optional>
#include <tuple>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/detail/space_parts.hpp"
#include "tunekit/kernels/division.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

namespace detail {

/// The parts of `conv2d_space`.
template <class Table>
[[nodiscard]] auto conv2d_parameters(const conv2d_shape& shape, const Table& table, hazards hazard)
{
    require_valid(shape);
    const conv2d_shape part = group_of(shape);
    return std::tuple_cat(tile_parameters(table, hazard), channel_parameters(part.ci),
                          loop_parameters(shape.oh(), helps_copy(shape), hazard),
                          std::tuple{space::where<"mr", "nv", "vl">([&table, s = shape](int mr, int nv, int vl) {
                                         return mr <= row_of(s) && blocked_tile_fits(s, table, mr, nv, vl);
                                     }),
                                     blocks_are_filled(part.co)},
                          channel_constraints(part.ci));
}

}  // namespace detail

/// The space of the direct convolution of `shape` with the tiles of `table`, a `product_table_of` its format.
///
/// | parameter | values | constraint |
/// |---|---|---|
/// | mr, nv, vl | those of the table | a tile of the table that suits the shape, at most two registers over the budget |
/// | ku | 1, 2, 4, 8 | |
/// | prefetch | 0, 4, 8, 16, 24 | |
/// | ic_block | divisors of ci up to 256 | |
/// | ic_chunk | divisors of ci up to 512 | divides ci / ic_block |
/// | oh_block | divisors of oh | |
/// | oc_block | 1, 2, ..., 64 | less than twice the output blocks |
/// | order, inner | 6 and 2 | |
/// | pad | copy, clip; clip alone where nothing is to copy | |
/// | edge | balanced, remainder, overlap | overlap only where ic_chunk takes all |
///
/// A tile suits the shape if mr is at most the length of a row, and the channels with padding are at most 1.25 co, or
/// as few as with any tile. Channels are those of one group. With several groups nv vl divides the output channels of
/// one. The budget of registers is the table's: that of the machine that its translation unit was compiled for.
/// Throws: std::invalid_argument where no tile of the table fits the shape.
template <class Table>
[[nodiscard]] auto conv2d_space(const conv2d_shape& shape, const Table& table, hazards hazard = hazards::excluded)
{
    return detail::product_of(detail::conv2d_parameters(shape, table, hazard));
}

/// `conv2d_space` with the division of the convolution among at most `threads` threads behind it:
///
/// | parameter | values | constraint |
/// |---|---|---|
/// | parts | 1, 2, ..., threads | no more than what is cut has images, channels or rows |
/// | split | images, channels, rows: those of more than one | the first of them where parts is 1 |
///
/// `conv2d_config_of` and `conv2d_division_of` take its points apart, and `parallel_conv2d` runs them. Measure it by wall
/// time, on all cores that the parts use.
/// Throws: std::invalid_argument as `conv2d_space`, and where threads < 1.
template <class Table>
[[nodiscard]] auto parallel_conv2d_space(const conv2d_shape& shape, const Table& table, int threads,
                                         hazards hazard = hazards::excluded)
{
    return detail::product_of(detail::conv2d_parameters(shape, table, hazard),
                              detail::division_parameters(shape, threads));
}

/// The plain configuration of a point in `conv2d_space`.
template <class... Parameters>
[[nodiscard]] conv2d_config conv2d_config_of(const space::configuration<Parameters...>& c)
{
    return detail::direct_config_of<conv2d_config>(c);
}

/// The point of `space` with these values; empty where it is not in the space.
template <class Space>
[[nodiscard]] std::optional<index> index_of(const Space& space, const conv2d_config& c)
{
    return space.index_of(typename Space::config{{c.mr, c.nv, c.vl, c.ku, c.prefetch, c.ic_block, c.ic_chunk,
                                                  c.oh_block, c.oc_block, c.order, c.inner, c.pad, c.edge}});
}

/// The point of a `parallel_conv2d_space` with these values; empty where it is not in the space.
template <class Space>
[[nodiscard]] std::optional<index> index_of(const Space& space, const conv2d_config& c, const conv2d_division& d)
{
    return space.index_of(
        typename Space::config{{c.mr, c.nv, c.vl, c.ku, c.prefetch, c.ic_block, c.ic_chunk, c.oh_block, c.oc_block,
                                c.order, c.inner, c.pad, c.edge, d.parts, d.split}});
}

/// The configuration that a sensible library would run untuned: the best tile within the register budget
/// (detail::default_tile), input blocks as wide as the output's where that divides the channels, the whole reduction at
/// once, padding copied.
/// Throws: std::invalid_argument where the table has no full-width tile that fits, or none that divides a group's
///         output channels.
template <class Table>
[[nodiscard]] conv2d_config default_config(const conv2d_shape& shape, const Table& table)
{
    const bool flat = shape.kernel_h == 1 && shape.kernel_w == 1;
    const int ci = shape.ci / shape.groups, co = shape.co / shape.groups;
    const auto& t = detail::default_tile(table, flat ? shape.oh() * shape.ow() : shape.ow(), co);
    require(
        shape.groups == 1 || co % (t.nv * t.vl) == 0,
        "default_config: no full-width tile divides a group's output channels, want such channels or an nchw_kernel");
    const int ic_block = detail::largest_divisor(ci, t.nv * t.vl);
    return {.mr = t.mr,
            .nv = t.nv,
            .vl = t.vl,
            .ic_block = ic_block,
            .ic_chunk = ci / ic_block,
            .pad = helps_copy(shape) ? padding_mode::copy : padding_mode::clip};
}

}  // namespace tunekit::kernels
