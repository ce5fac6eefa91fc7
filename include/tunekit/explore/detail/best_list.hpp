// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The best configurations an explorer has come across.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/explore/concepts.hpp"

namespace tunekit::explore::detail {

/// Keeps the `n` distinct configurations of highest score outside `visited`, which must outlive it.
/// Cost: O(1) for what is not good enough, else O(n).
class best_list {
public:
    best_list(std::size_t n, const space::index_set& visited) : most_(n), visited_(&visited) { kept_.reserve(n); }

    /// Offers a configuration; true where it was taken in. One of equal score displaces nobody, and one whose score is
    /// NaN is never taken: it has no place in an order.
    bool offer(index which, double score)
    {
        if (score != score) return false;
        if (kept_.size() == most_ && !(most_ > 0 && score > kept_.front().score)) return false;
        if (visited_->contains(which)) return false;
        for (const entry& e : kept_)
            if (e.candidate == which) return false;
        if (kept_.size() == most_) {
            std::pop_heap(kept_.begin(), kept_.end(), better);
            kept_.pop_back();
        }
        kept_.push_back({which, score});
        std::push_heap(kept_.begin(), kept_.end(), better);
        return true;
    }

    /// What was kept, best first (ties: lower index), with the predictions of `s`.
    template <scorer Scorer>
    [[nodiscard]] std::vector<scored_candidate> candidates(const Scorer& s) const
    {
        std::vector<entry> sorted = kept_;
        std::sort(sorted.begin(), sorted.end(), better);
        std::vector<index> which;
        for (const entry& e : sorted) which.push_back(e.candidate);
        std::vector<stats::prediction> predicted(which.size());
        s.predict(which, predicted);
        std::vector<scored_candidate> out;
        for (std::size_t i = 0; i < which.size(); ++i) out.push_back({which[i], sorted[i].score, predicted[i]});
        return out;
    }

private:
    struct entry {
        index candidate = 0;
        double score = 0;
    };
    static bool better(const entry& a, const entry& b)
    {
        return a.score != b.score ? a.score > b.score : a.candidate < b.candidate;
    }

    std::size_t most_;
    const space::index_set* visited_;
    std::vector<entry> kept_;  // a heap whose front is the worst
};

}  // namespace tunekit::explore::detail
