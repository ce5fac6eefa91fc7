// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// By how much a normal variate exceeds a bound, on average: the E of expected improvement.

#include <cmath>

#include <limits>

#include "tunekit/core/error.hpp"
#include "tunekit/stats/normal.hpp"
#include "tunekit/stats/prediction.hpp"

namespace tunekit::stats {

/// E[max(0, X - bound)] of X ~ N(p.mean, p.sd^2); max(0, p.mean - bound) where p.sd is 0.
///
/// With Z = (mean - bound) / sd it is  sd (phi(Z) + Z Phi(Z)).  The two terms nearly cancel for Z << 0, so below Z = -6
/// it is  sd phi(Z) K / (K - Z)  with the positive continued fraction K of Mills' ratio: never negative, 12 digits at
/// every Z. It falls below the smallest positive number, and is exactly 0, from about Z = -38 on: where candidates tie at
/// 0, compare their means.
///
/// Shapes: mean, sd, bound and the result are in one unit. Precondition: sd >= 0, nothing NaN.
[[nodiscard]] inline double expected_excess(const prediction& p, double bound)
{
    require(p.sd >= 0, "stats::expected_excess: sd is negative or NaN, want >= 0");
    const double gain = p.mean - bound;
    if (p.sd == 0) return gain > 0 ? gain : 0;
    if (p.sd - p.sd != 0 || gain - gain != 0)  // the limits: infinite differences have no product with 0
        return gain > 0 || p.sd - p.sd != 0 ? std::numeric_limits<double>::infinity() : 0;
    const double z = gain / p.sd;
    if (z > -6) return gain * normal_cdf(z) + p.sd * normal_pdf(z);
    if (z < -39) return 0;
    const double k = detail::mills_fraction(-z);
    return p.sd * normal_pdf(z) * (k / (k - z));
}

}  // namespace tunekit::stats
