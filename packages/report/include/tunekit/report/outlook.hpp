// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The expected gain of more tuning time: the further fall of a model's latency, with its uncertainty.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/schedule/concepts.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tunekit::schedule {

/// The forecast fall of the latency of one pass of the model over the next seconds of tuning.
struct outlook {
    double seconds = 0;  ///< of tuning
    double gain = 0;     ///< seconds of latency, expected
    double low = 0;      ///< 5 % of the distribution lie below
    double high = 0;     ///< and 5 % above

    friend bool operator==(const outlook&, const outlook&) = default;
};

namespace detail {

/// A belief that gives the relative gain of a curve until a horizon as a distribution, as `curve::improvement_process`
/// does.
template <class B>
concept tells_gains = requires(const B& belief, std::span<const double> best, double horizon, double p) {
    { belief.gains(best, horizon).quantile(p) } -> std::same_as<double>;
    { belief.gains(best, horizon).saved_share() } -> std::same_as<double>;  // E[G / (1 + G)]
};

}  // namespace detail

/// The expected gain of `seconds` more of tuning. The active tasks share them evenly, and each makes trials at its pace
/// so far. Seconds are those of one worker; with several workers give their sum.
///
///     const auto next = schedule::expected_gain(views, 60, curve::improvement_process{}, gen);
///     // next.gain, and with 90 % between next.low and next.high
///
/// The mean is the belief's. The interval is that of a sum over tasks whose gains are independent. A task without a
/// valid trial gets its share of the time and adds no gain, because its present latency is not known.
///
/// Errors:     std::invalid_argument for seconds that are not positive and finite.
/// Randomness: 2000 `uniform_index` for each task that may gain.
/// Cost:       one call of the belief and 128 quantiles per task: less than a millisecond each.
template <detail::tells_gains Belief, generator G>
[[nodiscard]] outlook expected_gain(std::span<const task_view> tasks, double seconds, const Belief& belief, G& gen)
{
    require(seconds > 0 && std::isfinite(seconds), "schedule::expected_gain: seconds is not positive and finite");
    constexpr std::size_t levels = 128, draws = 2000;
    const auto active = std::count_if(tasks.begin(), tasks.end(), [](const task_view& t) { return t.active; });
    outlook out{.seconds = seconds};
    std::vector<double> sums(draws);
    std::vector<double> saved(levels);
    for (const task_view& t : tasks) {
        if (!t.active || t.curve.empty() || !(t.seconds > 0)) continue;
        if (!(t.curve.back().best_cost < std::numeric_limits<double>::infinity())) continue;
        std::vector<double> best;  // rates, in FLOP/s
        for (const auto& p : t.curve) best.push_back(t.flops / p.best_cost);
        const auto n = static_cast<double>(best.size());
        const double horizon = n * (1 + seconds / static_cast<double>(active) / t.seconds);
        if (!(horizon > n)) continue;
        const auto gains = belief.gains(best, horizon);
        const double latency = t.weight * t.curve.back().best_cost;
        out.gain += latency * gains.saved_share();
        for (std::size_t i = 0; i < levels; ++i) {
            const double g = gains.quantile((static_cast<double>(i) + 0.5) / static_cast<double>(levels));
            saved[i] = latency * (g / (1 + g));
        }
        for (double& sum : sums) sum += saved[static_cast<std::size_t>(tunekit::random::uniform_index(levels, gen))];
    }
    out.low = stats::quantile(sums, 0.05);
    out.high = stats::quantile(sums, 0.95);
    return out;
}

}  // namespace tunekit::schedule
