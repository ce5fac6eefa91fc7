// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The best few configurations that a search has found.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tunekit/space/concepts.hpp"

namespace tunekit::online::detail {

/// A configuration that ran, with its cost.
struct found {
    double cost = std::numeric_limits<double>::infinity();
    index candidate = 0;

    friend bool operator==(const found&, const found&) = default;
};

/// Those that were measured as often as wanted, for the race, and the two best of all that ran besides the default,
/// however often: one of these is the runner-up. A regular value.
class shortlist {
public:
    explicit shortlist(index untuned) noexcept : untuned_(untuned) {}

    /// Learns a cost; the latest one of a configuration counts.
    void learn(found f) noexcept
    {
        if (!std::isfinite(f.cost) || f.candidate == untuned_) return;
        for (found& t : top_)
            if (t.candidate == f.candidate) t = {};
        if (!std::isfinite(top_[0].cost)) std::swap(top_[0], top_[1]);
        if (f.cost < top_[0].cost) top_[1] = std::exchange(top_[0], f);
        else if (f.cost < top_[1].cost) top_[1] = f;
    }

    /// Keeps it, if it is one of the best `most`.
    void keep(found f, std::size_t most)
    {
        kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), f,
                                      [](const found& a, const found& b) { return a.cost < b.cost; }),
                     f);
        if (kept_.size() > most) kept_.pop_back();
    }

    /// What was kept of `i` costs this after all.
    void correct(index i, double cost) noexcept
    {
        for (found& f : kept_)
            if (f.candidate == i) f.cost = cost;
    }

    /// The best besides the default and `winner`; its cost is +inf if no other ran.
    [[nodiscard]] found other_than(index winner) const noexcept { return top_[top_[0].candidate == winner]; }

    /// The cost of a configuration that is kept or was other_than some winner; +inf of others.
    [[nodiscard]] double cost_of(index i) const noexcept
    {
        for (const found& f : kept_)
            if (f.candidate == i) return f.cost;
        for (const found& t : top_)
            if (t.candidate == i) return t.cost;
        return std::numeric_limits<double>::infinity();
    }

    /// Adds those that are close to `best_cost` to `line`, best first, until it has `most`.
    void line_up(std::vector<index>& line, double best_cost, std::size_t most) const
    {
        constexpr double close = 1.1;
        for (const found& f : kept_)
            if (line.size() < most && f.cost <= close * best_cost &&
                std::find(line.begin(), line.end(), f.candidate) == line.end())
                line.push_back(f.candidate);
    }

    friend bool operator==(const shortlist&, const shortlist&) = default;

private:
    index untuned_;
    std::vector<found> kept_{};  ///< best first
    found top_[2];
};

}  // namespace tunekit::online::detail
