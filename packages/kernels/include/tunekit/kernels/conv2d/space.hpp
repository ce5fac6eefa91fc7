// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The search spaces of direct convolutions, in blocked layouts and from and to plain NCHW, and their untuned defaults.

#include <concepts>
#include <optional>
#include <tuple>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/config_of.hpp"
#include "tunekit/kernels/detail/nchw_parts.hpp"
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

/// Whether `pad` = copy does anything that clip does not.
[[nodiscard]] constexpr bool nchw_copy_differs(const conv2d_shape& s, vectorise_mode vectorise, int ic_block) noexcept
{
    if (s.padding_h > 0) return true;
    const bool strided = s.stride_h > 1 || s.stride_w > 1;
    if (vectorise == vectorise_mode::pixel) return pointwise(s) && !strided;
    return s.padding_w > 0 || (pointwise(s) && strided && ic_block == 1);
}

/// What the lanes of a vector are.
[[nodiscard]] inline auto vectorise_parameter()
{
    return space::parameter<"vectorise">({vectorise_mode::channel, vectorise_mode::pixel});
}

/// Whether the channels fill more than half of a block of several tiles.
[[nodiscard]] inline auto nchw_blocks_are_filled(const conv2d_shape& s)
{
    return space::where<"vectorise", "mr", "nv", "vl", "oc_block">(
        [s](vectorise_mode vectorise, int mr, int nv, int vl, int oc_block) {
            const int step = vectorise == vectorise_mode::pixel ? mr : nv * vl;
            return oc_block == 1 || oc_block * step < 2 * padded(s.co, step);
        });
}

/// Whether a tile suits one group: pixels cover the row, channels are filled up to 1.25 co at most where any tile does.
[[nodiscard]] inline bool nchw_tile_fits(const conv2d_shape& s, const tile_table& table, vectorise_mode vectorise,
                                         int mr, int nv, int vl)
{
    const int row = pointwise(s) ? s.oh() * s.ow() : s.ow();
    if (vectorise == vectorise_mode::pixel) return mr <= s.co && (nv - 1) * vl < row;
    return mr <= row && fills_channels(table, s.co, nv * vl);
}

/// Of the full-width tiles within the register budget the one that loads least for what it multiplies: neither operand
/// is copied into the order it is read in.
[[nodiscard]] inline const tile<>& default_pixel_tile(const conv2d_shape& s, const tile_table& table)
{
    const tile<>* best = nullptr;
    for (const auto& t : table.tiles) {
        if (t.vl != table.lanes || table.registers_for(t.mr, t.nv, t.vl) > table.registers) continue;
        if (!nchw_tile_fits(s, table, vectorise_mode::pixel, t.mr, t.nv, t.vl)) continue;
        if (best == nullptr || (t.mr + t.nv) * best->mr * best->nv < (best->mr + best->nv) * t.mr * t.nv) best = &t;
    }
    require(best != nullptr, "default_config: the table has no full-width tile for the shape, want one");
    return *best;
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
/// `config_of<conv2d_config>` and `config_of<conv2d_division>` take its points apart, and `parallel_conv2d` runs them.
/// Measure it by wall time, on all cores that the parts use.
/// Throws: std::invalid_argument as `conv2d_space`, and where threads < 1.
template <class Table>
[[nodiscard]] auto conv2d_space(const conv2d_shape& shape, const Table& table, int threads)
{
    return detail::product_of(detail::conv2d_parameters(shape, table, hazards::excluded),
                              detail::division_parameters(shape, threads));
}

/// The point of a `conv2d_space` for several threads with these values; empty where it is not in the space.
template <class Space>
[[nodiscard]] std::optional<index> index_of(const Space& space, const conv2d_config& c, const conv2d_division& d)
{
    return detail::point_of(space, c, d);
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
            .pad = detail::helps_copy(shape) ? padding_mode::copy : padding_mode::clip};
}

