// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// DynaTune's bandit: the highest upper confidence bound on the next reward.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tunekit/bandit/concepts.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit::bandit {

/// Picks the active arm k with the highest  estimate_k / unit + sqrt(exploration ln t / pulls_k).  Arms that were never
/// pulled go first, in declaration order.
///
///     const std::size_t k = bandit::ucb::scale_free().select(arms, t, gen);
///
/// The root has no unit, so the unit of the estimates decides how much the bandit explores. There are three settings:
///     scale_free()              unit = largest |estimate| of the active arms: a common factor changes nothing (default)
///     paper(initial_latency)    estimates in seconds, unit = 1 ms, exploration 2, or 0.2 below 1 ms of initial latency
///     initial_latency(seconds)  estimates in seconds, unit = that latency
///
/// Shapes:     `arms` of any K >= 1; t pulls so far, of inactive arms too; estimates of pulled arms finite.
/// Ties:       the lowest position.
/// Randomness: none.
/// Cost:       O(K), no allocation.
/// Source:     DynaTune (ICLR 2021), section 4.2, with the constant inside the root as in the authors' code and in
///             Auer, Cesa-Bianchi, Fischer (2002).
/// Departures: arms never pulled score +inf (the paper's constant gamma is not published). `scale_free` and
///             `initial_latency` are ours. The paper does not say which latency switches its constant; here it is that
///             of the whole model after warm-up.
struct ucb {
    double exploration = 2;        ///< C; finite, >= 0; 0 never explores
    std::optional<double> unit{};  ///< > 0, in the unit of the estimates; none: the largest |estimate| of active arms

    /// The setting whose unit is the largest |estimate|, as by default.
    [[nodiscard]] static constexpr ucb scale_free() { return {}; }

    /// The paper's setting. Precondition: estimates are in seconds.
    [[nodiscard]] static constexpr ucb paper(double initial_latency_seconds)
    {
        return {.exploration = initial_latency_seconds < 1e-3 ? 0.2 : 2.0, .unit = 1e-3};
    }

    /// The setting whose unit is the model's initial latency. Precondition: seconds > 0, finite; estimates are in
    /// seconds.
    [[nodiscard]] static constexpr ucb initial_latency(double seconds) { return {.exploration = 2, .unit = seconds}; }

    /// The root in the score: the bonus for an arm with few pulls, without a unit. Precondition: pulls > 0.
    [[nodiscard]] double bonus(std::uint64_t pulls, std::uint64_t t) const
    {
        return t <= 1 ? 0 : std::sqrt(exploration * std::log(static_cast<double>(t)) / static_cast<double>(pulls));
    }

    template <generator G>
    [[nodiscard]] std::size_t select(std::span<const arm> arms, std::uint64_t t, G&) const
    {
        require(exploration >= 0 && (!unit || *unit > 0),
                "bandit::ucb: exploration is negative or NaN, or unit is not positive");
        const std::size_t unpulled = detail::first_unpulled(arms);
        if (unpulled < arms.size()) return unpulled;
        double scale = unit.value_or(0);
        if (!unit) {
            for (const arm& a : arms) {
                if (a.active && std::abs(a.estimate) > scale) scale = std::abs(a.estimate);
            }
            if (scale == 0) scale = 1;  // nothing expected of any arm
        }
        return detail::best_active(arms, [&](const arm& a) { return a.estimate / scale + bonus(a.pulls, t); });
    }

    friend bool operator==(const ucb&, const ucb&) = default;
};

}  // namespace tunekit::bandit
