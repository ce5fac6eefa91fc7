// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How a tree of the random forest grows: exact CART splits from histograms of integers.

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/surrogate/binned.hpp"

namespace tunekit::surrogate::detail {

/// Targets for choosing splits, rounded to integers so that their sums are exact in any order. One word per row:
/// the target in the high bits, the weight in the low `count_bits`; words add without carrying into each other.
struct packed_targets {
    unsigned count_bits = 0;
    std::vector<std::uint64_t> word;  ///< of weight 1; times w for weight w

    static constexpr std::size_t max_rows = (std::size_t{1} << 20) - 1;  ///< leaves 24 bits to a target

    /// Precondition: y finite, not empty, its range finite, at most max_rows.
    explicit packed_targets(std::span<const double> y) : word(y.size())
    {
        count_bits = static_cast<unsigned>(std::bit_width(y.size()));
        const auto [low, high] = std::minmax_element(y.begin(), y.end());
        const double range = *high - *low;
        // weights that sum to n times targets below 2^bits sum below 2^52, what a double holds exactly, and fit a word
        const unsigned bits = (std::min)(52U, 64U - count_bits) - count_bits;
        const auto scale = static_cast<double>((std::uint64_t{1} << bits) - 1);
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double t = range > 0 ? (y[i] - *low) / range : 0;
            word[i] = static_cast<std::uint64_t>(t * scale) << count_bits | 1;
        }
    }

    [[nodiscard]] std::uint64_t count(std::uint64_t w) const noexcept { return w & ((std::uint64_t{1} << count_bits) - 1); }
    [[nodiscard]] double sum(std::uint64_t w) const noexcept
    {
        // an integer below 2^52 becomes a double through its bits, which vectorises where a conversion does not
        return std::bit_cast<double>((w >> count_bits) | 0x4330000000000000U) - 0x1p52;
    }

    /// What a split is judged by, more is better: sum^2 / count of both sides. Minimising the squared error is maximising it.
    [[nodiscard]] double gain(std::uint64_t left, std::uint64_t right) const noexcept
    {
        const double sl = sum(left);
        const double sr = sum(right);
        const auto nl = static_cast<double>(static_cast<std::int32_t>(count(left)));
        const auto nr = static_cast<double>(static_cast<std::int32_t>(count(right)));
        return sl * sl / nl + sr * sr / nr;
    }
};

/// A node of a grown tree. A leaf has left == 0; the children of another are left and left + 1.
struct grown_node {
    std::uint32_t feature = 0;
    std::uint32_t low = 0, high = 0;  ///< the slots on both sides of the split
    std::uint32_t left = 0;
    double value = 0;                 ///< mean target
    double variance = 0;              ///< population variance of the targets
};

struct grown_tree {
    std::vector<grown_node> nodes;           ///< nodes[0] is the root
    std::vector<std::uint32_t> multiplicity;  ///< times each training row was drawn
};

struct growth_limits {
    std::size_t max_features = 1;
    std::size_t min_leaf = 1;
    std::size_t max_depth = 0;  ///< 0: none
    bool bootstrap = true;
};

/// Grows one tree; a fresh one per tree. `Slot` is the type of the slots of `binned`.
template <class Slot>
class tree_grower {
public:
    tree_grower(const binned& data, const Slot* slots, const packed_targets& targets, std::span<const double> y,
                const growth_limits& limits, random::philox gen)
        : data_(data), slots_(slots), targets_(targets), y_(y), limits_(limits), gen_(gen), d_(data.dimensions)
    {
    }

