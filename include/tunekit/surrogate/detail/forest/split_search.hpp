// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Which split of a node of the random forest leaves the least squared error.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

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
          prefix_(rows.data.slots()),
          own_(rows.data.slots()),
          gain_(rows.data.slots())
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
            seen += whole ? scan_histogram(p, histogram, f, best) : scan(p, f, best);
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
        std::uint64_t* h = own_.data();
        std::fill_n(h + first, slots, std::uint64_t{0});
        rows_.data.visit([&, to = h](const auto* s) {
            for (std::size_t i = p.begin; i < p.end; ++i)
                to[s[std::size_t{rows_.order[i]} * d_ + f]] += rows_.word[rows_.order[i]];
        });
        return scan_histogram(p, h, f, best);
    }

    bool scan_histogram(const grown_piece& p, const std::uint64_t* h, std::size_t f, best_split& best)
    {
        std::uint64_t left = 0;
        std::uint32_t low = 0;
        bool varies = false;
        for (std::uint32_t s = rows_.data.first[f]; s < rows_.data.first[f + 1]; ++s) {
            if (h[s] == 0) continue;
            if (left != 0) {
                varies = true;
                consider(left, p.total, f, low, s, best);
            }
            left += h[s];
            low = s;
        }
        return varies;
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
        const std::size_t slots = rows_.data.slots();
        for (std::size_t f = 0; f < d_; ++f) {
            std::uint64_t left = 0;
            for (std::uint32_t s = rows_.data.first[f]; s < rows_.data.first[f + 1]; ++s) prefix_[s] = left += h[s];
        }
        const packed_targets& t = targets_;
        const auto least = static_cast<std::uint64_t>(limits_.min_leaf);
        const std::uint64_t total = p.total;
        const std::uint64_t* prefix = prefix_.data();
        double* gain = gain_.data();
        const unsigned bits = t.count_bits;
        const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
        for (std::size_t s = 0; s < slots; ++s) {  // packed_targets::gain, with counts through their bits too
            const std::uint64_t l = prefix[s];
            const std::uint64_t r = total - l;
            const double sl = packed_targets::to_double(l >> bits);
            const double sr = packed_targets::to_double(r >> bits);
            const double nl = packed_targets::to_double(l & mask);
            const double nr = packed_targets::to_double(r & mask);
            const double safe_l = nl + (nl == 0 ? 1.0 : 0.0);
            const double safe_r = nr + (nr == 0 ? 1.0 : 0.0);
            gain[s] = sl * sl / safe_l + sr * sr / safe_r;
        }
        best_split best;
        for (std::size_t f = 0; f < d_; ++f) {
            for (std::uint32_t s = rows_.data.first[f]; s + 1 < rows_.data.first[f + 1]; ++s) {
                if (gain[s] < best.gain || h[s] == 0) continue;
                if (t.count(prefix[s]) < least || t.count(total - prefix[s]) < least) continue;
                if (!leads(gain[s], best)) continue;
                best.feature = static_cast<std::uint32_t>(f);
                best.low = s;
            }
        }
        if (best.ties == 0) return best;
        best.high = best.low + 1;
        while (h[best.high] == 0) ++best.high;
        return best;
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
