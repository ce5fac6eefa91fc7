// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How probable any improvement is.

#include "tunekit/acquisition/concepts.hpp"
#include "tunekit/stats/normal.hpp"

namespace tunekit::acquisition {

/// P(score > best + xi) of a score predicted as N(mean, sd^2); 1 or 0 where sd is 0.
/// Exactly 0 below (mean - best - xi) / sd = -38 and exactly 1 above 8.3: compare means where candidates tie.
///
/// Shapes: xi in the unit of the score; the result has none. Precondition: sd >= 0.
/// Source: Kushner (1964), J. Basic Engineering 86.
struct probability_of_improvement {
    double xi = 0;  ///< unit of score; what an improvement must exceed to count; with 0 the criterion hardly explores

    [[nodiscard]] double value(const stats::prediction& p, double best) const
    {
        const double gain = p.mean - (best + xi);
        if (p.sd == 0) return gain > 0 ? 1 : 0;
        return stats::normal_cdf(gain / p.sd);
    }

    friend bool operator==(const probability_of_improvement&, const probability_of_improvement&) = default;
};

}  // namespace tunekit::acquisition
