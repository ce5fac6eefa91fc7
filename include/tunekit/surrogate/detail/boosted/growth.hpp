// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How a tree of the boosted model grows: Newton steps from histograms of integers.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/surrogate/detail/binned.hpp"
#include "tunekit/surrogate/detail/boosted/newton_search.hpp"
#include "tunekit/surrogate/detail/boosted/walk.hpp"

namespace tunekit::surrogate::detail {

/// Grows the trees of one model, on a fixed set of rows.
template <class Slot>
class boosted_grower {
public:
    boosted_grower(const binned& data, const Slot* slots, std::span<const std::uint32_t> rows,
                   const boosted_growth_options& limits)
        : data_(data),
          slots_(slots),
          all_(rows),
          limits_(limits),
          search_(data, limits),
          rows_(rows.size()),
          other_(rows.size()),
          sums_(data.rows),
          histograms_(data.slots() * (limits.depth + 1))
    {
        // features whose histograms stay in the first cache together
        constexpr std::size_t room = 1024;
        group_.push_back(0);
        for (std::size_t f = 1; f < data.dimensions; ++f)
            if (data.first[f + 1] - data.first[group_.back()] > room) group_.push_back(f);
        group_.push_back(data.dimensions);
        if (group_.size() == 2) return;
        tiles_.resize(data.rows * data.dimensions);
        for (std::size_t k = 0; k + 1 < group_.size(); ++k)
            for (const auto r : all_)
                std::copy(slots + std::size_t{r} * data.dimensions + group_[k],
                          slots + std::size_t{r} * data.dimensions + group_[k + 1], tile(k, r));
    }

    /// Appends one tree for gradients g and hessians h >= 0 (one per row of the data; those of other rows are not read)
    /// and adds its leaf to the margin of each of its rows.
    void grow(std::span<const double> g, std::span<const double> h, boosted_ensemble& out, std::span<float> margin)
    {
        read(g, h);
        const std::size_t splits = out.splits();
        tree_ = &out;
        split_at_ = out.trees * splits;
        leaf_at_ = out.trees * out.leaves();
        ++out.trees;
        out.feature.resize(out.feature.size() + splits, 0);
        out.threshold.resize(out.threshold.size() + splits, std::numeric_limits<float>::infinity());
        out.leaf.resize(out.leaf.size() + out.leaves(), 0);
        newton_sums total;
        for (const auto r : rows_) total += sums_[r];
        build(0, 0, rows_.size());
        pending_.clear();
        grow_from({.node = 0, .level = 0, .place = 0, .begin = 0, .end = rows_.size(), .total = total});
        for (const auto& leaf : pending_)
            for (std::size_t i = leaf.begin; i < leaf.end; ++i) margin[rows_[i]] += leaf.value;
    }

private:
    struct piece {
        std::size_t node;  // in the complete tree
        std::size_t level;
        std::size_t place;  // of its histogram
        std::size_t begin, end;
        newton_sums total;
    };

    struct closed {
        std::size_t begin, end;
        float value;
    };

    // Rounds to multiples of a power of two whose sums over all rows stay below 2^51, what a double holds and converts
    // fast.
    void read(std::span<const double> g, std::span<const double> h)
    {
        std::copy(all_.begin(), all_.end(), rows_.begin());
        double most_g = 0;
        double most_h = 0;
        for (const auto r : rows_) {
            most_g = (std::max)(most_g, std::abs(g[r]));
            most_h = (std::max)(most_h, h[r]);
        }
        const int room = 50 - static_cast<int>(std::bit_width(rows_.size()));
        const auto scale = [&](double most) {
            return most > 0 ? std::ldexp(1.0, (std::min)(room - std::ilogb(most), 1000)) : 1.0;
        };
        const double scale_g = scale(most_g);
        const double scale_h = scale(most_h);
        search_.units(1 / scale_g, 1 / scale_h);
        for (const auto r : rows_)
            sums_[r] = {.g = static_cast<std::int64_t>(g[r] * scale_g), .h = static_cast<std::int64_t>(h[r] * scale_h)};
    }

    [[nodiscard]] newton_sums* histogram(std::size_t place) noexcept
    {
        return histograms_.data() + place * data_.slots();
    }

    /// Where the slots of row r and group k begin in `tiles_`.
    [[nodiscard]] Slot* tile(std::size_t k, std::size_t r) noexcept
    {
        return tiles_.data() + data_.rows * group_[k] + r * (group_[k + 1] - group_[k]);
    }

