// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The tables by which a generated header finds a shape in a few nanoseconds: a hash of the measured shapes, and for each
/// cell of a grid the shapes that can be the nearest of a shape in it.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "tunekit/dispatch/choice.hpp"

namespace tunekit::dispatch::detail {

/// The odd factor of size `j` in the hash of a shape: the sum of the sizes times these, of which the highest bits count.
/// Source: the finaliser of SplitMix64.
[[nodiscard]] constexpr std::uint64_t hash_factor(std::size_t j) noexcept
{
    std::uint64_t x = (j + 1) * 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return (x ^ x >> 31) | 1;
}

/// A table of places for the shapes of a device, at least twice as many as shapes. A shape is at the place of its hash, or
/// behind it with no empty place between.
struct hash_table {
    int bits = 1;                         ///< the logarithm of the number of places, 1 or more
    std::vector<std::uint32_t> places{};  ///< the position of a shape plus 1; 0: empty

    explicit hash_table(const std::vector<chosen_shape>& shapes)
    {
        while ((std::size_t{1} << bits) < 2 * shapes.size()) ++bits;
        places.resize(std::size_t{1} << bits);
        for (std::uint32_t k = 0; k < shapes.size(); ++k) {
            std::uint64_t hash = 0;
            for (std::size_t j = 0; j < shapes[k].at.size(); ++j)
                hash += static_cast<std::uint64_t>(shapes[k].at[j]) * hash_factor(j);
            std::size_t at = hash >> (64 - bits);
            while (places[at] != 0) at = (at + 1) & (places.size() - 1);
            places[at] = k + 1;
        }
    }
};

/// A grid over the logarithms of the sizes, whose lines are powers of two; a size that is words has a line for each word. A
/// cell lists every shape that is the nearest of some shape in the cell, and a few more. Where all would answer the same,
/// it lists one.
///
/// Shape p cannot be the nearest in a cell where another one, q, is nearer everywhere in it. The difference of the two
/// squared distances is linear in the logarithms, so its maximum over the cell is at a corner, found size by size.
class nearest_grid {
public:
    static constexpr std::size_t octaves = 64;

    /// Precondition: the device has shapes.
    explicit nearest_grid(const device_choice& d) : d_(&d), rank_(d.shapes.front().at.size())
    {
        for (const chosen_shape& s : d.shapes) {
            logs_.emplace_back();
            for (std::size_t j = 0; j < rank_; ++j) logs_.back().push_back(is_word(j) ? s.at[j] : log2_steps(s.at[j]));
        }
        lay_lines();
        std::size_t cells = 1;
        steps.resize(rank_);
        for (std::size_t j = rank_; j-- > 0;) {
            for (std::size_t k = 0; k < octaves; ++k) steps[j][k] = static_cast<std::uint32_t>(cells * slab(j, k));
            cells *= count_[j];
        }
        from.push_back(0);
        for (std::size_t cell = 0; cell < cells; ++cell) {
            const auto some = nearest_in(cell);
            nearest.insert(nearest.end(), some.begin(), some.end());
            from.push_back(static_cast<std::uint32_t>(nearest.size()));
        }
    }

    /// Of each shape log2_steps of its sizes, and the places of its words.
    [[nodiscard]] const std::vector<std::vector<std::int64_t>>& logs() const noexcept { return logs_; }

    /// For each size what it adds to the number of the cell, by the whole part of its logarithm, or by the word's place.
    std::vector<std::array<std::uint32_t, octaves>> steps{};
    std::vector<std::uint32_t> from{};     ///< where the list of a cell begins; the end of the last one
    std::vector<std::uint32_t> nearest{};  ///< the lists: positions of shapes, ascending in each

private:
    using ends = std::pair<std::int64_t, std::int64_t>;  // of a cell, in steps of the logarithm

    [[nodiscard]] bool is_word(std::size_t j) const { return (d_->words >> j & 1U) != 0; }