    [[nodiscard]] grown_tree grow()
    {
        draw_rows();
        const bool histograms = limits_.max_features * 3 >= d_;  // else most of a histogram would go unread
        histogram_from_ = histograms ? (std::max)(std::size_t{5}, data_.slots() / 16) : rows_.size() + 1;
        prefix_.resize(data_.slots());
        gain_.resize(data_.slots());
        tree_.nodes.emplace_back();
        std::uint64_t total = 0;
        for (const auto r : rows_) total += word_[r];
        pending_.push_back({.begin = 0, .end = rows_.size(), .node = 0, .depth = 0, .total = total});
        if (has_histogram(rows_.size())) build(0, 0, rows_.size());
        while (!pending_.empty()) {
            const auto next = pending_.back();
            pending_.pop_back();
            split_or_close(next);
        }
        return std::move(tree_);
    }

private:
    struct piece {
        std::size_t begin, end;  // its rows in rows_
        std::size_t node;
        std::size_t depth;
        std::uint64_t total;     // sum of the words of its rows
    };

    struct best_split {
        double gain = -1;
        std::uint64_t ties = 0;
        std::uint32_t feature = 0, low = 0, high = 0;
    };

    void draw_rows()
    {
        const std::size_t n = data_.rows;
        tree_.multiplicity.assign(n, limits_.bootstrap ? 0 : 1);
        if (limits_.bootstrap)
            for (std::size_t i = 0; i < n; ++i) ++tree_.multiplicity[random::uniform_index(n, gen_)];
        word_.resize(n);
        rows_.resize(n);
        other_.resize(n);
        std::size_t m = 0;
        for (std::size_t i = 0; i < n; ++i) {
            word_[i] = targets_.word[i] * tree_.multiplicity[i];
            rows_[m] = static_cast<std::uint32_t>(i);
            m += tree_.multiplicity[i] > 0;
        }
        rows_.resize(m);
    }

    [[nodiscard]] bool has_histogram(std::size_t rows) const noexcept { return rows >= histogram_from_; }
    [[nodiscard]] const Slot* row(std::size_t i) const noexcept { return slots_ + std::size_t{rows_[i]} * d_; }
    [[nodiscard]] std::uint64_t* histogram(std::size_t place)
    {
        if (histograms_.size() < (place + 1) * data_.slots()) histograms_.resize((place + 1) * data_.slots());
        return histograms_.data() + place * data_.slots();
    }

