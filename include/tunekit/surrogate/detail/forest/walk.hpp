// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How the random forest predicts: all rows of a block through one tree, then the next tree.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/core/detail/lanes.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::surrogate::detail {

/// A node in 32 bits. A row goes to `left` where its code of `feature` is not above `code`, else to left + 1.
/// A leaf points at itself with a code that none is above, so walking on from it does nothing.
struct small_node {
    std::uint8_t feature = 0;
    std::uint8_t code = 255;
    std::uint16_t left = 0;

    friend bool operator==(const small_node&, const small_node&) = default;
};

/// The same for any forest: raw values, thresholds. A leaf has the threshold +inf.
struct large_node {
    std::uint32_t feature = 0;
    float threshold = 0;
    std::uint32_t left = 0;

    friend bool operator==(const large_node&, const large_node&) = default;
};

using core::detail::load;
using core::detail::store;
using byte_lanes = core::detail::lanes<std::int8_t>;
inline constexpr std::size_t bytes = core::detail::lane_bytes;

inline constexpr std::size_t crown_depth = 6;
inline constexpr std::size_t crown_splits = (std::size_t{1} << crown_depth) - 1;
inline constexpr std::size_t crown_exits = crown_splits + 1;

/// The first levels of a tree as a complete binary tree, whose comparisons are all made for many rows at once.
/// Below a leaf, comparisons that no row passes lead left.
struct crown {
    std::array<std::uint8_t, crown_splits> feature{};
    std::array<std::int8_t, crown_splits> code{};  // less 128: signed comparisons are one instruction
    std::array<std::uint16_t, crown_exits> exit{};

    friend bool operator==(const crown&, const crown&) = default;
};

// One node of the crown for `bytes` rows: its number of the exit below it into `out`.
template <std::size_t Node, std::size_t Level, std::size_t Block>
[[gnu::always_inline]] inline void descend(const crown& c, const std::int8_t* columns, byte_lanes& out)
{
    byte_lanes x;
    load(x, columns + c.feature[Node] * Block);
    byte_lanes left, right;
    if constexpr (Level + 1 == crown_depth) {
        constexpr auto exit = static_cast<std::int8_t>(2 * Node + 1 - crown_splits);
        left = byte_lanes{} + exit;
        right = byte_lanes{} + static_cast<std::int8_t>(exit + 1);
    } else {
        descend<2 * Node + 1, Level + 1, Block>(c, columns, left);
        descend<2 * Node + 2, Level + 1, Block>(c, columns, right);
    }
    out = x > c.code[Node] ? right : left;
}

/// Codes of values: how many of a feature's thresholds a value is above. Thresholds ascend, at most 255 per feature.
struct value_codes {
    core::plain_vector<float> cut;
    core::plain_vector<std::uint32_t> first;  ///< d + 1

    friend bool operator==(const value_codes&, const value_codes&) = default;

    [[nodiscard]] std::span<const float> of(std::size_t f) const noexcept
    {
        return {cut.data() + first[f], first[f + 1] - first[f]};
    }

    /// The codes of n <= `Block` values of feature f. NaN has code 0.
    template <std::size_t Block>
    void encode(std::size_t f, const float* x, std::uint8_t* code, std::size_t n) const
    {
        const auto cuts = of(f);
        if (cuts.size() <= 32) {
            std::array<std::uint32_t, Block> above{};
            for (const float c : cuts)
                for (std::size_t r = 0; r < n; ++r) above[r] += x[r] > c ? 1U : 0U;
            for (std::size_t r = 0; r < n; ++r) code[r] = static_cast<std::uint8_t>(above[r]);
        } else {
            for (std::size_t r = 0; r < n; ++r) {
                const auto end = std::partition_point(cuts.begin(), cuts.end(), [&](float c) { return x[r] > c; });
                code[r] = static_cast<std::uint8_t>(end - cuts.begin());
            }
        }
    }
};

/// Walks blocks of `block` rows through forests of small nodes.
class small_walker {
public:
    static constexpr std::size_t block = 1024;

    explicit small_walker(const value_codes& codes)
        : codes_(codes), d_(codes.first.size() - 1), columns_(d_ * block), rows_(d_ * block), raw_(block)
    {
    }

