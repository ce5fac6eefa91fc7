// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The time that a further second of tuning is expected to save.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/curve/concepts.hpp"
#include "tunekit/curve/improvements.hpp"

namespace tunekit {

/// The expected gain of the next `ahead` trials, in seconds saved per second of tuning, where the winner will be called
/// `calls` times.
///
///     if (tk::gain_rate(t.record().curve(), 1e6) < 1) t.stop();  // from here on tuning takes longer than it saves
///
///     rate = calls * best * E[saved share] / (ahead * pace)
///
/// `best` is the incumbent's cost in seconds per call. The saved share of the next trials is 1 - best then / best now.
/// Its expectation is that of `curve::improvement_process`, from how often the curve improved and by how much. `pace`
/// is the seconds per trial over the curve's second half. Costs in another unit give the rate in that unit. The rate
/// falls with `ahead`, because improvements become rarer. So the rate for one trial ahead is the best that tuning can
/// still offer.
///
/// It is 0 for a curve without a valid trial, and infinite if trials take no time.
/// Errors: std::invalid_argument for `calls` not positive and finite, or `ahead` not positive and finite.
/// Cost:   O(n) for n trials; 10 us at 100.
/// Source: ours. docs/tuning.md compares what it expected with what came, on recorded spaces.
[[nodiscard]] double gain_rate(std::span<const curve::curve_point> curve, double calls, double ahead = 1);

}  // namespace tunekit

#if TUNEKIT_BODIES
namespace tunekit {

TUNEKIT_INLINE double gain_rate(std::span<const curve::curve_point> curve, double calls, double ahead)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    require(calls > 0 && calls < infinity,
            "gain_rate: calls is not positive and finite, want how often the winner is called");
    require(ahead > 0 && ahead < infinity, "gain_rate: ahead is not positive and finite, want a number of trials");
    if (curve.empty() || !(curve.back().best_cost < infinity)) return 0;
    std::vector<double> best;
    best.reserve(curve.size());
    for (const auto& p : curve) best.push_back(1 / p.best_cost);
    const std::size_t n = curve.size(), half = n / 2;
    const double since = curve.back().seconds - (half > 0 ? curve[half - 1].seconds : 0);
    const double pace = since / static_cast<double>(n - half);
    const double share = curve::improvement_process{}.gains(best, static_cast<double>(n) + ahead).saved_share();
    return pace > 0 ? calls * curve.back().best_cost * share / (ahead * pace) : infinity;
}

}  // namespace tunekit
#endif  // TUNEKIT_BODIES
