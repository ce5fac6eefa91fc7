// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What was proposed and what came of it, and the part of it that a model sees.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/lowest.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::search::detail {

/// Configurations in the order in which they were proposed, with the logarithm of their costs. A regular value.
class past {
public:
    static constexpr double failure = std::numeric_limits<double>::infinity();

    [[nodiscard]] std::size_t size() const noexcept { return which_.size(); }
    [[nodiscard]] std::size_t answered() const noexcept { return which_.size() - out_.size(); }
    [[nodiscard]] index at(std::size_t k) const { return which_[k]; }
    /// ln of the cost, `failure` where it failed; not meaningful where it is out.
    [[nodiscard]] double log_cost(std::size_t k) const { return log_costs_[k]; }
    /// Whether the k-th has no answer yet. Cost O(those out).
    [[nodiscard]] bool out(std::size_t k) const { return std::find(out_.begin(), out_.end(), k) != out_.end(); }
    [[nodiscard]] std::size_t out() const noexcept { return out_.size(); }

    /// Adds a proposal; returns its position.
    std::size_t propose(index i);
    /// The position of `i`, which is answered now; one that was not proposed here is added.
    std::size_t answer(index i, double log_cost);

    /// Replaces the answer at position k.
    void retell(std::size_t k, double log_cost) { log_costs_[k] = log_cost; }

    friend bool operator==(const past&, const past&) = default;

private:
    core::plain_vector<index> which_;
    core::plain_vector<double> log_costs_;
    core::plain_vector<std::size_t> out_;  ///< positions without an answer
};

/// The positions of a past that a model sees, in the order in which it learns of them. A regular value.
struct window {
    core::plain_vector<std::size_t> rows;

    /// Keeps three quarters of `most` rows once there are more than `most`: the latest quarter, and the best of the
    /// others, where what is out counts as a failure. Cost O(rows log rows), once in `most` / 4 added.
    void trim(const past& all, std::size_t most);

    friend bool operator==(const window&, const window&) = default;
};

}  // namespace tunekit::search::detail

#if TUNEKIT_BODIES
namespace tunekit::search::detail {

TUNEKIT_INLINE std::size_t past::propose(index i)
{
    which_.push_back(i);
    log_costs_.push_back(0);
    out_.push_back(which_.size() - 1);
    return out_.back();
}

TUNEKIT_INLINE std::size_t past::answer(index i, double log_cost)
{
    const auto at = std::find_if(out_.begin(), out_.end(), [&](std::size_t k) { return which_[k] == i; });
    std::size_t k = which_.size();
    if (at == out_.end()) {
        which_.push_back(i);
        log_costs_.push_back(log_cost);
    } else {
        k = *at;
        log_costs_[k] = log_cost;
        out_.erase(at, at + 1);
    }
    return k;
}

TUNEKIT_INLINE void window::trim(const past& all, std::size_t most)
{
    if (rows.size() <= most) return;
    const std::size_t latest = most / 4, best = most - most / 4 - latest;
    core::plain_vector<double> costs;
    for (std::size_t k = 0; k + latest < rows.size(); ++k)
        costs.push_back(all.out(rows[k]) ? past::failure : all.log_cost(rows[k]));
    core::plain_vector<char> kept(rows.size(), 0);
    std::fill(kept.end() - static_cast<std::ptrdiff_t>(latest), kept.end(), 1);
    for (const std::uint32_t k : core::detail::lowest(costs, best)) kept[k] = 1;
    std::size_t to = 0;
    for (std::size_t k = 0; k < rows.size(); ++k)
        if (kept[k]) rows[to++] = rows[k];
    rows.resize(to);
}

}  // namespace tunekit::search::detail
#endif  // TUNEKIT_BODIES
