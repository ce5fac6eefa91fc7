// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Arms, and the concepts of a bandit and of a policy. A bandit chooses among arms whose next reward has been
/// estimated. A policy learns that estimate itself.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/core/error.hpp"
#include "tunekit/random/generator.hpp"

namespace tunekit::bandit {

/// One arm as a bandit sees it: the estimate of its reward and its number of pulls.
struct arm {
    double estimate = 0;      ///< expected reward of the next pull, in the unit of reward; more is better
    std::uint64_t pulls = 0;  ///< times it was pulled
    bool active = true;       ///< false: must not be chosen

    friend bool operator==(const arm&, const arm&) = default;
};

namespace detail {

/// The mean of n numbers, from the mean of all but `x`; both finite.
[[nodiscard]] constexpr double next_mean(double mean, double x, double n)
{
    const double apart = x - mean;
    return apart - apart == 0 ? mean + apart / n : mean * ((n - 1) / n) + x / n;  // the difference may overflow
}

/// The first active arm that was never pulled, else arms.size(). Such an arm goes first, because
/// nothing is known of it.
[[nodiscard]] constexpr std::size_t first_unpulled(std::span<const arm> arms)
{
    std::size_t k = 0;
    while (k < arms.size() && !(arms[k].active && arms[k].pulls == 0)) ++k;
    return k;
}

/// The active arm with the highest `score(arm)`; ties go to the first. Throws std::invalid_argument where none is
/// active, or a score is NaN.
template <class Score>
[[nodiscard]] constexpr std::size_t best_active(std::span<const arm> arms, Score&& score)
{
    std::size_t best = arms.size();
    double best_score = 0;
    for (std::size_t k = 0; k < arms.size(); ++k) {
        if (!arms[k].active) continue;
        const double s = score(arms[k]);
        if (best == arms.size() || !(s <= best_score)) {
            if (s != s) invalid("bandit: the score of an arm is NaN, want estimates that are numbers");
            best = k;
            best_score = s;
        }
    }
    if (best == arms.size()) invalid("bandit: no arm is active, want one at least");
    return best;
}

}  // namespace detail

/// A rule that picks an arm. It has parameters only, no memory. `t` is the number of pulls of all arms so far, inactive
/// ones included.
/// Semantics: returns the position of an active arm; equal arguments and generators give equal choices.
/// Precondition: at least one arm is active.
template <class B, class G>
concept bandit = std::copyable<B> && requires(const B& rule, std::span<const arm> arms, std::uint64_t t, G& gen) {
    { rule.select(arms, t, gen) } -> std::same_as<std::size_t>;
};

namespace detail {

/// A policy that makes a state for K arms. The state is all that a run learns; the policy never changes.
template <class P>
concept has_state = requires(const P& policy) {
    typename P::state;
    { policy.start(std::size_t{}) } -> std::same_as<typename P::state>;
} && std::regular<typename P::state>;

/// A policy that chooses an arm from a state and draws only from `gen`.
template <class P, class G>
concept selects_arm = requires(const P& policy, const typename P::state& s, G& gen) {
    { policy.select(s, gen) } -> std::same_as<std::size_t>;
};

/// A policy that learns the reward of a pull of arm `k`.
template <class P>
concept learns_reward = requires(const P& policy, typename P::state& s, std::size_t k, double reward) {
    { policy.update(s, k, reward) } -> std::same_as<void>;
};

}  // namespace detail

/// A bandit that learns from rewards: its parameters are in the policy, its knowledge is in `P::state`.
/// Semantics: `select` returns an arm < K; equal states and equal generators select equal arms; `update` touches the
/// state only.
template <class P, class G>
concept policy =
    generator<G> && std::copyable<P> && detail::has_state<P> && detail::selects_arm<P, G> && detail::learns_reward<P>;

}  // namespace tunekit::bandit
