// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A policy from a bandit rule: the mean of the rewards so far is the estimate of the next.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/bandit/concepts.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit::bandit {

/// Turns a rule over estimates into a policy over rewards of any unit.
///
///     const bandit::on_means policy{bandit::epsilon_greedy{}};
///     auto state = policy.start(3);
///     const std::size_t k = policy.select(state, gen);
///     policy.update(state, k, reward);
///
/// To take arm k out, set state.arms[k].active to false; one arm must stay active for `select`.
/// Cost: O(1) per update; a selection costs what the rule costs. It allocates nothing itself after `start`.
template <class Bandit>
struct on_means {
    Bandit rule;  ///< the rule that chooses

    /// The rewards seen so far. A regular value: copy it to snapshot, compare it in tests.
    struct state {
        std::vector<arm> arms;  ///< K; estimate is the mean reward, 0 before the first pull
        std::uint64_t t = 0;    ///< pulls of all arms

        friend bool operator==(const state&, const state&) = default;
    };

    /// An empty state of `arms` arms, all active. Throws std::invalid_argument when `arms` is 0.
    [[nodiscard]] state start(std::size_t arms) const
    {
        require(arms > 0, "on_means.start: arms is 0, want >= 1");
        return {.arms = std::vector<arm>(arms), .t = 0};
    }

    /// The rule's choice. Precondition: an arm is active.
    template <generator G>
    [[nodiscard]] std::size_t select(const state& s, G& gen) const
    {
        static_assert(bandit<Bandit, G>, "tunekit: on_means, part 1: not a bandit::bandit");
        return rule.select(s.arms, s.t, gen);
    }

    /// The rule's choice among the arms that `among` lists, ascending. Precondition: an active one is listed.
    template <generator G>
    [[nodiscard]] std::size_t select(const state& s, std::span<const std::size_t> among, G& gen) const
    {
        static_assert(bandit<Bandit, G>, "tunekit: on_means, part 1: not a bandit::bandit");
        std::vector<arm> shown = s.arms;
        for (arm& a : shown) a.active = false;
        for (const std::size_t k : among) shown[k].active = s.arms[k].active;
        return rule.select(shown, s.t, gen);
    }

    /// Adds one reward. Precondition: k < K, reward finite.
    static void update(state& s, std::size_t k, double reward)
    {
        require(k < s.arms.size(), "on_means.update: no such arm, want one below K");
        require(std::isfinite(reward), "on_means.update: the reward is NaN or infinite, want a number");
        arm& a = s.arms[k];
        ++a.pulls;
        ++s.t;
        a.estimate = detail::next_mean(a.estimate, reward, static_cast<double>(a.pulls));
    }
};

template <class Bandit>
on_means(Bandit) -> on_means<Bandit>;

}  // namespace tunekit::bandit
