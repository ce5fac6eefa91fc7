// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The tables by which generated headers and `picker` find a shape in a few nanoseconds: a hash of the measured shapes,
/// and for each cell of a grid the shapes that can be the nearest of a shape in it.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/dispatch/choice.hpp"

namespace tunekit::dispatch::detail {

/// The odd factor of size `j` in the hash of a shape: the sum of the sizes times these, of which the highest bits
/// count.
/// Source: the finaliser of SplitMix64.
[[nodiscard]] constexpr std::uint64_t hash_factor(std::size_t j) noexcept
{
    std::uint64_t x = (j + 1) * 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return (x ^ x >> 31) | 1;
}

/// The hash of a shape.
[[nodiscard]] constexpr std::uint64_t hash_of(std::span<const std::int64_t> at) noexcept
{
    std::uint64_t out = 0;
    for (std::size_t j = 0; j < at.size(); ++j) out += static_cast<std::uint64_t>(at[j]) * hash_factor(j);
    return out;
}

/// A table of places for the shapes of a device, at least twice as many as shapes. A shape is at the place of its hash,
/// or behind it with no empty place between.
struct hash_table {
    int bits = 1;                             ///< the logarithm of the number of places, 1 or more
    std::vector<std::uint32_t> places{0, 0};  ///< the position of a shape plus 1; 0: empty

    hash_table() = default;  ///< of no shape

    explicit hash_table(const std::vector<chosen_shape>& shapes)
    {
        while ((std::size_t{1} << bits) < 2 * shapes.size()) ++bits;
        places.assign(std::size_t{1} << bits, 0);
        for (std::uint32_t k = 0; k < shapes.size(); ++k) {
            std::size_t at = place_of(shapes[k].at);
            while (places[at] != 0) at = (at + 1) & (places.size() - 1);
            places[at] = k + 1;
        }
    }

    /// The position of the shape of these sizes among those that the table was made of; else their number.
    [[nodiscard]] std::size_t operator()(const std::vector<chosen_shape>& shapes,
                                         std::span<const std::int64_t> at) const
    {
        for (std::size_t k = place_of(at); places[k] != 0; k = (k + 1) & (places.size() - 1)) {
            const auto& own = shapes[places[k] - 1].at;
            if (std::equal(own.begin(), own.end(), at.begin(), at.end())) return places[k] - 1;
        }
        return shapes.size();
    }

private:
    [[nodiscard]] std::size_t place_of(std::span<const std::int64_t> at) const
    {
        return static_cast<std::size_t>(hash_of(at) >> (64 - bits));
    }
};

/// A grid over the logarithms of the sizes, whose lines are powers of two; a size that is words has a line for each
/// word. A cell lists every shape that is the nearest of some shape in the cell, and a few more. Where all would answer
/// the same, it lists one.
///
/// Shape p cannot be the nearest in a cell where another one, q, is nearer everywhere in it. The difference of the two
/// squared distances is linear in the logarithms, so its maximum over the cell is at a corner, found size by size.
/// Cost: for n shapes about those that are left in each of the cells, at most 4 n of them: 50 ms for 1000 shapes that
/// follow no rule.
class nearest_grid {
public:
    static constexpr std::size_t octaves = 64;

    nearest_grid() = default;  ///< of no shape

    /// Precondition: the device has shapes.
    explicit nearest_grid(const device_choice& d) : words_(d.words), rank_(d.shapes.front().at.size())
    {
        for (const chosen_shape& s : d.shapes) {
            logs_.emplace_back();
            for (std::size_t j = 0; j < rank_; ++j) logs_.back().push_back(is_word(j) ? s.at[j] : log2_steps(s.at[j]));
            answers_.emplace_back(s.around, s.around_untuned);
        }
        lay_lines();
        std::size_t cells = 1;
        steps.resize(rank_);
        for (std::size_t j = rank_; j-- > 0;) {
            for (std::size_t k = 0; k < octaves; ++k) steps[j][k] = static_cast<std::uint32_t>(cells * slab(j, k));
            cells *= count_[j];
        }
        std::vector<std::vector<std::uint32_t>> lists(cells);
        std::vector<std::uint32_t> all(logs_.size());
        std::iota(all.begin(), all.end(), 0U);
        block whole;
        for (const std::size_t n : count_) whole.emplace_back(0, n);
        fill(lists, std::move(whole), all);
        from.push_back(0);
        for (const auto& some : lists) {
            nearest.insert(nearest.end(), some.begin(), some.end());
            from.push_back(static_cast<std::uint32_t>(nearest.size()));
        }
    }

    /// Of each shape log2_steps of its sizes, and the places of its words.
    [[nodiscard]] const std::vector<std::vector<std::int64_t>>& logs() const noexcept { return logs_; }

    /// For each size what it adds to the number of the cell, by the whole part of its logarithm, or by the word's
    /// place.
    std::vector<std::array<std::uint32_t, octaves>> steps{};
    std::vector<std::uint32_t> from{};     ///< where the list of a cell begins; the end of the last one
    std::vector<std::uint32_t> nearest{};  ///< the lists: positions of shapes, ascending in each

