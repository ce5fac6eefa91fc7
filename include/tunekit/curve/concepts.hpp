// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Forecasts of tuning curves, what they are worth in seconds of model latency, and the concept of a belief that makes
/// them.

#include <concepts>
#include <cstdint>
#include <span>

#include "tunekit/random/generator.hpp"

namespace tunekit::curve {

/// A point of a tuning curve, one per trial: the state of the task when the trial was observed.
struct curve_point {
    std::uint64_t trial = 0;  ///< 1, 2, ...: trials of this task so far, failed ones included
    double seconds = 0;       ///< of this task's slots so far
    double best_cost = 0;     ///< seconds; +inf before the first valid trial

    friend bool operator==(const curve_point&, const curve_point&) = default;
};

/// The data behind a forecast.
enum class basis {
    nothing,       ///< no valid trial yet: everything else is 0
    fallback,      ///< too few points, a plateau or a failed fit: the last value and the growth of the last slots
    posterior,     ///< samples of a fitted curve
    improvements,  ///< the rate and the sizes of the curve's improvements
};

/// A forecast of a tuning curve's value at a horizon. Performance is in FLOP/s, or in the unit of the curve.
struct forecast {
    double last = 0;  ///< the best performance so far
    double mean = 0;  ///< expected performance at the horizon
    double sd = 0;    ///< standard deviation of the curve's value there, without measuring noise
    /// E[max(0, performance - last)]; >= 0. With a sample it is that of a normal distribution with this mean and sd.
    double expected_improvement = 0;
    double expected_saving = 0;  ///< E[max(0, 1 / last - 1 / performance)]: seconds per FLOP saved; >= 0
    curve::basis basis = curve::basis::nothing;  ///< the data behind it
    double low = 0;                              ///< 5 % of the distribution lie below
    double high = 0;                             ///< and 5 % above

    friend bool operator==(const forecast&, const forecast&) = default;
};

/// The formula that turns an improvement into a saved time.
enum class gain {
    of_expected_improvement,  ///< the time at the performance last + EI: DynaTune's
    expected,  ///< the expectation of the time saved: exact, while `of_expected_improvement` converts a mean
};

/// The seconds by which the latency of one run of the model falls when a task of `flops` FLOP, run `weight` times,
/// performs as forecast.
///
///     const double reward = curve::latency_reduction(belief.predict(best, horizon, peak, gen), flops, weight);
///
///     of_expected_improvement: weight flops (1 / last - 1 / (last + EI));   expected: weight flops E[max(0, 1 / last - 1 / p)]
///
/// It is never negative, and 0 for a forecast of `basis::nothing`, at any scale. Precondition: the forecast is in
/// FLOP/s; nothing is negative or NaN.
/// Source: Zhang et al. (2021), DynaTune, ICLR, section 4.3; the second form is ours.
[[nodiscard]] inline double latency_reduction(const forecast& f, double flops, double weight = 1,
                                              gain form = gain::of_expected_improvement)
{
    if (f.basis == basis::nothing) return 0;
    if (form == gain::expected) return weight * flops * f.expected_saving;
    const double squared = f.last * (f.last + f.expected_improvement);
    if (squared > 1e-280 && squared < 1e280) return weight * flops * (f.expected_improvement / squared);
    const double rise = f.expected_improvement / f.last;  // the square overflows or vanishes
    const double share = rise > 1e280 ? 1 : rise / (1 + rise);
    return weight * flops * (share / f.last);
}

namespace detail {

/// A belief that forecasts the best performance at trial `horizon` from the best performances after trials 1, 2, ..., n
/// < horizon. `peak` is the device's highest performance, in the same unit; 0 where unknown.
template <class B, class G>
concept predicts_curve = requires(const B& belief, std::span<const double> best, double horizon, double peak, G& gen) {
    { belief.predict(best, horizon, peak, gen) } -> std::same_as<forecast>;
};

}  // namespace detail

/// A belief about tuning curves. It has parameters only.
/// Semantics: equal curves, horizons, peaks and generators give equal forecasts; a curve without a value above 0 gives
/// `basis::nothing`; nothing in a forecast is negative or NaN.
template <class B, class G>
concept belief_model = std::copyable<B> && detail::predicts_curve<B, G>;

}  // namespace tunekit::curve
