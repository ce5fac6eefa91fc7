// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How a tree of the random forest grows, and what it is then: exact CART splits from histograms of integers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/surrogate/detail/binned.hpp"
#include "tunekit/surrogate/detail/forest/drawn_rows.hpp"
#include "tunekit/surrogate/detail/forest/packed_targets.hpp"
#include "tunekit/surrogate/detail/forest/split_search.hpp"

namespace tunekit::surrogate::detail {

/// A node of a grown tree. A leaf has left == 0; the children of another are left and left + 1.
struct grown_node {
    std::uint32_t feature = 0;
    std::uint32_t low = 0, high = 0;  ///< the slots on both sides of the split
    std::uint32_t left = 0;
    double value = 0;     ///< mean target
    double variance = 0;  ///< population variance of the targets
};

struct grown_tree {
    core::plain_vector<grown_node> nodes;            ///< nodes[0] is the root
    core::plain_vector<std::uint32_t> multiplicity;  ///< times each training row was drawn
};

/// Grows one tree; a fresh one per tree.
class tree_grower {
public:
    tree_grower(const binned& data, const packed_targets& targets, std::span<const double> y,
                const tree_growth_options& limits, random::philox gen)
        : data_(data),
          targets_(targets),
          y_(y),
          limits_(limits),
          rows_(data, targets, limits.bootstrap, gen),
          search_(rows_, targets, limits, gen),
          other_(data.rows)
    {
    }
    tree_grower(const tree_grower&) = delete;
    tree_grower& operator=(const tree_grower&) = delete;

    [[nodiscard]] grown_tree grow()
    {
        const bool histograms = limits_.max_features * 3 >= data_.dimensions;  // else most of one would go unread
        histogram_from_ = histograms ? (std::max)(std::size_t{5}, data_.slots() / 16) : rows_.size() + 1;
        tree_.nodes.reserve(2 * rows_.size() - 1);
        tree_.nodes.push_back({});
        std::uint64_t total = 0;
        for (const auto r : rows_.order) total += rows_.word[r];
        pending_.push_back({.begin = 0, .end = rows_.size(), .node = 0, .depth = 0, .total = total});
        if (has_histogram(rows_.size())) build(0, 0, rows_.size());
        while (!pending_.empty()) {
            const auto next = pending_.back();
            pending_.pop_back();
            split_or_close(next);
        }
        tree_.multiplicity = std::move(rows_.multiplicity);
        return std::move(tree_);
    }

private:
    [[nodiscard]] bool has_histogram(std::size_t rows) const noexcept { return rows >= histogram_from_; }
    [[nodiscard]] std::uint64_t* histogram(std::size_t place)
    {
        if (histograms_.size() < (place + 1) * data_.slots()) histograms_.resize((place + 1) * data_.slots());
        return histograms_.data() + place * data_.slots();
    }

    void build(std::size_t place, std::size_t begin, std::size_t end)
    {
        std::uint64_t* h = histogram(place);
        std::fill_n(h, data_.slots(), std::uint64_t{0});
        rows_.add_to(h, begin, end);
    }

    [[nodiscard]] bool pure(const grown_piece& p) const
    {
        const double first = y_[rows_.order[p.begin]];
        for (std::size_t i = p.begin + 1; i < p.end; ++i)
            if (y_[rows_.order[i]] != first) return false;
        return true;
    }

    // A piece owns the histogram at its place in pending_, so the parent's is at pending_.size() now.
    void split_or_close(const grown_piece& p)
    {
        const bool closed = p.end - p.begin == 1 || (limits_.max_depth != 0 && p.depth == limits_.max_depth) ||
                            targets_.count(p.total) < 2 * limits_.min_leaf || pure(p);
        const std::uint64_t* own = has_histogram(p.end - p.begin) ? histogram(pending_.size()) : nullptr;
        const best_split best = closed ? best_split{} : search_(p, own);
        if (best.ties == 0) {
            close(p);
            return;
        }
        std::uint64_t left_total = 0;
        std::size_t middle = p.begin;
        std::size_t aside = 0;
        data_.visit([&](const auto* slots) {
            std::uint64_t words = 0;
            std::size_t to = p.begin, other = 0;
            for (std::size_t i = p.begin; i < p.end; ++i) {  // stable: rows stay in ascending order
                const auto r = rows_.order[i];
                const bool right = slots[std::size_t{r} * data_.dimensions + best.feature] > best.low;
                rows_.order[to] = r;
                other_[other] = r;
                to += !right;
                other += right;
                words += right ? 0 : rows_.word[r];
            }
            left_total = words;
            middle = to;
            aside = other;
        });
        std::copy_n(other_.begin(), aside, rows_.order.begin() + static_cast<std::ptrdiff_t>(middle));
        auto& node = tree_.nodes[p.node];
        node = {.feature = best.feature,
                .low = best.low,
                .high = best.high,
                .left = static_cast<std::uint32_t>(tree_.nodes.size())};
        const grown_piece left{
            .begin = p.begin, .end = middle, .node = node.left, .depth = p.depth + 1, .total = left_total};
        const grown_piece right{
            .begin = middle, .end = p.end, .node = node.left + 1, .depth = p.depth + 1, .total = p.total - left_total};
        tree_.nodes.resize(tree_.nodes.size() + 2);

        // the larger child takes over the parent's place and histogram; the smaller comes first: the stack stays short
        const bool left_larger = aside <= middle - p.begin;
        const grown_piece& large = left_larger ? left : right;
        const grown_piece& smaller = left_larger ? right : left;
        const std::size_t place = pending_.size();
        if (has_histogram(large.end - large.begin)) {
            if (has_histogram(smaller.end - smaller.begin)) {
                build(place + 1, smaller.begin, smaller.end);
                std::uint64_t* h = histogram(place);
                const std::uint64_t* minus = histogram(place + 1);
                for (std::size_t s = 0; s < data_.slots(); ++s) h[s] -= minus[s];
            } else {
                rows_.take_from(histogram(place), smaller.begin, smaller.end);
            }
        }
        pending_.push_back(large);
        pending_.push_back(smaller);
    }

    void close(const grown_piece& p)
    {
        auto& node = tree_.nodes[p.node];
        const double origin = y_[rows_.order[p.begin]];  // equal targets give exactly themselves
        double weight = 0;
        double first = 0;
        double second = 0;
        for (std::size_t i = p.begin; i < p.end; ++i) {
            const auto w = static_cast<double>(rows_.multiplicity[rows_.order[i]]);
            const double z = y_[rows_.order[i]] - origin;
            weight += w;
            first += w * z;
            second += w * (z * z);
        }
        const double mean = first / weight;
        node.left = 0;
        node.value = origin + mean;
        node.variance = (std::max)(0.0, second / weight - mean * mean);
    }

    const binned& data_;
    const packed_targets& targets_;
    std::span<const double> y_;
    const tree_growth_options& limits_;
    drawn_rows rows_;
    split_search search_;  // of rows_, with what the generator gives after them
    std::size_t histogram_from_ = 0;
    grown_tree tree_;
    core::plain_vector<std::uint32_t> other_;
    core::plain_vector<std::uint64_t> histograms_;
    core::plain_vector<grown_piece> pending_;
};

}  // namespace tunekit::surrogate::detail