    /// The position of the measured shape next to `at`, or of one with the same answer. Precondition: a size for each
    /// of the shapes' own.
    [[nodiscard]] std::size_t operator()(std::span<const std::int64_t> at) const
    {
        std::array<std::int64_t, 32> logs;
        std::size_t cell = 0;
        for (std::size_t j = 0; j < rank_; ++j) {
            logs[j] = is_word(j) ? at[j] : log2_steps(at[j]);
            const std::int64_t k = is_word(j) ? at[j] : logs[j] >> 16;
            cell += steps[j][k < 0 || k >= static_cast<std::int64_t>(octaves) ? 0 : static_cast<std::size_t>(k)];
        }
        std::size_t k = from[cell], best = nearest[k++];
        if (k == from[cell + 1]) return best;
        const auto distance = [&](std::size_t shape) {
            std::int64_t sum = 0;
            const std::int64_t* const own = logs_[shape].data();
            for (std::size_t j = 0; j < rank_; ++j) sum += squared(j, logs[j], own[j]);
            return sum;
        };
        for (std::int64_t least = distance(best); k < from[cell + 1]; ++k)
            if (const std::int64_t gap = distance(nearest[k]); gap < least) least = gap, best = nearest[k];
        return best;
    }

private:
    using ends = std::pair<std::int64_t, std::int64_t>;  // of a cell, in steps of the logarithm
    using block =
        std::vector<std::pair<std::size_t, std::size_t>>;  // of cells: for each size the first, and behind the last
    static constexpr std::int64_t far_word = size_gap(1, 2, true) * size_gap(1, 2, true);

    [[nodiscard]] bool is_word(std::size_t j) const { return (words_ >> j & 1U) != 0; }

    /// Chooses the lines: one for each octave that has shapes, fewer of the size that has most until there are no more
    /// than four cells for each shape, 4096 in all, and 2^22 shapes in all lists. Words lose their lines last, all at
    /// once.
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
        const std::size_t n = logs_.size(), most_cells = 4 * std::clamp(n, std::size_t{16}, std::size_t{1024});
        while (cells() > static_cast<double>((std::min)(most_cells, (std::size_t{1} << 22) / n + 1))) {
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
        if (is_word(j)) return x == at ? 0 : far_word;
        return (x - at) * (x - at);
    }

    /// The least and the most that size `j` adds to the squared distance of shape `p` within a box.
    [[nodiscard]] ends range_of(std::size_t j, const ends& box, std::uint32_t p) const
    {
        const std::int64_t at = logs_[p][j];
        if (is_word(j) && (count_[j] == 1 || box.first < box.second))
            return {count_[j] == 1 || (box.first <= at && at <= box.second) ? 0 : far_word, far_word};
        const std::int64_t low = squared(j, box.first, at), high = squared(j, box.second, at);
        const bool inside = box.first <= at && at <= box.second;
        return {inside && !is_word(j) ? 0 : (std::min)(low, high), (std::max)(low, high)};
    }

    /// Fills the lists of the cells of `part`, of shapes `among`: halves by halves, and leaves out at each step those
    /// that are farther everywhere than some other one is anywhere.
    void fill(std::vector<std::vector<std::uint32_t>>& lists, block part, const std::vector<std::uint32_t>& among) const
    {
        std::vector<ends> box(rank_);
        std::size_t widest = 0, cell = 0;
        for (std::size_t j = 0; j < rank_; ++j) {
            const auto& [first, behind] = part[j];
            box[j] = {ends_of(j, first).first, ends_of(j, behind - 1).second};
            if (behind - first > part[widest].second - part[widest].first) widest = j;
            cell = cell * count_[j] + first;
        }
        std::vector<std::int64_t> least;
        std::int64_t bound = (std::numeric_limits<std::int64_t>::max)();
        for (const std::uint32_t p : among) {
            std::int64_t low = 0, high = 0;
            for (std::size_t j = 0; j < rank_; ++j) {
                const ends range = range_of(j, box[j], p);
                low += range.first;
                high += range.second;
            }
            least.push_back(low);
            bound = (std::min)(bound, high);
        }
        std::vector<std::uint32_t> left;
        for (std::size_t k = 0; k < among.size(); ++k)
            if (least[k] <= bound) left.push_back(among[k]);
        const auto [first, behind] = part[widest];
        if (behind - first == 1) {
            lists[cell] = nearest_in(box, left);
            return;
        }
        block upper = part;
        part[widest].second = upper[widest].first = first + (behind - first) / 2;
        fill(lists, std::move(part), left);
        fill(lists, std::move(upper), left);
    }

    /// The list of a cell, from the shapes `among`.
    [[nodiscard]] std::vector<std::uint32_t> nearest_in(const std::vector<ends>& box,
                                                        const std::vector<std::uint32_t>& among) const
    {
        std::vector<std::pair<std::int64_t, std::uint32_t>> order;  // by the distance to the middle
        for (const std::uint32_t k : among) {
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
        const auto like_first = [&](std::uint32_t k) { return answers_[k] == answers_[out.front()]; };
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

    std::uint32_t words_ = 0;
    std::size_t rank_ = 0;
    std::vector<std::vector<std::int64_t>> logs_{};
    std::vector<std::pair<std::uint32_t, bool>> answers_{};
    std::vector<std::size_t> low_{}, width_{}, count_{};
};

}  // namespace tunekit::dispatch::detail