    /// Reads rows [begin, begin + n) with n <= block.
    template <class T>
    void read(const rows_of<T>& rows, std::size_t begin, std::size_t n)
    {
        n_ = n;
        const std::size_t some = (n + bytes - 1) / bytes * bytes;  // what the crown looks at
        std::array<std::uint8_t, block> code;
        const T* x = rows.data().data() + begin * d_;
        for (std::size_t f = 0; f < d_; ++f) {
            for (std::size_t r = 0; r < n; ++r) raw_[r] = static_cast<float>(x[r * d_ + f]);
            codes_.encode<block>(f, raw_.data(), code.data(), some);
            for (std::size_t r = 0; r < some; ++r) columns_[f * block + r] = static_cast<std::int8_t>(code[r] ^ 0x80U);
            for (std::size_t r = 0; r < n; ++r) rows_[r * d_ + f] = code[r];
        }
    }

    /// The leaf of each row of the block in one tree, in leaf()[r].
    void walk(const crown& top, const small_node* nodes)
    {
        for (std::size_t r = 0; r < n_; r += bytes) {
            byte_lanes exit;
            descend<0, 0, block>(top, columns_.data() + r, exit);
            std::array<std::int8_t, bytes> exits;
            store(exits.data(), exit);
            for (std::size_t i = 0; i < bytes; ++i) leaf_[r + i] = top.exit[static_cast<std::uint8_t>(exits[i])];
        }
        const std::uint8_t* rows = rows_.data();
        const auto step = [&](std::size_t i, const std::uint8_t* x) {
            const small_node& node = nodes[i];
            std::size_t next = node.left;
            next += x[node.feature] > node.code;
            return next;
        };
        std::size_t left = 0;
        for (std::size_t r = 0; r < n_; ++r) {
            const std::uint8_t* x = rows + r * d_;
            const auto i = step(step(step(leaf_[r], x), x), x);
            leaf_[r] = static_cast<std::uint16_t>(i);
            walking_[left] = static_cast<std::uint16_t>(r);
            left += nodes[i].left != i;
        }
        while (left != 0) {  // only those that have not arrived
            std::size_t still = 0;
            for (std::size_t k = 0; k < left; ++k) {
                const std::uint16_t r = walking_[k];
                const std::uint8_t* x = rows + r * d_;
                const auto i = step(step(leaf_[r], x), x);
                leaf_[r] = static_cast<std::uint16_t>(i);
                walking_[still] = r;
                still += nodes[i].left != i;
            }
            left = still;
        }
    }

    [[nodiscard]] std::uint32_t leaf(std::size_t r) const noexcept { return leaf_[r]; }

private:
    const value_codes& codes_;
    std::size_t d_;
    std::size_t n_ = 0;
    core::plain_vector<std::int8_t> columns_;
    core::plain_vector<std::uint8_t> rows_;
    core::plain_vector<float> raw_;
    std::array<std::uint16_t, block> leaf_{};
    std::array<std::uint16_t, block> walking_{};
};

/// Walks blocks of rows through forests of large nodes.
class large_walker {
public:
    static constexpr std::size_t block = 1024;

    explicit large_walker(std::size_t d) : d_(d), rows_(d * block) {}

    template <class T>
    void read(const rows_of<T>& rows, std::size_t begin, std::size_t n)
    {
        n_ = n;
        const T* x = rows.data().data() + begin * d_;
        for (std::size_t i = 0; i < n * d_; ++i) rows_[i] = static_cast<float>(x[i]);
    }

    void walk(const large_node* nodes)
    {
        constexpr std::size_t together = 8;  // rows in flight: each waits for memory alone
        for (std::size_t r = 0; r < n_; r += together) {
            const std::size_t m = (std::min)(together, n_ - r);
            std::array<std::uint32_t, together> at{};
            for (bool moved = true; moved;) {
                moved = false;
                for (std::size_t k = 0; k < m; ++k) {
                    const large_node& node = nodes[at[k]];
                    const auto next = node.left + (rows_[(r + k) * d_ + node.feature] > node.threshold ? 1U : 0U);
                    moved |= next != at[k];
                    at[k] = next;
                }
            }
            for (std::size_t k = 0; k < m; ++k) leaf_[r + k] = at[k];
        }
    }

    [[nodiscard]] std::uint32_t leaf(std::size_t r) const noexcept { return leaf_[r]; }

private:
    std::size_t d_;
    std::size_t n_ = 0;
    core::plain_vector<float> rows_;
    std::array<std::uint32_t, block> leaf_{};
};

}  // namespace tunekit::surrogate::detail
