// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Expected improvement over the best score measured.

#include "tunekit/acquisition/concepts.hpp"
#include "tunekit/stats/expected_excess.hpp"

namespace tunekit::acquisition {

/// E[max(0, score - best - xi)] of a score predicted as N(mean, sd^2).
///
///     const double worth = acquisition::expected_improvement{}.value(predicted, best);
///
/// max(0, mean - best - xi) where sd is 0. Never negative. Exactly 0 below (mean - best - xi) / sd = -38, where it is less
/// than the smallest number: who ranks candidates that tie at 0 does well to compare their means.
///
/// Shapes: all in the unit of the score. Precondition: sd >= 0.
/// Cost:   one `exp` and one `erfc`, about 50 ns.
/// Source: Mockus, Tiesis, Zilinskas (1978); Jones, Schonlau, Welch (1998), J. Global Optimization 13, equation 15.
struct expected_improvement {
    double xi = 0;  ///< unit of score; what an improvement must exceed to count: more explores more

    [[nodiscard]] double value(const stats::prediction& p, double best) const
    {
        return stats::expected_excess(p, best + xi);
    }

    friend bool operator==(const expected_improvement&, const expected_improvement&) = default;
};

}  // namespace tunekit::acquisition
