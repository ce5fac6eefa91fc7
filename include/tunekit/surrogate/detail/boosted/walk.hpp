// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The trees of a boosted model, and how they predict: all comparisons of a tree for many rows at once, no branch.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/detail/lanes.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::surrogate::detail {

/// Trees as complete binary trees of one depth: 2^depth - 1 splits and 2^depth leaves each, children of i at 2i + 1 and
/// 2i + 2. Below a node that was not split, comparisons with +inf lead left.
struct boosted_ensemble {
    std::size_t depth = 0;
    std::size_t trees = 0;
    std::vector<std::uint32_t> feature;
    std::vector<float> threshold;  ///< rows with a greater value go right
    std::vector<float> leaf;

    friend bool operator==(const boosted_ensemble&, const boosted_ensemble&) = default;

    [[nodiscard]] std::size_t splits() const noexcept { return (std::size_t{1} << depth) - 1; }
    [[nodiscard]] std::size_t leaves() const noexcept { return std::size_t{1} << depth; }
};

inline constexpr std::size_t boosted_block = 128;
inline constexpr std::size_t boosted_max_depth = 6;

using core::detail::load;
using core::detail::store;
using float_lanes = core::detail::lanes<float>;
inline constexpr std::size_t floats = core::detail::lane_count<float>;

/// The leaf values of `floats` rows at once. `x` points at the first of them in the first column.
template <std::size_t Depth, std::size_t Node, std::size_t Level>
[[gnu::always_inline]] inline void pick_leaf(const std::uint32_t* column, const float* threshold, const float* leaf,
                                             const float* x, float_lanes& out)
{
    float_lanes left, right;
    if constexpr (Level + 1 == Depth) {
        constexpr std::size_t first = 2 * Node + 1 - ((std::size_t{1} << Depth) - 1);
        left = float_lanes{} + leaf[first];
        right = float_lanes{} + leaf[first + 1];
    } else {
        pick_leaf<Depth, 2 * Node + 1, Level + 1>(column, threshold, leaf, x, left);
        pick_leaf<Depth, 2 * Node + 2, Level + 1>(column, threshold, leaf, x, right);
    }
    float_lanes value;
    load(value, x + column[Node] * boosted_block);
    out = value > threshold[Node] ? right : left;
}

/// Adds all trees to the margins of a block: `x` is columns x boosted_block. Every row adds its trees in order.
template <std::size_t Depth>
void add_trees(const boosted_ensemble& trees, const float* x, float* margin, std::size_t n)
{
    constexpr std::size_t splits = (std::size_t{1} << Depth) - 1;
    const std::size_t end = (n + floats - 1) / floats * floats;
    for (std::size_t t = 0; t < trees.trees; ++t) {
        // Copies, which the margins that are written cannot be: they stay in registers from vector to vector.
        std::array<std::uint32_t, splits> column;
        std::array<float, splits> threshold;
        std::array<float, splits + 1> leaf;
        std::copy_n(trees.feature.data() + t * splits, splits, column.data());
        std::copy_n(trees.threshold.data() + t * splits, splits, threshold.data());
        std::copy_n(trees.leaf.data() + t * (splits + 1), splits + 1, leaf.data());
        for (std::size_t r = 0; r < end; r += floats) {
            float_lanes sum, value;
            load(sum, margin + r);
            pick_leaf<Depth, 0, 0>(column.data(), threshold.data(), leaf.data(), x + r, value);
            store(margin + r, sum + value);
        }
    }
}

inline void add_trees(const boosted_ensemble& trees, const float* x, float* margin, std::size_t n)
{
    switch (trees.depth) {
        case 1:
            return add_trees<1>(trees, x, margin, n);
        case 2:
            return add_trees<2>(trees, x, margin, n);
        case 3:
            return add_trees<3>(trees, x, margin, n);
        case 4:
            return add_trees<4>(trees, x, margin, n);
        case 5:
            return add_trees<5>(trees, x, margin, n);
        default:
            return add_trees<boosted_max_depth>(trees, x, margin, n);
    }
}

/// Replaces features by their place among those that occur, which are all that predicting reads; returns them.
[[nodiscard]] inline std::vector<std::uint32_t> use_columns(std::span<boosted_ensemble> models, std::size_t d)
{
    std::vector<std::uint32_t> place(d, 0), used;
    const auto each = [&](auto&& f) {
        for (auto& m : models)
            for (auto& feature : m.feature) f(feature);
    };
    each([&](std::uint32_t feature) { place[feature] = 1; });
    if (place[0] == 0) place[0] = 1;  // what unsplit nodes compare
    for (std::uint32_t f = 0; f < d; ++f) {
        if (place[f] == 0) continue;
        place[f] = static_cast<std::uint32_t>(used.size());
        used.push_back(f);
    }
    each([&](std::uint32_t& feature) { feature = place[feature]; });
    return used;
}

