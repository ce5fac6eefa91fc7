// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A bandit that learns: the mean of the rewards so far is the estimate of the next.

#include <cassert>
#include <cstddef>
#include <cstdint>
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
/// Cost: O(1) an update; a selection is the rule's. No allocation after `start` of its own.
template <class Bandit>
struct on_means {
    Bandit rule;

    /// What was seen. A regular value: copy it to snapshot, compare it in tests.
    struct state {
        std::vector<arm> arms;  ///< K; estimate is the mean reward, 0 before the first pull
        std::uint64_t t = 0;    ///< pulls of all arms

        friend bool operator==(const state&, const state&) = default;
    };

    /// A state that has seen nothing, of `arms` arms, all active. Throws std::invalid_argument when `arms` is 0.
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

    /// Adds one reward. Precondition: k < K, reward finite.
    static constexpr void update(state& s, std::size_t k, double reward)
    {
        assert(k < s.arms.size() && reward - reward == 0);
        arm& a = s.arms[k];
        ++a.pulls;
        ++s.t;
        a.estimate += (reward - a.estimate) / static_cast<double>(a.pulls);
    }
};

template <class Bandit>
on_means(Bandit) -> on_means<Bandit>;

}  // namespace tunekit::bandit
