// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The softmax bandit: better arms are drawn more often.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tunekit/bandit/concepts.hpp"
#include "tunekit/core/detail/unit.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/random/choice.hpp"

namespace tunekit::bandit {

/// Draws an active arm with probability proportional to exp(estimate / temperature). Arms that were never pulled go
/// first, in declaration order.
///
///     const std::size_t k = bandit::softmax{}.select(arms, t, gen);
///
/// Shapes:     `arms` of any K >= 1, one active at least; estimates of pulled arms finite, of any scale; t is not used.
/// Errors:     std::invalid_argument for an estimate that is NaN or infinite, or a temperature that is not positive.
/// Randomness: one `uniform_01`; none for an arm never pulled.
/// Cost:       O(K), one `exp` an arm, one allocation.
/// Source:     DynaTune (ICLR 2021), appendix A.
/// Departures: the paper does not publish its temperature. The default is the mean |estimate| of the active arms, which
///             makes the choice independent of the unit of reward. If all estimates are 0, the draw is uniform.
struct softmax {
    std::optional<double> temperature{};  ///< > 0, in the unit of reward; none: the mean |estimate| of the active arms

    template <generator G>
    [[nodiscard]] std::size_t select(std::span<const arm> arms, std::uint64_t, G& gen) const
    {
        require(!temperature || *temperature > 0, "bandit::softmax: temperature is not positive, want > 0");
        const std::size_t unpulled = detail::first_unpulled(arms);
        if (unpulled < arms.size()) return unpulled;
        const double best = arms[detail::best_active(arms, [](const arm& a) { return a.estimate; })].estimate;
        double sum = 0, active = 0;
        for (const arm& a : arms) {
            if (!a.active) continue;
            sum += 0x1p-32 * std::abs(a.estimate);
            ++active;
        }
        const double mean = 0x1p32 * (sum / active);
        const double unit = mean > 0x1p-300 && mean < 0x1p300 ? 1 : unit_of(arms);
        double tau = temperature.value_or(mean);
        if (unit != 1) {
            sum = 0;
            for (const arm& a : arms) sum += a.active ? std::abs(a.estimate / unit) : 0;
            tau = temperature ? (std::max)(tau / unit, std::numeric_limits<double>::denorm_min()) : sum / active;
        }
        std::vector<double> weights(arms.size());
        for (std::size_t k = 0; k < arms.size(); ++k) {
            if (!arms[k].active) continue;
            const double below = unit == 1 ? arms[k].estimate - best : arms[k].estimate / unit - best / unit;
            weights[k] = tau == 0 ? 1 : std::exp(below / tau);
        }
        return random::choose(weights, gen);
    }

    friend bool operator==(const softmax&, const softmax&) = default;

private:
    /// What estimates are divided by whose sums and differences overflow or vanish.
    [[gnu::cold]] static double unit_of(std::span<const arm> arms)
    {
        double largest = 0;
        for (const arm& a : arms)
            if (a.active) largest = (std::max)(largest, std::abs(a.estimate));
        require(largest <= (std::numeric_limits<double>::max)(),
                "bandit::softmax: an estimate is infinite, want finite ones");
        return core::detail::unit_of(largest);
    }
};

}  // namespace tunekit::bandit
