// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Which split of a node of the random forest leaves the least squared error.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tunekit/core/detail/pack.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/surrogate/detail/forest/drawn_rows.hpp"
#include "tunekit/surrogate/detail/forest/packed_targets.hpp"

namespace tunekit::surrogate::detail {

/// How far a tree may grow.
struct tree_growth_options {
    std::size_t max_features = 1;
    std::size_t min_leaf = 1;
    std::size_t max_depth = 0;  ///< 0: none
    bool bootstrap = true;
};

/// A node that is yet to be split or closed.
struct grown_piece {
    std::size_t begin, end;  ///< its places in drawn_rows::order
    std::size_t node;
    std::size_t depth;
    std::uint64_t total;  ///< sum of the words of its rows
};

/// The best split of a node so far: `ties` candidates have that gain.
struct best_split {
    double gain = -1;
    std::uint64_t ties = 0;
    std::uint32_t feature = 0, low = 0, high = 0;
};

/// Searches the splits of the nodes of one tree.
class split_search {
public:
    split_search(const drawn_rows& rows, const packed_targets& targets, const tree_growth_options& limits,
                 const random::philox& gen)
        : rows_(rows),
          targets_(targets),
          limits_(limits),
          gen_(gen),
          d_(rows.data.dimensions),
          prefix_(core::detail::whole_blocks(rows.data.slots()) + core::detail::block_size),
          gain_(prefix_.size())
    {
    }

    /// The best split of a piece; none where `ties` is 0. `histogram`: its words by slot, null where unknown.
    [[nodiscard]] best_split operator()(const grown_piece& p, const std::uint64_t* histogram)
    {
        if (p.end - p.begin == 2) return rows_.data.visit([&](const auto* slots) { return find_of_two(p, slots); });
        const bool whole = histogram != nullptr;
        if (limits_.max_features >= d_ && whole) return find_in_histogram(p, histogram);
        best_split best;
        if (limits_.max_features >= d_) {
            for (std::size_t f = 0; f < d_; ++f) scan(p, f, best);
            return best;
        }
        order_.resize(d_);
        for (std::size_t f = 0; f < d_; ++f) order_[f] = static_cast<std::uint32_t>(f);
        std::size_t seen = 0;
        for (std::size_t k = 0; k < d_ && seen < limits_.max_features; ++k) {  // the draw passes constant features
            std::swap(order_[k], order_[k + random::uniform_index(d_ - k, gen_)]);
            const std::size_t f = order_[k];
            seen += whole ? scan_histogram(p, histogram + rows_.data.first[f], f, best) : scan(p, f, best);
        }
        return best;
    }

private:
    // Two rows: every feature in which they differ separates them equally well.
    template <class Slot>
    [[nodiscard]] best_split find_of_two(const grown_piece& p, const Slot* slots)
    {
        const Slot* a = slots + std::size_t{rows_.order[p.begin]} * d_;
        const Slot* b = slots + std::size_t{rows_.order[p.begin + 1]} * d_;
        std::size_t differ = 0;
        for (std::size_t f = 0; f < d_; ++f) differ += a[f] != b[f];
        const auto times = [&](std::size_t i) { return rows_.multiplicity[rows_.order[i]]; };
        const auto least = (std::min)(times(p.begin), times(p.begin + 1));
        if (differ == 0 || least < limits_.min_leaf) return {};
        std::size_t skip = differ == 1 ? 0 : random::uniform_index(differ, gen_);
        std::size_t f = 0;
        while (a[f] == b[f] || skip-- > 0) ++f;
        return {.gain = 0,
                .ties = 1,
                .feature = static_cast<std::uint32_t>(f),
                .low = (std::min)(a[f], b[f]),
                .high = (std::max)(a[f], b[f])};
    }

    // Ties go to a uniform draw. Returns whether the candidate leads.
    bool leads(double gain, best_split& best)
    {
        if (gain < best.gain) return false;
        if (gain > best.gain) {
            best.gain = gain;
            best.ties = 1;
            return true;
        }
        return random::uniform_index(++best.ties, gen_) == 0;
    }

    void consider(std::uint64_t left, std::uint64_t total, std::size_t f, std::uint32_t low, std::uint32_t high,
                  best_split& best)
    {
        if (targets_.count(left) < limits_.min_leaf || targets_.count(total - left) < limits_.min_leaf) return;
        if (!leads(targets_.gain(left, total - left), best)) return;
        best.feature = static_cast<std::uint32_t>(f);
        best.low = low;
        best.high = high;
    }

    // The scans look at one feature and tell whether it varies. Without a histogram of the piece: one of this feature,
    // unless it has so many more slots than there are rows that sorting them is cheaper.
    bool scan(const grown_piece& p, std::size_t f, best_split& best)
    {
        const std::uint32_t first = rows_.data.first[f];
        const std::size_t slots = rows_.data.first[f + 1] - first;
        if (slots == 1) return false;
        if (slots > 4 * (p.end - p.begin)) return scan_sorted(p, f, best);
        own_.assign(4 * slots, 0);  // of a slot four sums by turns: an addition waits for the one before
        std::uint64_t* h = own_.data();
        rows_.data.visit([&, order = rows_.order.data(), word = rows_.word.data(), d = d_, end = p.end](const auto* s) {
            for (std::size_t i = p.begin; i < end; ++i)
                h[4 * (std::size_t{s[order[i] * d + f]} - first) + i % 4] += word[order[i]];
        });
        for (std::size_t k = 0; k < slots; ++k) h[k] = h[4 * k] + h[4 * k + 1] + h[4 * k + 2] + h[4 * k + 3];
        return scan_histogram(p, h, f, best);
    }