/// A square of rows and columns, one register a row, turned about its diagonal in registers.
class square_tile {
public:
    /// Reads `floats` numbers of each of as many rows that lie `stride` apart.
    void read(const float* from, std::size_t stride)
    {
        for (std::size_t r = 0; r < floats; ++r) load(line_[r], from + r * stride);
        turn<1>();
    }

    /// Column c of what was read.
    [[nodiscard]] const float_lanes& column(std::size_t c) const { return line_[c]; }

private:
    // Exchanges the squares of side `Side` that lie beside the diagonal of each square of twice the side; then larger
    // ones.
    template <std::size_t Side>
    void turn()
    {
        if constexpr (Side < floats) {
            for (std::size_t r = 0; r < floats; ++r)
                if ((r & Side) == 0) exchange<Side>(line_[r], line_[r + Side], std::make_index_sequence<floats>());
            turn<2 * Side>();
        }
    }

    template <std::size_t Side, std::size_t... Lane>
    [[gnu::always_inline]] static inline void exchange(float_lanes& a, float_lanes& b, std::index_sequence<Lane...>)
    {
        float_lanes upper;
        core::detail::shuffle<((Lane & Side) == 0 ? Lane : floats + Lane - Side)...>(a, b, upper);
        core::detail::shuffle<((Lane & Side) == 0 ? Lane + Side : floats + Lane)...>(a, b, b);
        a = upper;
    }

    std::array<float_lanes, floats> line_;
};

/// Columns of a block of rows.
class column_block {
public:
    explicit column_block(std::span<const std::uint32_t> used) : used_(used), x_(used.size() * boosted_block) {}

    template <class T>
    void read(const rows_of<T>& rows, std::size_t begin, std::size_t n)
    {
        const std::size_t d = rows.dimensions();
        const T* from = rows.data().data() + begin * d;
        std::size_t done = 0;
        if constexpr (std::is_same_v<T, float>)
            for (; d >= floats && used_.size() >= floats && done + floats <= n; done += floats)
                read_tiles(from + done * d, d, begin + done + 2 * floats <= rows.size(), x_.data() + done);
        constexpr std::size_t line = 16;  // rows that fill one cache line of a column
        for (; done < n; done += line) {
            const T* first = from + done * d;
            float* to = x_.data() + done;
            const auto copy = [&](std::size_t lines) {
                for (std::size_t k = 0; k < used_.size(); ++k)
                    for (std::size_t r = 0; r < lines; ++r)
                        to[k * boosted_block + r] = static_cast<float>(first[r * d + used_[k]]);
            };
            if (done + line <= n) copy(line);  // a constant: unrolled
            else copy(n - done);
        }
    }

    [[nodiscard]] const float* data() const noexcept { return x_.data(); }

private:
    // The used columns of `floats` rows of d features, square by square. The rows after them, where there are as many
    // `more`, are asked for meanwhile: a whole set of rows is larger than a near cache.
    void read_tiles(const float* from, std::size_t d, bool more, float* to)
    {
        for (std::size_t k = 0; k < used_.size();) {
            const std::size_t first = (std::min)(std::size_t{used_[k]}, d - floats);  // within the rows
            if (more)
                for (std::size_t r = floats; r < 2 * floats; ++r) __builtin_prefetch(from + r * d + first);
            square_tile tile;
            tile.read(from + first, d);
            for (; k < used_.size() && used_[k] < first + floats; ++k)
                store(to + k * boosted_block, tile.column(used_[k] - first));
        }
    }

    std::span<const std::uint32_t> used_;
    std::vector<float> x_;
};

/// f(begin, n, columns, margins) for each block of rows, with the margins that the trees begin from: `base`, or where
/// that is empty `base_margin`.
template <class T, class F>
void each_block(std::span<const std::uint32_t> used, const rows_of<T>& rows, float base_margin,
                std::span<const double> base, F&& f)
{
    column_block x(used);
    std::array<float, boosted_block> margin;
    margin.fill(base_margin);
    for (std::size_t begin = 0; begin < rows.size(); begin += boosted_block) {
        const std::size_t n = (std::min)(boosted_block, rows.size() - begin);
        x.read(rows, begin, n);
        for (std::size_t r = 0; r < n && !base.empty(); ++r) margin[r] = static_cast<float>(base[begin + r]);
        f(begin, n, x, margin);
    }
}

}  // namespace tunekit::surrogate::detail