/// The space of the plain NCHW convolution of `shape` with the tiles of `table`. Channels are those of one group.
///
/// | parameter | values | constraint |
/// |---|---|---|
/// | vectorise | channel, pixel | |
/// | mr, nv, vl | those of the table | a tile of the table that suits the shape, at most two registers over the budget |
/// | ku | 1, 2, 4, 8 | |
/// | prefetch | 0, 4, 8, 16, 24 | |
/// | ic_block | divisors of ci up to 256 | |
/// | ic_chunk | divisors of ci up to 512 | divides ci / ic_block |
/// | oh_block | divisors of oh | |
/// | oc_block | 1, 2, ..., 64 | less than twice the tiles of channels |
/// | order, inner | 6 and 2 | |
/// | pad | copy, clip | copy only where it differs |
/// | edge | balanced, remainder, overlap | overlap only where ic_chunk takes all |
///
/// With channels in vectors a tile suits the shape if mr is at most the length of a row, and the channels with padding
/// are at most 1.25 co, or as few as with any tile. With pixels in vectors it suits if mr is at most co and no vector
/// is wholly beyond the row.
///
/// Throws: std::invalid_argument where no tile of the table fits the shape.
template <std::same_as<tile_table> Table>
[[nodiscard]] auto conv2d_nchw_space(const conv2d_shape& shape, const Table& table)
{
    detail::require_valid(shape);
    const conv2d_shape s = detail::group_of(shape);
    return detail::product_of(
        std::tuple{detail::vectorise_parameter()}, detail::tile_parameters(table), detail::channel_parameters(s.ci),
        detail::loop_parameters(s.oh(), true),
        std::tuple{
            space::where<"vectorise", "mr", "nv", "vl">([&table, s](vectorise_mode vectorise, int mr, int nv, int vl) {
                return detail::has_tile(table, mr, nv, vl) && detail::nchw_tile_fits(s, table, vectorise, mr, nv, vl);
            }),
            detail::nchw_blocks_are_filled(s)},
        detail::channel_constraints(s.ci),
        std::tuple{
            space::where<"vectorise", "ic_block", "pad">([s](vectorise_mode vectorise, int block, padding_mode pad) {
                return pad == padding_mode::clip || detail::nchw_copy_differs(s, vectorise, block);
            })});
}

/// The configuration that a sensible library would run untuned. A pointwise convolution is a product with the pixels in
/// vectors, if there are enough to fill them. Any other has output channels in vectors. Its input is transposed into
/// blocks as wide as the output's, or read in place where it has few channels. The tile is the best within the register
/// budget (detail::default_tile, detail::default_pixel_tile). The reduction is done at once, and padding is clipped.
/// Throws: std::invalid_argument where the table has no full-width tile that fits.
template <std::same_as<nchw_config> Config>
[[nodiscard]] Config default_config(const conv2d_shape& shape, const tile_table& table)
{
    const conv2d_shape s = detail::group_of(shape);
    const bool flat = detail::pointwise(s);
    const int pixels = s.oh() * s.ow();
    nchw_config c;
    if (flat && 8 * detail::padded(pixels, table.lanes) <= 9 * pixels) {
        const detail::tile<>& t = detail::default_pixel_tile(s, table);
        c = {.vectorise = vectorise_mode::pixel, .mr = t.mr, .nv = t.nv, .vl = t.vl};
        c.ic_block = detail::largest_divisor(s.ci, 256);
    } else {
        const detail::tile<>& t = detail::default_tile(table, flat ? pixels : s.ow(), s.co);
        c = {.mr = t.mr, .nv = t.nv, .vl = t.vl};
        c.ic_block = s.ci < table.lanes ? 1 : detail::largest_divisor(s.ci, t.nv * t.vl);
    }
    c.ic_chunk = s.ci / c.ic_block;
    c.oh_block = flat ? s.oh() : detail::largest_divisor(s.oh(), 8);
    c.oc_block = 1;
    c.order = loop_order::roi;
    return c;
}

}  // namespace tunekit::kernels