    // `h`, here and below: the words of the slots of feature f.
    bool scan_histogram(const grown_piece& p, const std::uint64_t* h, std::size_t f, best_split& best)
    {
        add_up(h, f);
        judge(p.total, rows_.data.first[f], rows_.data.first[f + 1]);
        return choose(p, h, f, best);
    }

    bool scan_sorted(const grown_piece& p, std::size_t f, best_split& best)
    {
        keys_.clear();
        rows_.data.visit([&](const auto* slots) {
            for (std::size_t i = p.begin; i < p.end; ++i)
                keys_.push_back(std::uint64_t{slots[std::size_t{rows_.order[i]} * d_ + f]} << 32 | rows_.order[i]);
        });
        if (keys_.size() > 16) {
            std::sort(keys_.begin(), keys_.end());
        } else {
            for (std::size_t i = 1; i < keys_.size(); ++i) {
                const auto key = keys_[i];
                std::size_t j = i;
                for (; j > 0 && keys_[j - 1] > key; --j) keys_[j] = keys_[j - 1];
                keys_[j] = key;
            }
        }
        if (keys_.front() >> 32 == keys_.back() >> 32) return false;
        std::uint64_t left = 0;
        for (std::size_t i = 0; i + 1 < keys_.size(); ++i) {
            left += rows_.word[keys_[i] & 0xffffffffU];
            const auto low = static_cast<std::uint32_t>(keys_[i] >> 32);
            const auto high = static_cast<std::uint32_t>(keys_[i + 1] >> 32);
            if (low != high) consider(left, p.total, f, low, high, best);
        }
        return true;
    }

    // All features at once: the arithmetic in one loop without branches, the choice in another.
    [[nodiscard]] best_split find_in_histogram(const grown_piece& p, const std::uint64_t* h)
    {
        best_split best;
        for (std::size_t f = 0; f < d_; ++f) add_up(h + rows_.data.first[f], f);
        judge(p.total, 0, rows_.data.slots());
        for (std::size_t f = 0; f < d_; ++f) choose(p, h + rows_.data.first[f], f, best);
        return best;
    }

    // The words left of the split behind each slot of feature f.
    void add_up(const std::uint64_t* h, std::size_t f)
    {
        std::uint64_t left = 0;
        for (std::uint32_t s = rows_.data.first[f]; s < rows_.data.first[f + 1]; ++s) prefix_[s] = left += *h++;
    }

    // The gain of each split, as packed_targets::gain has it; a side without rows adds nothing.
    void judge(std::uint64_t total, std::size_t begin, std::size_t end)
    {
        using core::detail::pack, core::detail::pack_bits;
        const auto number = [](const pack_bits& x) {
            return core::detail::from_bits(x | core::detail::to_bits(0x1p52)) - 0x1p52;
        };
        const unsigned bits = targets_.count_bits;
        const std::uint64_t mask = targets_.count(~std::uint64_t{0});
        for (std::size_t s = begin; s < end; s += core::detail::pack_size) {
            pack_bits left;
            core::detail::load(left, prefix_.data() + s);
            const pack_bits right = total - left;
            const pack sl = number(left >> bits), sr = number(right >> bits);
            const pack nl = number(left & mask), nr = number(right & mask), one = pack{} + 1.0;
            core::detail::store(sl * sl / (nl == 0 ? one : nl) + sr * sr / (nr == 0 ? one : nr), gain_.data() + s);
        }
    }

    // Tells whether there was a choice.
    bool choose(const grown_piece& p, const std::uint64_t* h, std::size_t f, best_split& best)
    {
        bool varies = false;
        for (std::uint32_t s = rows_.data.first[f]; s < rows_.data.first[f + 1]; ++s, ++h) {
            if (*h == 0 || prefix_[s] == p.total) continue;
            varies = true;
            if (gain_[s] < best.gain || targets_.count(prefix_[s]) < limits_.min_leaf ||
                targets_.count(p.total - prefix_[s]) < limits_.min_leaf || !leads(gain_[s], best))
                continue;
            best.feature = static_cast<std::uint32_t>(f);
            best.low = s;
            best.high = s + 1;
            while (h[best.high - s] == 0) ++best.high;
        }
        return varies;
    }

    const drawn_rows& rows_;
    const packed_targets& targets_;
    const tree_growth_options& limits_;
    random::philox gen_;
    std::size_t d_;
    core::plain_vector<std::uint32_t> order_;
    core::plain_vector<std::uint64_t> prefix_, own_, keys_;
    core::plain_vector<double> gain_;
};

}  // namespace tunekit::surrogate::detail
