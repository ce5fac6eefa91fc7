// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the spaces of the bundled kernels have in common: hazards, and the choice of a default tile.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels {

/// Whether a space holds configurations that break the process they run in.
enum class hazards {
    excluded,
    /// A convolution's `edge` may be `overrun`, which writes past the end of the output wherever the row is no multiple
    /// of the tile, and `ku` may be 0, which never ends. For tests of isolation; to be run in a process that may die.
    included,
};

namespace detail {

/// Floats of a packed block at most: 4 MiB.
inline constexpr int most_packed = 1 << 20;

/// The distinct values of one member over a table's tiles, ascending.
[[nodiscard]] inline std::vector<int> values_of(const tile_table& table, int tile::*member)
{
    std::vector<int> values;
    for (const auto& t : table.tiles) values.push_back(t.*member);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

/// Channels with the last block of nr filled up.
[[nodiscard]] constexpr int padded(int co, int nr) noexcept { return (co + nr - 1) / nr * nr; }

[[nodiscard]] constexpr int largest_divisor(int n, int limit) noexcept
{
    int d = (std::min)(n, limit);
    while (n % d != 0) --d;
    return d;
}

/// On "ic_block", "ic_chunk": whether a chunk's blocks divide those of `ci` channels.
[[nodiscard]] constexpr auto chunk_divides(int ci)
{
    return [ci](int block, int chunk) { return ci / block % chunk == 0; };
}

/// On "ic_block", "ic_chunk", "edge": overlapping tiles write an output twice, so only where a chunk takes all `ci` channels.
[[nodiscard]] constexpr auto overlaps_whole(int ci)
{
    return [ci](int block, int chunk, edge_mode edge) { return edge != edge_mode::overlap || block * chunk == ci; };
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
[[nodiscard]] inline const tile& default_tile(const tile_table& table, int rows, int columns)
{
    const tile* best = nullptr;
    const auto better = [&](const tile& a, const tile& b) {
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

}  // namespace detail
}  // namespace tunekit::kernels
