// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a bandit is: a choice among arms whose next reward somebody has estimated.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/random/generator.hpp"

namespace tunekit::bandit {

/// One arm as a bandit sees it.
struct arm {
    double estimate = 0;      ///< expected reward of the next pull, in the unit of reward; more is better
    std::uint64_t pulls = 0;  ///< times it was pulled
    bool active = true;       ///< false: must not be chosen

    friend bool operator==(const arm&, const arm&) = default;
};

/// A rule that picks an arm: parameters only, no memory. `t` is the number of pulls of all arms so far, of inactive ones too.
/// Semantics: returns the position of an active arm; equal arguments and generators give equal choices.
/// Precondition: at least one arm is active.
template <class B, class G>
concept bandit = std::copyable<B> && requires(const B& rule, std::span<const arm> arms, std::uint64_t t, G& gen) {
    { rule.select(arms, t, gen) } -> std::same_as<std::size_t>;
};

}  // namespace tunekit::bandit
