// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What forecasts a tuning curve, and what such a forecast is.

#include <concepts>
#include <cstdint>
#include <span>

#include "tunekit/random/generator.hpp"

namespace tunekit::curve {

/// A point of a tuning curve, one per trial: what had been reached when it was observed.
struct curve_point {
    std::uint64_t trial = 0;  ///< 1, 2, ...: trials of this task so far, failed ones included
    double seconds = 0;       ///< of this task's slots so far
    double best_cost = 0;     ///< seconds; +inf before the first valid trial

    friend bool operator==(const curve_point&, const curve_point&) = default;
};

/// What a forecast rests on.
enum class basis {
    nothing,       ///< no valid trial yet: everything else is 0
    fallback,      ///< too few points, a plateau or a failed fit: the last value and the growth of the last slots
    posterior,     ///< samples of a fitted curve
    improvements,  ///< how often the curve rose, and by how much
};

/// What a curve will have reached at a horizon. Performance in FLOP/s, or in whatever unit the curve came in.
struct forecast {
    double last = 0;  ///< the best performance so far
    double mean = 0;  ///< expected performance at the horizon
    double sd = 0;    ///< how uncertain the curve is there, measuring noise not counted
    /// E[max(0, performance - last)], of a normal with this mean and sd where there is a sample; >= 0.
    double expected_improvement = 0;
    double expected_saving = 0;  ///< E[max(0, 1 / last - 1 / performance)]: seconds per FLOP saved; >= 0
    curve::basis basis = curve::basis::nothing;
    double low = 0;   ///< 5 % of the distribution lie below
    double high = 0;  ///< and 5 % above

    friend bool operator==(const forecast&, const forecast&) = default;
};

/// Forecasts the best performance at trial `horizon` from the best performances after trials 1, 2, ..., n < horizon.
/// `peak` is what the device can do at most, in the same unit; 0 where unknown.
template <class B, class G>
concept predicts_curve = requires(const B& belief, std::span<const double> best, double horizon, double peak, G& gen) {
    { belief.predict(best, horizon, peak, gen) } -> std::same_as<forecast>;
};

/// A belief about tuning curves: parameters only.
/// Semantics: equal curves, horizons, peaks and generators give equal forecasts; a curve without a value above 0 gives
/// `basis::nothing`; nothing in a forecast is negative or NaN.
template <class B, class G>
concept belief_model = std::copyable<B> && predicts_curve<B, G>;

}  // namespace tunekit::curve
