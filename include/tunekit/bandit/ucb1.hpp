// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// UCB1: optimism in the face of uncertainty, for stationary rewards in [0, 1].

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/bandit/concepts.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/random/uniform.hpp"

namespace tunekit::bandit {

/// The UCB1 policy: the arm with the highest upper confidence bound on its mean. An aggregate of parameters: name what
/// you change.
///
///     constexpr bandit::ucb1 policy{.exploration = 0.5};
///
/// Each arm scores  mean + exploration * sqrt(ln t / pulls)  and the highest score is pulled; an arm never pulled
/// scores +inf, so the first K rounds visit each of the K arms once. `exploration = sqrt(2)` is the constant of the
/// paper, whose regret bound  8 sum_a ln t / gap_a + (1 + pi^2 / 3) sum_a gap_a  assumes independent rewards in [0, 1].
///
/// Randomness: one `uniform_index` for each further arm that ties for the highest score so far.
/// Threads:    const calls on distinct states are safe; one state is for one thread at a time.
/// Source:     Auer, Cesa-Bianchi, Fischer (2002), Machine Learning 47, 235-256, Figure 1 and theorem 1.
/// Departures: the paper breaks ties arbitrarily; here uniformly at random, from `gen`.
struct ucb1 {
    double exploration = 1.4142135623730951;  ///< >= 0; unit of reward; 0 never explores

    /// The rewards seen so far. A regular value: copy it to snapshot, compare it in tests.
    struct state {
        std::vector<std::uint64_t> pulls;  ///< K; times each arm was rewarded
        std::vector<double> mean;          ///< K; mean reward of each arm, 0 before the first pull
        std::uint64_t t = 0;               ///< sum of pulls

        friend bool operator==(const state&, const state&) = default;
    };

    /// An empty state of `arms` arms. Throws std::invalid_argument when `arms` is 0 or `exploration` is negative or
    /// NaN.
    [[nodiscard]] state start(std::size_t arms) const
    {
        require(arms > 0, "ucb1.start: arms is 0, want >= 1");
        require(exploration >= 0, "ucb1: exploration is negative or NaN, want >= 0");
        return {.pulls = std::vector<std::uint64_t>(arms), .mean = std::vector<double>(arms), .t = 0};
    }

    /// The arm of the highest score; ties go to a uniform draw. O(K) time, no allocation.
    template <generator G>
    [[nodiscard]] std::size_t select(const state& s, G& gen) const
    {
        return highest(s, s.mean.size(), [](std::size_t i) { return i; }, gen);
    }

    /// The same among the arms that `among` lists, ascending. Precondition: it lists at least one.
    template <generator G>
    [[nodiscard]] std::size_t select(const state& s, std::span<const std::size_t> among, G& gen) const
    {
        return highest(s, among.size(), [among](std::size_t i) { return among[i]; }, gen);
    }

    /// Adds one reward. The bound holds for rewards in [0, 1]. Precondition: k < K, reward finite.
    static void update(state& s, std::size_t k, double reward)
    {
        require(k < s.mean.size(), "ucb1.update: no such arm, want one below K");
        require(std::isfinite(reward), "ucb1.update: the reward is NaN or infinite, want a number");
        const auto n = static_cast<double>(++s.pulls[k]);
        s.mean[k] = detail::next_mean(s.mean[k], reward, n);
        ++s.t;
    }

    /// The upper confidence bound of arm `k`, in the unit of reward.
    [[nodiscard]] double score(const state& s, std::size_t k) const noexcept
    {
        if (s.pulls[k] == 0) return std::numeric_limits<double>::infinity();
        const auto t = static_cast<double>(s.t);
        return s.mean[k] + exploration * std::sqrt(std::log(t) / static_cast<double>(s.pulls[k]));
    }

    friend bool operator==(const ucb1&, const ucb1&) = default;

private:
    /// The arm of the highest score among arm(0) ... arm(n - 1).
    template <class Arm, generator G>
    [[nodiscard]] std::size_t highest(const state& s, std::size_t n, Arm&& arm, G& gen) const
    {
        require(n > 0 && s.mean.size() == s.pulls.size(), "ucb1.select: no arm, want one at least");
        std::size_t best = 0;
        std::size_t tied = 0;
        double best_score = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t k = arm(i);
            const double x = score(s, k);
            if (x > best_score) {
                best = k;
                best_score = x;
                tied = 1;
            } else if (x == best_score && random::uniform_index(++tied, gen) == 0) {
                best = k;  // reservoir of size one: each of the tied arms survives with probability 1 / tied
            }
        }
        return best;
    }
};

}  // namespace tunekit::bandit