    /// Chooses the lines: one for each octave that has shapes, fewer of the size that has most until there are no more than
    /// four cells for each shape, and 4096 in all. Words lose their lines last, all at once.
    void lay_lines()
    {
        low_.assign(rank_, 0);
        width_.assign(rank_, 1);
        count_.assign(rank_, 1);
        std::vector<std::size_t> span(rank_);
        for (std::size_t j = 0; j < rank_; ++j) {
            const auto less = [j](const auto& a, const auto& b) { return a[j] < b[j]; };
            const auto [least, most] = std::minmax_element(logs_.begin(), logs_.end(), less);
            if (is_word(j)) {  // the places 1 to the last that was measured, and 0 for all others
                count_[j] = static_cast<std::size_t>((*most)[j]) + 1;
            } else {
                low_[j] = static_cast<std::size_t>((*least)[j] >> 16);
                span[j] = static_cast<std::size_t>((*most)[j] >> 16) - low_[j] + 1;
                count_[j] = span[j];
            }
        }
        const auto cells = [&] {
            return std::accumulate(count_.begin(), count_.end(), 1.0,
                                   [](double a, std::size_t b) { return a * static_cast<double>(b); });
        };
        const auto shapes = std::clamp(logs_.size(), std::size_t{16}, std::size_t{1024});
        while (cells() > 4.0 * static_cast<double>(shapes)) {
            std::size_t most = rank_;
            for (std::size_t j = 0; j < rank_; ++j)
                if (!is_word(j) && count_[j] > 1 && (most == rank_ || count_[j] > count_[most])) most = j;
            if (most == rank_) {
                most = static_cast<std::size_t>(std::max_element(count_.begin(), count_.end()) - count_.begin());
                count_[most] = 1;
                continue;
            }
            ++width_[most];
            count_[most] = (span[most] + width_[most] - 1) / width_[most];
        }
    }

    /// The slab of size `j` for the octave, or word, `k`.
    [[nodiscard]] std::size_t slab(std::size_t j, std::size_t k) const
    {
        if (is_word(j)) return k < count_[j] ? k : 0;  // 0 for all, where there are no lines
        return (std::min)((k < low_[j] ? 0 : k - low_[j]) / width_[j], count_[j] - 1);
    }

    [[nodiscard]] ends ends_of(std::size_t j, std::size_t part) const
    {
        const auto line = [&](std::size_t p) { return static_cast<std::int64_t>((low_[j] + p * width_[j]) << 16); };
        if (is_word(j)) return {static_cast<std::int64_t>(part), static_cast<std::int64_t>(part)};
        return {part == 0 ? 0 : line(part), part + 1 == count_[j] ? std::int64_t{63} << 16 : line(part + 1)};
    }

    [[nodiscard]] std::int64_t squared(std::size_t j, std::int64_t x, std::int64_t at) const
    {
        const std::int64_t gap = is_word(j) ? size_gap(x, at, true) : x - at;
        return gap * gap;
    }

    /// The shapes of a cell's list.
    [[nodiscard]] std::vector<std::uint32_t> nearest_in(std::size_t cell) const
    {
        std::vector<ends> box(rank_);
        for (std::size_t j = rank_; j-- > 0; cell /= count_[j]) box[j] = ends_of(j, cell % count_[j]);
        std::vector<std::pair<std::int64_t, std::uint32_t>> order;  // by the distance to the middle
        for (std::uint32_t k = 0; k < logs_.size(); ++k) {
            std::int64_t sum = 0;
            for (std::size_t j = 0; j < rank_; ++j)
                sum += squared(j, std::midpoint(box[j].first, box[j].second), logs_[k][j]);
            order.emplace_back(sum, k);
        }
        std::sort(order.begin(), order.end());
        std::vector<std::uint32_t> out;
        for (const auto& [distance, p] : order)
            if (std::none_of(out.begin(), out.end(), [&, p = p](std::uint32_t q) { return beats(q, p, box); }))
                out.push_back(p);
        std::sort(out.begin(), out.end());
        const auto like_first = [&](std::uint32_t k) {
            const chosen_shape &a = d_->shapes[out.front()], &b = d_->shapes[k];
            return a.around == b.around && a.around_untuned == b.around_untuned;
        };
        if (std::all_of(out.begin(), out.end(), like_first)) out.resize(1);
        return out;
    }

    /// Whether `q` is the answer rather than `p` everywhere in the box.
    [[nodiscard]] bool beats(std::uint32_t q, std::uint32_t p, const std::vector<ends>& box) const
    {
        std::int64_t most = 0;
        for (std::size_t j = 0; j < rank_; ++j) {
            const auto at = [&](std::int64_t x) { return squared(j, x, logs_[q][j]) - squared(j, x, logs_[p][j]); };
            if (is_word(j) && count_[j] == 1) {  // any word: p's own is the best for p
                most += at(logs_[p][j]);
                continue;
            }
            most += (std::max)(at(box[j].first), at(box[j].second));
        }
        return most < 0 || (most == 0 && q < p);
    }

    const device_choice* d_;
    std::size_t rank_;
    std::vector<std::vector<std::int64_t>> logs_{};
    std::vector<std::size_t> low_{}, width_{}, count_{};
};

}  // namespace tunekit::dispatch::detail
