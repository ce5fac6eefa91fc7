// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The optimistic end of a prediction.

#include "tunekit/acquisition/concepts.hpp"

namespace tunekit::acquisition {

/// mean + kappa sd: the upper confidence bound of a score. Scores are maximised; of costs it is the criterion known as
/// the lower confidence bound, with the sign turned.
///
/// Shapes: unit of the score; the best score measured plays no part.
/// Source: Cox, John (1992), SDO: A Statistical Method for Global Optimization; Srinivas et al. (2010), GP-UCB.
struct upper_confidence_bound {
    double kappa = 2;  ///< >= 0; 0 is the mean; more explores more

    [[nodiscard]] constexpr double value(const stats::prediction& p, double) const { return p.mean + kappa * p.sd; }

    friend bool operator==(const upper_confidence_bound&, const upper_confidence_bound&) = default;
};

}  // namespace tunekit::acquisition
