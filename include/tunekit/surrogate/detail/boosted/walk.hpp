// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The trees of a boosted model, and how they predict: all comparisons of a tree for many rows at once, no branch.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/detail/lanes.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/surrogate/detail/binned.hpp"

namespace tunekit::surrogate::detail {

/// Trees as complete binary trees of one depth: 2^depth - 1 splits and 2^depth leaves each, children of i at 2i + 1 and
/// 2i + 2. Below a node that was not split, comparisons with +inf lead left.
struct boosted_ensemble {
    std::size_t depth = 0;
    std::size_t trees = 0;
    std::vector<std::uint32_t> feature;  ///< or, once known, its column
    std::vector<float> threshold;        ///< rows with a greater value go right
    std::vector<std::uint32_t> cut;      ///< its number in the column, once known, four times
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
using word_lanes = core::detail::lanes<std::uint32_t>;
using rank_lanes = core::detail::lanes<std::uint8_t>;
inline constexpr std::size_t floats = core::detail::lane_count<float>;

/// What predicting knows of a row: by column, how many of the column's cuts are below a feature. A column has at most
/// `most` cuts, ascending thresholds, so that bit 7 of c - rank, in bytes, says whether the row is above cut c.
struct boosted_columns {
    static constexpr std::size_t most = 127;  ///< and the cut of a node that was not split

    std::vector<std::uint32_t> feature;  ///< by column, ascending: those that occur in a tree
    std::vector<std::uint32_t> end;      ///< by column: where its cuts end
    std::vector<float> cut;

    friend bool operator==(const boosted_columns&, const boosted_columns&) = default;
};

/// Bit 7 of each byte of `right`: whether the row of this byte goes right on `Level` of the tree below `Node`. `turns`
/// are those on the levels above.
template <std::size_t Level, std::size_t Node>
[[gnu::always_inline]] inline void turn_right(const std::uint32_t* column, const std::uint32_t* cut,
                                              const std::uint8_t* rank, const rank_lanes* turns, rank_lanes& right)
{
    if constexpr (Level == 0) {
        load(right, rank + column[Node] * boosted_block);
        right = reinterpret_cast<rank_lanes>(word_lanes{} + cut[Node]) - right;
    } else {
        rank_lanes other;
        turn_right<Level - 1, 2 * Node + 1>(column, cut, rank, turns + 1, right);
        turn_right<Level - 1, 2 * Node + 2>(column, cut, rank, turns + 1, other);
        right ^= (right ^ other) & turns[0];
    }
}

/// Adds all trees to the margins of a block: `rank` is columns x boosted_block. Every row adds its trees in order.
template <std::size_t Depth = boosted_max_depth>
void add_trees(const boosted_ensemble& trees, const std::uint8_t* rank, float* margin, std::size_t n)
{
    if constexpr (Depth > 1)
        if (trees.depth < Depth) return add_trees<Depth - 1>(trees, rank, margin, n);
    constexpr std::size_t splits = (std::size_t{1} << Depth) - 1, leaves = splits + 1;
    for (std::size_t t = 0; t < trees.trees; ++t) {
        // Copies, which the margins that are written cannot be: they stay in registers from vector to vector.
        std::array<std::uint32_t, splits> column, cut;
        std::array<float, (std::max)(leaves, floats)> leaf;  // again and again, as far as a register holds them
        for (std::size_t i = 0; i < leaf.size(); i += leaves)
            std::copy_n(trees.leaf.data() + t * leaves, leaves, leaf.data() + i);
        std::copy_n(trees.feature.data() + t * splits, splits, column.data());
        std::copy_n(trees.cut.data() + t * splits, splits, cut.data());
        for (std::size_t r = 0; r < n; r += 4 * floats) {
            rank_lanes turns[Depth];
            [&]<std::size_t... Level>(std::index_sequence<Level...>) {
                (turn_right<Level, 0>(column.data(), cut.data(), rank + r, turns, turns[Level]), ...);
            }(std::make_index_sequence<Depth>());
            word_lanes path{};
            for (std::size_t level = Depth; level-- > 0;)
                path = path >> 1 | (reinterpret_cast<word_lanes>(turns[level]) & 0x80808080U);
            for (std::size_t k = 0; k < 4; ++k) {
                float_lanes sum, value;
                load(sum, margin + r + k * floats);
                core::detail::look_up<leaf.size()>(leaf.data(), path >> (8 * k + 8 - Depth), value);
                store(margin + r + k * floats, sum + value);
            }
        }
    }
}

/// Gathers the thresholds of all models in columns, and tells each node its column and cut.
[[nodiscard]] inline boosted_columns use_columns(std::span<boosted_ensemble> models)
{
    struct split {
        std::uint64_t key = 0;  // the feature, and the threshold in its order
        std::uint32_t *column = nullptr, *cut = nullptr;
    };
    constexpr std::uint32_t four_times = 0x01010101;
    std::vector<split> splits;
    for (auto& m : models) {
        m.cut.assign(m.feature.size(), boosted_columns::most * four_times);
        for (std::size_t i = 0; i < m.feature.size(); ++i)
            if (m.threshold[i] < std::numeric_limits<float>::infinity())
                splits.push_back({std::uint64_t{m.feature[i]} << 32 | ascending_bits(m.threshold[i] + 0.0F),
                                  &m.feature[i], &m.cut[i]});
    }
    std::sort(splits.begin(), splits.end(), [](const split& a, const split& b) { return a.key < b.key; });
    boosted_columns out;
    std::uint32_t begin = 0, end = 0;  // of the last column's cuts
    std::uint64_t last = ~std::uint64_t{0};
    for (const split& s : splits) {
        const bool known = s.key == std::exchange(last, s.key);
        if (out.feature.empty() || out.feature.back() != *s.column ||
            (!known && end - begin == boosted_columns::most)) {
            out.feature.push_back(*s.column);
            out.end.push_back(begin = end);
        }
        if (!known) out.cut.push_back(from_ascending_bits(s.key));
        out.end.back() = end = static_cast<std::uint32_t>(out.cut.size());
        *s.column = static_cast<std::uint32_t>(out.feature.size() - 1);
        *s.cut = (end - begin - 1) * four_times;
    }
    return out;
}

/// Turns a square of numbers about its diagonal: exchanges the squares of side `Side` that lie beside the diagonal of
/// each square of twice the side; then larger ones.
template <std::size_t Side = 1, std::size_t... Lane>
[[gnu::always_inline]] inline void turn(float_lanes* line, std::index_sequence<Lane...> each)
{
    for (std::size_t r = 0; r < floats; ++r) {
        if ((r & Side) != 0) continue;
        const float_lanes upper = line[r], lower = line[r + Side];
        core::detail::shuffle<((Lane & Side) == 0 ? Lane : floats + Lane - Side)...>(upper, lower, line[r]);
        core::detail::shuffle<((Lane & Side) == 0 ? Lane + Side : floats + Lane)...>(upper, lower, line[r + Side]);
    }
    if constexpr (2 * Side < floats) turn<2 * Side>(line, each);
}

/// The ranks of a block of rows, column by column. Rows `floats` apart, four of them, share a word.
class column_block {
public:
    explicit column_block(const boosted_columns& used)
        : used_(used), x_(used.feature.size() * group), rank_((used.feature.size() + 1) * boosted_block)
    {
    }

