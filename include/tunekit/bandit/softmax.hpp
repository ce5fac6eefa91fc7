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
        const double mean = mean_magnitude(arms);
        if (mean > 0x1p-300 && mean < 0x1p300) return drawn(arms, best, temperature.value_or(mean), gen);
        const double unit = unit_of(arms);  // sums and differences may overflow or vanish
        std::vector<arm> near_one(arms.begin(), arms.end());
        for (arm& a : near_one) a.estimate /= unit;
        const double tau = temperature ? (std::max)(*temperature / unit, std::numeric_limits<double>::denorm_min())
                                       : mean_magnitude(near_one);
        return drawn(near_one, best / unit, tau, gen);
    }

    friend bool operator==(const softmax&, const softmax&) = default;

private:
    /// The mean of the active arms' magnitudes, finite for the largest numbers.
    static double mean_magnitude(std::span<const arm> arms)
    {
        double sum = 0, active = 0;
        for (const arm& a : arms) {
            if (!a.active) continue;
            sum += 0x1p-32 * std::abs(a.estimate);
            ++active;
        }
        return 0x1p32 * (sum / active);
    }

    /// An active arm, drawn by exp((estimate - best) / tau); each is as likely where tau is 0.
    template <generator G>
    static std::size_t drawn(std::span<const arm> arms, double best, double tau, G& gen)
    {
        std::vector<double> weights(arms.size());
        for (std::size_t k = 0; k < arms.size(); ++k)
            if (arms[k].active) weights[k] = tau == 0 ? 1 : std::exp((arms[k].estimate - best) / tau);
        return random::choose(weights, gen);
    }

    /// What estimates are divided by that are far from 1.
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
