// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the spaces of the bundled kernels have in common: parameters, constraints, and the choice of a default tile.

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/detail/blocked.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels::detail {

/// Floats of a packed block at most: 4 MiB.
inline constexpr int max_packed = 1 << 20;

/// The distinct values of one number of a table's tiles, ascending.
template <class Table, class Number>
[[nodiscard]] std::vector<int> values_of(const Table& table, const Number& number)
{
    std::vector<int> values;
    for (const auto& t : table.tiles) values.push_back(number(t));
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

[[nodiscard]] constexpr int largest_divisor(int n, int limit) noexcept
{
    int d = (std::min)(n, limit);
    while (n % d != 0) --d;
    return d;
}

/// The product of all parts of some groups of parts, in their order.
template <class... Groups>
[[nodiscard]] auto product_of(Groups... groups)
{
    return std::apply([](auto&&... parts) { return space::product{std::move(parts)...}; },
                      std::tuple_cat(std::move(groups)...));
}

/// A tile of the table, and how its reduction runs; `ku` = 0 is the hazard.
template <class Table>
[[nodiscard]] auto tile_parameters(const Table& table, hazards hazard = hazards::excluded)
{
    std::vector<int> unrollings{1, 2, 4, 8};
    if (hazard == hazards::included) unrollings.push_back(0);
    return std::tuple{space::parameter<"mr">(values_of(table, [](const auto& t) { return t.mr; })),
                      space::parameter<"nv">(values_of(table, [](const auto& t) { return t.nv; })),
                      space::parameter<"vl">(values_of(table, [](const auto& t) { return t.vl; })),
                      space::parameter<"ku">(std::move(unrollings)), space::parameter<"prefetch">({0, 4, 8, 16, 24})};
}

/// Whether the table has the tile and it needs at most two registers over the budget.
template <class Table>
[[nodiscard]] bool has_tile(const Table& table, int mr, int nv, int vl)
{
    return table.find(mr, nv, vl) != nullptr && table.registers_for(mr, nv, vl) <= table.registers + 2;
}

/// Whether blocks of `width` fill `co` channels up to 1.25 co at most, or as little as any tile of the table does.
template <class Table>
[[nodiscard]] bool fills_channels(const Table& table, int co, int width)
{
    return 4 * padded(co, width) <= (std::max)(5 * co, 4 * padded(co, table.narrowest()));
}

/// Blocks of the `ci` input channels of a convolution.
[[nodiscard]] inline auto channel_parameters(int ci)
{
    return std::tuple{space::divisors<"ic_block">(ci, 256), space::divisors<"ic_chunk">(ci, 512)};
}

/// Chunks divide the blocks; overlapping tiles write an output twice, so only where a chunk takes all `ci` channels.
[[nodiscard]] inline auto channel_constraints(int ci)
{
    return std::tuple{
        space::where<"ic_block", "ic_chunk">([ci](int block, int chunk) { return ci / block % chunk == 0; }),
        space::where<"ic_block", "ic_chunk", "edge">(
            [ci](int block, int chunk, edge_mode edge) { return edge != edge_mode::overlap || block * chunk == ci; })};
}

/// How three outer loops are nested.
[[nodiscard]] inline auto nest_parameter()
{
    return space::parameter<"order">(
        {loop_order::ori, loop_order::oir, loop_order::roi, loop_order::rio, loop_order::ior, loop_order::iro});
}

/// What is outside within a block.
[[nodiscard]] inline auto inner_parameter()
{
    return space::parameter<"inner">({inner_order::channels_outside, inner_order::pixels_outside});
}

/// How a convolution treats its input's border.
[[nodiscard]] inline auto padding_parameter(bool copies)
{
    return space::parameter<"pad">(copies ? std::vector{padding_mode::copy, padding_mode::clip}
                                          : std::vector{padding_mode::clip});
}

/// How a convolution's rows end; `overrun` is the hazard.
[[nodiscard]] inline auto edge_parameter(hazards hazard = hazards::excluded)
{
    std::vector<edge_mode> edges{edge_mode::balanced, edge_mode::remainder, edge_mode::overlap};
    if (hazard == hazards::included) edges.push_back(edge_mode::overrun);
    return space::parameter<"edge">(std::move(edges));
}

/// Blocks of `oh` output rows and of output channels, and the loops over them.
[[nodiscard]] inline auto loop_parameters(int oh, bool copies, hazards hazard = hazards::excluded)
{
    return std::tuple{space::divisors<"oh_block">(oh),
                      space::powers_of_two<"oc_block">(1, 64),
                      nest_parameter(),
                      inner_parameter(),
                      padding_parameter(copies),
                      edge_parameter(hazard)};
}

/// In blocked layouts: whether a block of several tiles of channels is more than half full.
[[nodiscard]] inline auto blocks_are_filled(int co)
{
    return space::where<"nv", "vl", "oc_block">(
        [co](int nv, int vl, int oc_block) { return oc_block == 1 || oc_block * nv * vl < 2 * padded(co, nv * vl); });
}

/// In blocked layouts: outputs of a row of tiles; rows of a pointwise convolution's block are one.
[[nodiscard]] constexpr int row_of(const conv2d_shape& s) noexcept
{
    return s.kernel_h == 1 && s.kernel_w == 1 ? s.oh() * s.ow() : s.ow();
}

/// In blocked layouts: whether a tile suits the shape. Blocks of output channels do not mix groups.
template <class Table>
[[nodiscard]] bool blocked_tile_fits(const conv2d_shape& s, const Table& table, int mr, int nv, int vl)
{
    const int co = s.co / s.groups, width = nv * vl;
    return (s.groups == 1 || co % width == 0) && has_tile(table, mr, nv, vl) && fills_channels(table, co, width);
}

[[nodiscard]] constexpr int log2_floor(int n) noexcept
{
    int log = 0;
    while (n >>= 1) ++log;
    return log;
}

/// The tile a sensible library would take for `rows` rows and `columns` columns (0: any number of them): of the
/// full-width tiles within the register budget that waste the fewest columns one that loads at most 3/4 of what it
/// multiplies, of those the one with most accumulators, then fewest registers, then the tallest.
/// Throws std::invalid_argument where the table has no full-width tile of at most that many rows.
template <class Table>
[[nodiscard]] const auto& default_tile(const Table& table, int rows, int columns)
{
    decltype(table.tiles.data()) best = nullptr;
    const auto better = [&](const auto& a, const auto& b) {
        const int waste_a = padded(columns, a.nv * a.vl), waste_b = padded(columns, b.nv * b.vl);
        if (waste_a != waste_b) return waste_a < waste_b;
        const bool fed_a = 4 * (a.mr + a.nv) <= 3 * a.mr * a.nv, fed_b = 4 * (b.mr + b.nv) <= 3 * b.mr * b.nv;
        if (fed_a != fed_b) return fed_a;
        if (a.mr * a.nv != b.mr * b.nv) return a.mr * a.nv > b.mr * b.nv;
        const int wide_a = table.registers_for(a.mr, a.nv, a.vl), wide_b = table.registers_for(b.mr, b.nv, b.vl);
        return wide_a != wide_b ? wide_a < wide_b : a.mr > b.mr;
    };
    for (const auto& t : table.tiles) {
        if (t.vl != table.lanes || t.mr > rows || table.registers_for(t.mr, t.nv, t.vl) > table.registers) continue;
        if (best == nullptr || better(t, *best)) best = &t;
    }
    require(best != nullptr, "default_config: the table has no full-width tile for the shape, want one");
    return *best;
}
}  // namespace tunekit::kernels::detail