    template <class T>
    void read(const rows_of<T>& rows, std::size_t begin, std::size_t n)
    {
        const std::size_t d = rows.dimensions(), columns = used_.feature.size();
        const bool square = std::is_same_v<T, float> && d >= floats && columns >= floats;
        for (std::size_t done = 0; done < n; done += floats) {
            const T* row[floats];  // behind the last row, the last
            for (std::size_t r = 0; r < floats; ++r)
                row[r] = rows.data().data() + (begin + (std::min)(done + r, n - 1)) * d;
            float* const to = x_.data() + done % group;
            const bool more = begin + done + 2 * floats <= rows.size();
            for (std::size_t k = 0; k < columns;) {
                if (!square) {
                    for (std::size_t r = 0; r < floats; ++r)
                        to[k * group + r] = static_cast<float>(row[r][used_.feature[k]]);
                    ++k;
                    continue;
                }
                // Square by square. The next rows are asked for meanwhile: all together are larger than a near cache.
                const std::size_t first = (std::min)(std::size_t{used_.feature[k]}, d - floats);  // within the rows
                float_lanes line[floats];
                for (std::size_t r = 0; r < floats; ++r) load(line[r], row[r] + first);
                for (std::size_t r = 0; r < floats && more; ++r) __builtin_prefetch(row[r] + floats * d + first);
                turn(line, std::make_index_sequence<floats>());
                for (; k < columns && used_.feature[k] < first + floats; ++k)
                    store(to + k * group, line[used_.feature[k] - first]);
            }
            if (done % group == group - floats || done + floats >= n) put(done / group * group);
        }
    }

    [[nodiscard]] const std::uint8_t* data() const noexcept { return rank_.data(); }

private:
    static constexpr std::size_t group = 4 * floats;

    // The ranks of the rows read last, which begin at row `done` of the block.
    void put(std::size_t done)
    {
        std::size_t c = 0;
        for (std::size_t k = 0; k < used_.feature.size(); ++k) {
            float_lanes x[4];
            word_lanes rank[4] = {};
            for (std::size_t q = 0; q < 4; ++q) load(x[q], x_.data() + k * group + q * floats);
            for (; c < used_.end[k]; ++c)
                for (std::size_t q = 0; q < 4; ++q)
                    if constexpr (floats == 16) rank[q] = x[q] > used_.cut[c] ? rank[q] + 1 : rank[q];  // one masked
                    else rank[q] -= reinterpret_cast<word_lanes>(x[q] > used_.cut[c]);
            store(rank_.data() + k * boosted_block + done, rank[0] | rank[1] << 8 | rank[2] << 16 | rank[3] << 24);
        }
    }

    const boosted_columns& used_;
    std::vector<float> x_;
    std::vector<std::uint8_t> rank_;
};

/// f(begin, n, columns, margins) for each block of rows, with the margins that the trees begin from: `base`, or where
/// that is empty `base_margin`.
template <class T, class F>
void each_block(const boosted_columns& used, const rows_of<T>& rows, float base_margin, std::span<const double> base,
                F&& f)
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