    // Not inlined: within the loop over rounds g++ 12 keeps what the inner loop needs in memory.
    [[gnu::noinline]] void add_rows(newton_sums* histogram, std::size_t begin, std::size_t end, const Slot* slots,
                                    std::size_t width) const
    {
        for (std::size_t i = begin; i < end; ++i) {
            const newton_sums s = sums_[rows_[i]];
            const Slot* slot = slots + std::size_t{rows_[i]} * width;
            std::size_t f = 0;
            for (; f + 4 <= width; f += 4) {
                histogram[slot[f]] += s;
                histogram[slot[f + 1]] += s;
                histogram[slot[f + 2]] += s;
                histogram[slot[f + 3]] += s;
            }
            for (; f < width; ++f) histogram[slot[f]] += s;
        }
    }

    void build(std::size_t place, std::size_t begin, std::size_t end)
    {
        newton_sums* h = histogram(place);
        std::fill_n(h, data_.slots(), newton_sums{});
        for (std::size_t k = 0; k + 1 < group_.size(); ++k)
            add_rows(h, begin, end, tiles_.empty() ? slots_ : tile(k, 0), group_[k + 1] - group_[k]);
    }

    // Returns whether the node ended as a leaf.
    bool grow_from(const piece& p)
    {
        const newton_split best = p.level == limits_.depth ? newton_split{} : search_(histogram(p.place), p.total);
        if (!best.found) return close(p);
        std::size_t middle = p.begin;
        std::size_t aside = 0;
        for (std::size_t i = p.begin; i < p.end; ++i) {
            const auto r = rows_[i];
            const bool right = slots_[std::size_t{r} * data_.dimensions + best.feature] > best.low;
            rows_[middle] = r;
            other_[aside] = r;
            middle += !right;
            aside += right;
        }
        std::copy_n(other_.begin(), aside, rows_.begin() + static_cast<std::ptrdiff_t>(middle));
        piece left = p, right = p;
        left.node = 2 * p.node + 1;
        right.node = 2 * p.node + 2;
        ++left.level;
        ++right.level;
        left.end = right.begin = middle;
        left.total = best.left;
        right.total -= best.left;
        const bool left_larger = aside <= middle - p.begin;
        const piece& large = left_larger ? left : right;
        piece& smaller = left_larger ? right : left;
        smaller.place = p.place + 1;

        // the next bin that holds a row of this node: the histogram is about to change
        std::uint32_t high = best.low + 1;
        const newton_sums* own = histogram(p.place);
        while (high + 1 < data_.first[best.feature + 1] && own[high].g == 0 && own[high].h == 0) ++high;
        tree_->feature[split_at_ + p.node] = static_cast<std::uint32_t>(best.feature);
        tree_->threshold[split_at_ + p.node] = data_.threshold(best.low, high);

        if (large.level < limits_.depth) {  // the larger child takes over the parent's histogram
            build(smaller.place, smaller.begin, smaller.end);
            newton_sums* h = histogram(p.place);
            const newton_sums* minus = histogram(smaller.place);
            for (std::size_t s = 0; s < data_.slots(); ++s) h[s] -= minus[s];
        }
        const std::size_t first_leaf = pending_.size();
        const bool small_closed = grow_from(smaller);
        const bool large_closed = grow_from(large);
        if (!small_closed || !large_closed || best.gain >= limits_.gamma) return false;
        pending_.resize(first_leaf);  // pruned: not worth gamma
        tree_->feature[split_at_ + p.node] = 0;
        tree_->threshold[split_at_ + p.node] = std::numeric_limits<float>::infinity();
        return close(p);
    }

    bool close(const piece& p)
    {
        const double weight = search_.hessian(p.total.h) + limits_.lambda;
        const auto value = static_cast<float>(weight > 0 ? -limits_.eta * search_.gradient(p.total.g) / weight : 0.0);
        std::size_t first = p.node;
        std::size_t last = p.node;
        for (std::size_t level = p.level; level < limits_.depth; ++level) {
            first = 2 * first + 1;
            last = 2 * last + 2;
        }
        for (std::size_t i = first; i <= last; ++i) tree_->leaf[leaf_at_ + i - tree_->splits()] = value;
        pending_.push_back({.begin = p.begin, .end = p.end, .value = value});
        return true;
    }

    const binned& data_;
    const Slot* slots_;
    std::span<const std::uint32_t> all_;
    const boosted_growth_options& limits_;
    newton_search search_;
    std::vector<std::uint32_t> rows_, other_;
    std::vector<newton_sums> sums_, histograms_;
    std::vector<std::size_t> group_;
    std::vector<Slot>
        tiles_;  // the slots of a group's features, row after row, group after group; empty where there is one
    std::vector<closed> pending_;
    boosted_ensemble* tree_ = nullptr;
    std::size_t split_at_ = 0, leaf_at_ = 0;
};

}  // namespace tunekit::surrogate::detail
