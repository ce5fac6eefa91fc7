// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The reward of a slot: a forecast expressed as seconds of model latency.

#include "tunekit/curve/concepts.hpp"

namespace tunekit::curve {

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
/// It is never negative, and 0 for a forecast of `basis::nothing`. Precondition: the forecast is in FLOP/s.
/// Source: Zhang et al. (2021), DynaTune, ICLR, section 4.3; the second form is ours.
[[nodiscard]] inline double latency_reduction(const forecast& f, double flops, double weight = 1,
                                              gain form = gain::of_expected_improvement)
{
    if (f.basis == basis::nothing) return 0;
    if (form == gain::expected) return weight * flops * f.expected_saving;
    return weight * flops * (f.expected_improvement / (f.last * (f.last + f.expected_improvement)));
}

}  // namespace tunekit::curve
