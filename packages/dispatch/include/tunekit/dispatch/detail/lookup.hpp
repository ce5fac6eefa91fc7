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

/// The odd factors of the sizes in the hash of a shape: the sum of the sizes times these, of which the highest bits
/// count.
/// Source: the finaliser of SplitMix64.
inline constexpr auto hash_factors = [] {
    std::array<std::uint64_t, 32> out{};
    for (std::uint64_t j = 0; j < out.size(); ++j) {
        std::uint64_t x = (j + 1) * 0x9e3779b97f4a7c15U;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
        x = (x ^ x >> 27) * 0x94d049bb133111ebU;
        out[j] = (x ^ x >> 31) | 1;
    }
    return out;
}();

/// A table of places for the shapes of a device, at least four times as many as shapes, so that a shape that was not
/// measured mostly meets an empty place at once. A shape is at the place of its hash, or behind it with no empty place
/// between. It has its own copy of the sizes, one shape behind the other.
struct hash_table {
    int bits = 1;                             ///< the logarithm of the number of places, 1 or more
    std::vector<std::uint32_t> places{0, 0};  ///< the position of a shape plus 1; 0: empty

    hash_table() = default;  ///< of no shape

    explicit hash_table(const std::vector<choice::shape>& shapes) : rank_(shapes.empty() ? 0 : shapes.front().at.size())
    {
        while ((std::size_t{1} << bits) < 4 * shapes.size()) ++bits;
        places.assign(std::size_t{1} << bits, 0);
        for (std::uint32_t k = 0; k < shapes.size(); ++k) {
            std::size_t at = place_of(shapes[k].at);
            while (places[at] != 0) at = (at + 1) & (places.size() - 1);
            places[at] = k + 1;
            sizes_.insert(sizes_.end(), shapes[k].at.begin(), shapes[k].at.end());
        }
    }

    /// The position plus 1 of the shape of these sizes; 0 where there is none. Precondition: as many sizes as the
    /// shapes have.
    [[nodiscard]] std::size_t operator()(std::span<const std::int64_t> at) const
    {
        std::size_t k = place_of(at);
        for (; places[k] != 0; k = (k + 1) & (places.size() - 1)) {
            const std::int64_t* const own = sizes_.data() + (places[k] - 1) * rank_;
            std::size_t j = 0;
            while (j < rank_ && own[j] == at[j]) ++j;
            if (j == rank_) break;
        }
        return places[k];
    }

private:
    [[nodiscard]] std::size_t place_of(std::span<const std::int64_t> at) const
    {
        std::uint64_t hash = 0;
        for (std::size_t j = 0; j < at.size(); ++j) hash += static_cast<std::uint64_t>(at[j]) * hash_factors[j];
        return static_cast<std::size_t>(hash >> (64 - bits));
    }

    std::size_t rank_ = 0;
    std::vector<std::int64_t> sizes_{};
};

/// A grid over the logarithms of the sizes, whose lines are half a power of two apart; a size that is words has a line
/// for each word. A cell lists every shape that is the nearest of some shape in the cell, and a few more. Where all
/// would answer the same, it lists one.
///
/// Shape p cannot be the nearest in a cell where another one, q, is nearer everywhere in it. The difference of the two
/// squared distances is linear in the logarithms, so its maximum over the cell is at a corner, found size by size.
/// Cost: for n shapes about those that are left in each of the cells, at most 4 n of them: 80 ms for 1000 shapes that
/// follow no rule.
class nearest_grid {
public:
    static constexpr int line_bits = 15;       ///< lines are 2^15 steps of log2_steps apart: half a power of two
    static constexpr std::size_t lines = 128;  ///< and at most so many, for each size

    nearest_grid() = default;  ///< of no shape

