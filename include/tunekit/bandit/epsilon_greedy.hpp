// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The epsilon-greedy bandit: mostly the best arm, sometimes a random one.

#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/bandit/concepts.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/uniform.hpp"

namespace tunekit::bandit {

/// Picks the active arm of the highest estimate with probability 1 - epsilon, else a uniformly random active arm. Arms
/// that were never pulled go first, in declaration order.
///
///     const std::size_t k = bandit::epsilon_greedy{.epsilon = 0.1}.select(arms, t, gen);
///
/// Shapes:     `arms` of any K >= 1, one active at least; estimates of pulled arms not NaN; t is not used.
/// Ties:       the lowest position.
/// Randomness: one `uniform_01`, and one `uniform_index` where it explores; none for an arm never pulled.
/// Cost:       O(K), no allocation.
/// Source:     DynaTune (ICLR 2021), appendix A; Sutton, Barto (2018), Reinforcement Learning, section 2.2.
struct epsilon_greedy {
    double epsilon = 0.05;  ///< probability, in [0, 1]

    template <generator G>
    [[nodiscard]] std::size_t select(std::span<const arm> arms, std::uint64_t, G& gen) const
    {
        require(epsilon >= 0 && epsilon <= 1, "bandit::epsilon_greedy: epsilon is outside [0, 1], want a probability");
        const std::size_t unpulled = detail::first_unpulled(arms);
        if (unpulled < arms.size()) return unpulled;
        if (random::uniform_01(gen) >= epsilon)
            return detail::best_active(arms, [](const arm& a) { return a.estimate; });
        return random::choose_where(arms.size(), [&](std::size_t k) { return arms[k].active; }, gen);
    }

    friend bool operator==(const epsilon_greedy&, const epsilon_greedy&) = default;
};

}  // namespace tunekit::bandit
