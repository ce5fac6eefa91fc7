// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The search space of dense layers, and their untuned default configuration.

#include <algorithm>
#include <concepts>
#include <tuple>
#include <utility>
#include <vector>

#include "tunekit/kernels/config_of.hpp"
#include "tunekit/kernels/dense/dense.hpp"
#include "tunekit/kernels/detail/space_parts.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

template <>
inline constexpr auto detail::fields<dense_config> = std::tuple{field{"layout", &dense_config::layout},
                                                                field{"rows", &dense_config::rows},
                                                                field{"columns", &dense_config::columns},
                                                                field{"nv", &dense_config::nv},
                                                                field{"vl", &dense_config::vl},
                                                                field{"ku", &dense_config::ku},
                                                                field{"prefetch", &dense_config::prefetch}};

/// The space of the product of `shape`, of at most `dense_kernel::max_rows` rows, with the tiles of `table`.
///
/// | parameter | values | used with |
/// |---|---|---|
/// | layout | plain, panels | |
/// | rows | those of the table's dense tiles with m rows | plain |
/// | columns | 64, 128, ..., the first above n | plain |
/// | nv, vl | those of the table's tiles with m rows | panels |
/// | ku | 1, 2, 4, 8 | panels |
/// | prefetch | 0, 4, 8, 16, 24 | |
///
/// Throws: std::invalid_argument where the shape is a batch or has more rows, or the table has no dense tile for it.
[[nodiscard]] inline auto dense_space(const gemm_shape& shape, const tile_table& table)
{
    detail::require_valid(shape);
    require(shape.batch == 1 && shape.m <= dense_kernel::max_rows,
            "dense_space: the shape is a batch or has more than 8 rows, want one product of few rows");
    std::vector<int> rows, columns{64};
    for (const auto& t : table.dense) {
        if (t.mr == shape.m) rows.push_back(t.rows);
    }
    require(!rows.empty(), "dense_space: the table has no dense tile for the shape, want one");
    std::sort(rows.begin(), rows.end());
    while (columns.back() < shape.n) columns.push_back(2 * columns.back());
    using enum dense_config::weights;
    const auto is_plain = [](dense_config::weights l) { return l == plain; };
    const auto is_panels = [](dense_config::weights l) { return l == panels; };
    return space::product{
        space::parameter<"layout">({plain, panels}),
        space::parameter<"rows">(std::move(rows)),
        space::parameter<"columns">(std::move(columns)),
        space::parameter<"nv">(detail::values_of(table, [](const auto& t) { return t.nv; })),
        space::parameter<"vl">(detail::values_of(table, [](const auto& t) { return t.vl; })),
        space::parameter<"ku">({1, 2, 4, 8}),
        space::parameter<"prefetch">({0, 4, 8, 16, 24}),
        space::active_if<"rows", "layout">(is_plain),
        space::active_if<"columns", "layout">(is_plain),
        space::active_if<"nv", "layout">(is_panels),
        space::active_if<"vl", "layout">(is_panels),
        space::active_if<"ku", "layout">(is_panels),
        space::where<"layout", "nv", "vl">([&table, m = shape.m](dense_config::weights l, int nv, int vl) {
            return l == plain || detail::has_tile(table, m, nv, vl);
        }),
    };
}

/// The configuration that a sensible library would run untuned: four rows of weights at a time, and whole rows where
/// the outputs fit into the first-level cache.
/// Throws: std::invalid_argument where the table has no tile.
template <std::same_as<dense_config> Config>
[[nodiscard]] Config default_config(const gemm_shape& shape, const tile_table& table)
{
    require(!table.tiles.empty(), "default_config: the table has no tile, want one");
    const int most = (1 << 12) / shape.m;  // outputs of 16 KiB
    int columns = 64, nv = table.tiles.front().nv, vl = table.tiles.front().vl;
    while (columns < shape.n && 2 * columns <= most) columns *= 2;
    for (const auto& t : table.tiles) {
        nv = (std::min)(nv, t.nv);
        vl = (std::min)(vl, t.vl);
    }
    return {.layout = dense_config::weights::plain, .rows = 4, .columns = columns, .nv = nv, .vl = vl};
}

}  // namespace tunekit::kernels