    /// Precondition: the device has shapes.
    explicit nearest_grid(const choice::part& d) : words_(d.words), rank_(d.shapes.front().at.size())
    {
        for (const choice::shape& s : d.shapes) {
            const std::size_t own = rows_.size();
            rows_.push_back(0);
            for (std::size_t j = 0; j < rank_; ++j) {
                rows_.push_back(is_word(j) ? s.at[j] : log2_steps(s.at[j]));
                rows_[own] += is_word(j) ? 0 : rows_.back() * rows_.back();
            }
            answers_.emplace_back(s.around, s.around_untuned);
        }
        lay_lines();
        std::size_t cells = 1;
        steps.resize(rank_);
        for (std::size_t j = rank_; j-- > 0;) {
            for (std::size_t k = 0; k < lines; ++k) steps[j][k] = static_cast<std::uint32_t>(cells * slab(j, k));
            cells *= count_[j];
        }
        std::vector<std::vector<std::uint32_t>> lists(cells);
        std::vector<std::uint32_t> all(answers_.size());
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

    /// log2_steps of size `j` of shape `k`, or the place of its word.
    [[nodiscard]] std::int64_t log(std::size_t k, std::size_t j) const { return rows_[k * (rank_ + 1) + 1 + j]; }

    /// For each size what it adds to the number of the cell, by the line below its logarithm, or by the word's
    /// place.
    std::vector<std::array<std::uint32_t, lines>> steps{};
    std::vector<std::uint32_t> from{};     ///< where the list of a cell begins; the end of the last one
    std::vector<std::uint32_t> nearest{};  ///< the lists: positions of shapes, ascending in each

    /// The position of the measured shape next to `at`, or of one with the same answer. Precondition: a size for each
    /// of the shapes' own.
    [[nodiscard]] std::size_t operator()(std::span<const std::int64_t> at) const
    {
        return words_ == 0 ? by_rank<false>(at) : by_rank<true>(at);
    }

private:
    using ends = std::pair<std::int64_t, std::int64_t>;  // of a cell, in steps of the logarithm
    using block =
        std::vector<std::pair<std::size_t, std::size_t>>;  // of cells: for each size the first, and behind the last
    static constexpr std::int64_t far_word = size_gap(1, 2, true) * size_gap(1, 2, true);

    template <bool Words>
    [[nodiscard]] std::size_t by_rank(std::span<const std::int64_t> at) const
    {
        const std::size_t n = at.size();           // rank_, which a compiler may know of the shape
        if (n == 2) return closest<2, Words>(at);  // code of their own for usual numbers of sizes, twice as fast
        if (n == 3) return closest<3, Words>(at);
        return n == 4 ? closest<4, Words>(at) : closest<0, Words>(at);
    }

    /// The call operator for `Rank` sizes, or any number where it is 0, some of them words or none.
    template <std::size_t Rank, bool Words>
    [[nodiscard]] std::size_t closest(std::span<const std::int64_t> at) const
    {
        const auto sum = [&](const auto& of) {
            if constexpr (Rank != 0) {
                return [&]<std::size_t... J>(std::index_sequence<J...>) {
                    return (of(J) + ...);
                }(std::make_index_sequence<Rank>{});
            } else {
                std::int64_t out = 0;
                for (std::size_t j = 0; j < rank_; ++j) out += of(j);
                return out;
            }
        };
        std::array<std::int64_t, Rank == 0 ? 32 : Rank> twice;  // the logarithms
        const auto cell = static_cast<std::size_t>(sum([&](std::size_t j) {
            const bool word = Words && is_word(j);
            const std::int64_t log = word ? 0 : log2_steps(at[j]), k = word ? at[j] : log >> line_bits;
            twice[j] = 2 * log;
            return std::int64_t{
                steps[j][k < 0 || k >= static_cast<std::int64_t>(lines) ? 0 : static_cast<std::size_t>(k)]};
        }));
        // (x - s)^2 without x^2, which all shapes share.
        const auto distance = [&](std::size_t shape) {
            const std::int64_t* const own = rows_.data() + shape * (Rank == 0 ? rank_ + 1 : Rank + 1);
            return *own + sum([&](std::size_t j) {
                return Words && is_word(j) ? (at[j] == own[j + 1] ? 0 : far_word) : -twice[j] * own[j + 1];
            });
        };
        const std::uint32_t *k = nearest.data() + from[cell], *const end = nearest.data() + from[cell + 1];
        std::uint32_t best = *k;
        for (std::int64_t least = distance(best); ++k != end;) {  // without branches, as no guess would hold
            const std::uint32_t shape = *k;
            const std::int64_t gap = distance(shape);
            best = gap < least ? shape : best;
            least = gap < least ? gap : least;
        }
        return best;
    }

    [[nodiscard]] bool is_word(std::size_t j) const { return (words_ >> j & 1U) != 0; }

    /// Chooses the lines: one for each half octave that has shapes, fewer of the size that has most until there are no
    /// more than four cells for each shape, 4096 in all, and 2^22 shapes in all lists. Words lose their lines last, all
    /// at once.
    void lay_lines()
    {
        low_.assign(rank_, 0);
        width_.assign(rank_, 1);
        count_.assign(rank_, 1);
        std::vector<std::size_t> span(rank_);
        for (std::size_t j = 0; j < rank_; ++j) {
            std::int64_t least = log(0, j), most = least;
            for (std::size_t k = 1; k < answers_.size(); ++k) {
                least = (std::min)(least, log(k, j));
                most = (std::max)(most, log(k, j));
            }
            if (is_word(j)) {  // the places 1 to the last that was measured, and 0 for all others
                count_[j] = static_cast<std::size_t>(most) + 1;
            } else {
                low_[j] = static_cast<std::size_t>(least >> line_bits);
                count_[j] = span[j] = static_cast<std::size_t>(most >> line_bits) - low_[j] + 1;
            }
        }
        const auto cells = [&] {
            return std::accumulate(count_.begin(), count_.end(), 1.0,
                                   [](double a, std::size_t b) { return a * static_cast<double>(b); });
        };
        const std::size_t n = answers_.size(), most_cells = 4 * std::clamp(n, std::size_t{16}, std::size_t{1024});
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

    /// The slab of size `j` for the line, or word, `k`.
    [[nodiscard]] std::size_t slab(std::size_t j, std::size_t k) const
    {
        if (is_word(j)) return k < count_[j] ? k : 0;  // 0 for all, where there are no lines
        return (std::min)((k < low_[j] ? 0 : k - low_[j]) / width_[j], count_[j] - 1);
    }

    [[nodiscard]] ends ends_of(std::size_t j, std::size_t part) const
    {
        const auto line = [&](std::size_t p) {
            return static_cast<std::int64_t>((low_[j] + p * width_[j]) << line_bits);
        };
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
        const std::int64_t at = log(p, j);
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
                sum += squared(j, std::midpoint(box[j].first, box[j].second), log(k, j));
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
            const auto at = [&](std::int64_t x) { return squared(j, x, log(q, j)) - squared(j, x, log(p, j)); };
            if (is_word(j) && count_[j] == 1) {  // any word: p's own is the best for p
                most += at(log(p, j));
                continue;
            }
            most += (std::max)(at(box[j].first), at(box[j].second));
        }
        return most < 0 || (most == 0 && q < p);
    }

    std::uint32_t words_ = 0;
    std::size_t rank_ = 0;
    std::vector<std::int64_t>
        rows_{};  // for each shape the sum of its squared logarithms, then these and the places of words
    std::vector<std::pair<std::uint32_t, bool>> answers_{};
    std::vector<std::size_t> low_{}, width_{}, count_{};
};

}  // namespace tunekit::dispatch::detail