    void build(std::size_t place, std::size_t begin, std::size_t end)
    {
        std::uint64_t* h = histogram(place);
        std::fill_n(h, data_.slots(), std::uint64_t{0});
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t w = word_[rows_[i]];
            const Slot* s = row(i);
            for (std::size_t f = 0; f < d_; ++f) h[s[f]] += w;
        }
    }

    // The histogram of `place` loses the rows [begin, end).
    void take_away(std::size_t place, std::size_t begin, std::size_t end)
    {
        std::uint64_t* h = histogram(place);
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t w = word_[rows_[i]];
            const Slot* s = row(i);
            for (std::size_t f = 0; f < d_; ++f) h[s[f]] -= w;
        }
    }

    [[nodiscard]] bool pure(const piece& p) const
    {
        const double first = y_[rows_[p.begin]];
        for (std::size_t i = p.begin + 1; i < p.end; ++i)
            if (y_[rows_[i]] != first) return false;
        return true;
    }

    // A piece owns the histogram at its place in pending_, so the parent's is at pending_.size() now.
    void split_or_close(const piece& p)
    {
        const bool closed = p.end - p.begin == 1 || (limits_.max_depth != 0 && p.depth == limits_.max_depth) ||
                            targets_.count(p.total) < 2 * limits_.min_leaf || pure(p);
        const best_split best = closed ? best_split{} : find(p);
        if (best.ties == 0) {
            close(p);
            return;
        }
        std::uint64_t left_total = 0;
        std::size_t middle = p.begin;
        std::size_t aside = 0;
        for (std::size_t i = p.begin; i < p.end; ++i) {  // stable: rows stay in ascending order
            const auto r = rows_[i];
            const bool right = slots_[std::size_t{r} * d_ + best.feature] > best.low;
            rows_[middle] = r;
            other_[aside] = r;
            middle += !right;
            aside += right;
            left_total += right ? 0 : word_[r];
        }
        std::copy_n(other_.begin(), aside, rows_.begin() + static_cast<std::ptrdiff_t>(middle));
        auto& node = tree_.nodes[p.node];
        node = {.feature = best.feature, .low = best.low, .high = best.high,
                .left = static_cast<std::uint32_t>(tree_.nodes.size())};
        const piece left{.begin = p.begin, .end = middle, .node = node.left, .depth = p.depth + 1, .total = left_total};
        const piece right{.begin = middle, .end = p.end, .node = node.left + 1, .depth = p.depth + 1, .total = p.total - left_total};
        tree_.nodes.resize(tree_.nodes.size() + 2);

        // the larger child takes over the parent's place and histogram; the smaller comes first: the stack stays short
        const bool left_larger = aside <= middle - p.begin;
        const piece& large = left_larger ? left : right;
        const piece& smaller = left_larger ? right : left;
        const std::size_t place = pending_.size();
        if (has_histogram(large.end - large.begin)) {
            if (has_histogram(smaller.end - smaller.begin)) {
                build(place + 1, smaller.begin, smaller.end);
                std::uint64_t* h = histogram(place);
                const std::uint64_t* minus = histogram(place + 1);
                for (std::size_t s = 0; s < data_.slots(); ++s) h[s] -= minus[s];
            } else {
                take_away(place, smaller.begin, smaller.end);
            }
        }
        pending_.push_back(large);
        pending_.push_back(smaller);
    }

    void close(const piece& p)
    {
        auto& node = tree_.nodes[p.node];
        const double origin = y_[rows_[p.begin]];  // equal targets give exactly themselves
        double weight = 0;
        double first = 0;
        double second = 0;
        for (std::size_t i = p.begin; i < p.end; ++i) {
            const auto w = static_cast<double>(tree_.multiplicity[rows_[i]]);
            const double z = y_[rows_[i]] - origin;
            weight += w;
            first += w * z;
            second += w * (z * z);
        }
        const double mean = first / weight;
        node.left = 0;
        node.value = origin + mean;
        node.variance = (std::max)(0.0, second / weight - mean * mean);
    }

    [[nodiscard]] best_split find(const piece& p)
    {
        if (p.end - p.begin == 2) return find_of_two(p);
        const bool whole = has_histogram(p.end - p.begin);
        if (limits_.max_features >= d_ && whole) return find_in_histogram(p);
        best_split best;
        if (limits_.max_features >= d_) {
            for (std::size_t f = 0; f < d_; ++f) scan_sorted(p, f, best);
            return best;
        }
        order_.resize(d_);
        for (std::size_t f = 0; f < d_; ++f) order_[f] = static_cast<std::uint32_t>(f);
        std::size_t seen = 0;
        for (std::size_t k = 0; k < d_ && seen < limits_.max_features; ++k) {  // the draw goes on past constant features
            std::swap(order_[k], order_[k + random::uniform_index(d_ - k, gen_)]);
            const std::size_t f = order_[k];
            seen += whole ? scan_histogram(p, f, best) : scan_sorted(p, f, best);
        }
        return best;
    }

    // Two rows: every feature in which they differ separates them equally well.
    [[nodiscard]] best_split find_of_two(const piece& p)
    {
        const Slot* a = row(p.begin);
        const Slot* b = row(p.begin + 1);
        std::size_t differ = 0;
        for (std::size_t f = 0; f < d_; ++f) differ += a[f] != b[f];
        const auto least = (std::min)(tree_.multiplicity[rows_[p.begin]], tree_.multiplicity[rows_[p.begin + 1]]);
        if (differ == 0 || least < limits_.min_leaf) return {};
        std::size_t skip = differ == 1 ? 0 : random::uniform_index(differ, gen_);
        std::size_t f = 0;
        while (a[f] == b[f] || skip-- > 0) ++f;
        return {.gain = 0, .ties = 1, .feature = static_cast<std::uint32_t>(f),
                .low = (std::min)(a[f], b[f]), .high = (std::max)(a[f], b[f])};
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

    void consider(std::uint64_t left, std::uint64_t total, std::size_t f, std::uint32_t low, std::uint32_t high, best_split& best)
    {
        if (targets_.count(left) < limits_.min_leaf || targets_.count(total - left) < limits_.min_leaf) return;
        if (!leads(targets_.gain(left, total - left), best)) return;
        best.feature = static_cast<std::uint32_t>(f);
        best.low = low;
        best.high = high;
    }

    // Both scans look at one feature and tell whether it varies.
    bool scan_histogram(const piece& p, std::size_t f, best_split& best)
    {
        const std::uint64_t* h = histogram(pending_.size());
        std::uint64_t left = 0;
        std::uint32_t low = 0;
        bool varies = false;
        for (std::uint32_t s = data_.first[f]; s < data_.first[f + 1]; ++s) {
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

    bool scan_sorted(const piece& p, std::size_t f, best_split& best)
    {
        keys_.clear();
        for (std::size_t i = p.begin; i < p.end; ++i)
            keys_.push_back(std::uint64_t{slots_[std::size_t{rows_[i]} * d_ + f]} << 32 | rows_[i]);
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
            left += word_[keys_[i] & 0xffffffffU];
            const auto low = static_cast<std::uint32_t>(keys_[i] >> 32);
            const auto high = static_cast<std::uint32_t>(keys_[i + 1] >> 32);
            if (low != high) consider(left, p.total, f, low, high, best);
        }
        return true;
    }

    // All features at once: the arithmetic in one loop without branches, the choice in another.
    [[nodiscard]] best_split find_in_histogram(const piece& p)
    {
        const std::uint64_t* h = histogram(pending_.size());
        const std::size_t slots = data_.slots();
        for (std::size_t f = 0; f < d_; ++f) {
            std::uint64_t left = 0;
            for (std::uint32_t s = data_.first[f]; s < data_.first[f + 1]; ++s) prefix_[s] = left += h[s];
        }
        const packed_targets& t = targets_;
        const auto least = static_cast<std::uint64_t>(limits_.min_leaf);
        const std::uint64_t total = p.total;
        const std::uint64_t* prefix = prefix_.data();
        double* gain = gain_.data();
        const unsigned bits = t.count_bits;
        const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
        constexpr std::uint64_t magic = 0x4330000000000000U;
        for (std::size_t s = 0; s < slots; ++s) {  // packed_targets::gain, with counts through their bits too
            const std::uint64_t l = prefix[s];
            const std::uint64_t r = total - l;
            const double sl = std::bit_cast<double>(l >> bits | magic) - 0x1p52;
            const double sr = std::bit_cast<double>(r >> bits | magic) - 0x1p52;
            const double nl = std::bit_cast<double>((l & mask) | magic) - 0x1p52;
            const double nr = std::bit_cast<double>((r & mask) | magic) - 0x1p52;
            const double safe_l = nl + (nl == 0 ? 1.0 : 0.0);
            const double safe_r = nr + (nr == 0 ? 1.0 : 0.0);
            gain[s] = sl * sl / safe_l + sr * sr / safe_r;
        }
        best_split best;
        for (std::size_t f = 0; f < d_; ++f) {
            for (std::uint32_t s = data_.first[f]; s + 1 < data_.first[f + 1]; ++s) {
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

    const binned& data_;
    const Slot* slots_;
    const packed_targets& targets_;
    std::span<const double> y_;
    const growth_limits& limits_;
    random::philox gen_;
    std::size_t d_;
    std::size_t histogram_from_ = 0;
    grown_tree tree_;
    std::vector<std::uint32_t> rows_, other_, order_;
    std::vector<std::uint64_t> word_, histograms_, prefix_, keys_;
    std::vector<double> gain_;
    std::vector<piece> pending_;
};

}  // namespace tunekit::surrogate::detail
