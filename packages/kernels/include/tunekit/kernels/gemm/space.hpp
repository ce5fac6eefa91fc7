// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The search space of the matrix product, and its untuned default configuration.

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/config_of.hpp"
#include "tunekit/kernels/detail/space_parts.hpp"
#include "tunekit/kernels/division.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

namespace detail {

/// Whether A and B are copied. Formats whose instructions take several steps of k always copy B.
template <class Format>
[[nodiscard]] auto packing_parameters()
{
    const std::vector<bool> right = Format::group == 1 ? std::vector<bool>{false, true} : std::vector<bool>{true};
    return std::tuple{space::boolean<"pack_a">(), space::parameter<"pack_b">(right)};
}

/// `product_table_of`, the other way round.
template <class Format>
Format format_of(const product_table<Format>&);
formats::fp32 format_of(const tile_table&);

template <class Table>
concept any_product_table = requires(const Table& table) { format_of(table); };

/// The parts of `gemm_space`.
template <any_product_table Table>
[[nodiscard]] auto gemm_parameters(const gemm_shape& shape, const Table& table, hazards hazard)
{
    using format = decltype(format_of(table));
    constexpr int most_a = max_packed * int{sizeof(float)} / int{sizeof(typename format::left)};
    constexpr int most_b = max_packed * int{sizeof(float)} / int{sizeof(typename format::right)};
    require_valid(shape);
    std::vector<int> depths;
    for (const int kc : {16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 3072}) {
        if (kc == 16 || kc < 2 * shape.k) depths.push_back(kc);
    }
    const std::vector<int> tiles{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
    return std::tuple_cat(
        tile_parameters(table, hazard),
        std::tuple{space::parameter<"m_tiles">(tiles), space::parameter<"n_tiles">(tiles),
                   space::parameter<"kc">(std::move(depths)), nest_parameter(), inner_parameter()},
        packing_parameters<format>(),
        std::tuple{
            space::boolean<"fetch_c">(), space::parameter<"edge">({edge_mode::balanced, edge_mode::remainder}),
            space::where<"mr", "nv", "vl">(
                [&table, m = shape.m](int mr, int nv, int vl) { return mr <= m && has_tile(table, mr, nv, vl); }),
            space::where<"mr", "m_tiles">(
                [m = shape.m](int mr, int count) { return count == 1 || mr * count < 2 * m; }),
            space::where<"nv", "vl", "n_tiles">(
                [n = shape.n](int nv, int vl, int count) { return count == 1 || nv * vl * count < 2 * n; }),
            space::where<"mr", "m_tiles", "kc", "pack_a">(
                [](int mr, int count, int kc, bool pack) { return !pack || mr * count * kc <= most_a; }),
            space::where<"nv", "vl", "n_tiles", "kc", "pack_b">(
                [](int nv, int vl, int count, int kc, bool pack) { return !pack || nv * vl * count * kc <= most_b; })});
}

}  // namespace detail

/// The space of the product of `shape` with the tiles of `table`, a `tile_table` or a `product_table` of another
/// format.
///
/// | parameter | values | constraint |
/// |---|---|---|
/// | mr, nv, vl | those of the table | a tile of the table, at most two registers over the budget, mr <= m |
/// | ku | 1, 2, 4, 8 | |
/// | prefetch | 0, 4, 8, 16, 24 | |
/// | m_tiles, n_tiles | 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64: tiles per block | no block twice as long as the shape |
/// | kc | 16, 32, ..., 3072 | none twice as long as k |
/// | order, inner | 6 and 2 | |
/// | pack_a, pack_b | no, yes; pack_b only yes in bf16 and u8s8 | packed blocks of at most 4 MiB |
/// | fetch_c | no, yes | |
/// | edge | balanced, remainder | |
///
/// Throws: std::invalid_argument where no tile of the table fits the shape.
template <detail::any_product_table Table>
[[nodiscard]] auto gemm_space(const gemm_shape& shape, const Table& table, hazards hazard = hazards::excluded)
{
    return detail::product_of(detail::gemm_parameters(shape, table, hazard));
}

/// `gemm_space` with the division of the product among at most `threads` threads behind it: `parts` and `split` of
/// `gemm_division_space`. `config_of<gemm_config>` and `config_of<gemm_division>` take its points apart, and
/// `parallel_gemm` runs them. Measure it by wall time, on all cores that the parts use.
/// Throws: std::invalid_argument as `gemm_space`, and where threads < 1.
template <detail::any_product_table Table>
[[nodiscard]] auto gemm_space(const gemm_shape& shape, const Table& table, int threads)
{
    return detail::product_of(detail::gemm_parameters(shape, table, hazards::excluded),
                              detail::division_parameters(shape, threads));
}

/// The point of a `gemm_space` for several threads with these values; empty where it is not in the space.
template <class Space>
[[nodiscard]] std::optional<index> index_of(const Space& space, const gemm_config& c, const gemm_division& d)
{
    return detail::point_of(space, c, d);
}

/// The configuration that a sensible library would run untuned: the tile is chosen as for convolutions. k is taken in
/// steps of 256; their panels of B are packed and stay in the second-level cache for all rows. A is read in place.
/// Throws: std::invalid_argument where the table has no full-width tile.
template <detail::any_product_table Table>
[[nodiscard]] gemm_config default_config(const gemm_shape& shape, const Table& table)
{
    const auto& t = detail::default_tile(table, shape.m, 0);
    const auto blocks = [](int size, int length) {
        int count = 1;
        while (count < 16 && 2 * size * count < 2 * length) count *= 2;
        return size * count;
    };
    return {.mr = t.mr,
            .nv = t.nv,
            .vl = t.vl,
            .mc = blocks(t.mr, shape.m),
            .nc = blocks(t.nv * t.vl, shape.n),
            .kc = shape.k >= 256 ? 256 : (std::max)(16, 1 << detail::log2_floor(shape.k)),
            .order = loop_order::oir,
            .pack_b = shape.m >= 16 || decltype(detail::format_of(table))::group > 1};
}

}  // namespace tunekit::kernels
