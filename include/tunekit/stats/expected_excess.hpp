// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The expected excess of a normal variate over a bound, and its logarithm. Expected improvement uses them.

#include <cmath>

#include <limits>

#include "tunekit/core/error.hpp"
#include "tunekit/stats/normal.hpp"
#include "tunekit/stats/prediction.hpp"

namespace tunekit::stats {

/// The expected excess E[max(0, X - bound)] of X ~ N(p.mean, p.sd^2); max(0, p.mean - bound) where p.sd is 0.
///
/// With Z = (mean - bound) / sd it is  sd (phi(Z) + Z Phi(Z)).  The two terms nearly cancel for Z << 0, so below Z = -6
/// it is  sd phi(Z) K / (K - Z)  with the positive continued fraction K of Mills' ratio: never negative, 12 digits at
/// every Z. Below about Z = -38 it is less than the smallest positive number and exactly 0. When candidates tie at 0,
/// compare their means.
///
/// An infinite difference or sd gives the limit, 0 or +inf. The result is NaN where mean - bound is, which two
/// infinities of one sign make, too.
///
/// Shapes: mean, sd, bound and the result are in one unit. Precondition: sd >= 0, else std::invalid_argument.
[[nodiscard]] inline double expected_excess(const prediction& p, double bound)
{
    require(p.sd >= 0, "stats::expected_excess: sd is negative or NaN, want >= 0");
    const double gain = p.mean - bound;
    if (p.sd == 0) return gain <= 0 ? 0 : gain;  // a NaN stays
    if (p.sd - p.sd != 0 || gain - gain != 0) {  // the limits: infinite differences have no product with 0
        if (gain != gain) return gain;
        return gain > 0 || p.sd - p.sd != 0 ? std::numeric_limits<double>::infinity() : 0;
    }
    const double z = gain / p.sd;
    if (z > -6) return gain * normal_cdf(z) + p.sd * normal_pdf(z);
    if (z < -39) return 0;
    const double k = detail::mills_fraction(-z);
    return p.sd * normal_pdf(z) * (k / (k - z));
}

/// The logarithm of `expected_excess`, also where the excess is too small for a double. Where p.sd is 0 it is ln max(0,
/// p.mean - bound), so -inf where nothing is gained.
///
/// With Z = (mean - bound) / sd and the fraction K of Mills' ratio it is  ln sd - Z^2 / 2 - ln(2 pi) / 2 + ln(K / (K -
/// Z))  below Z = -6: 12 digits at every Z, -inf only where Z^2 is infinite (Z = -1e154). NaN and infinities come where
/// those of `expected_excess` do.
///
/// Shapes: mean, sd and bound are in one unit. Precondition: sd >= 0, else std::invalid_argument.
[[nodiscard]] inline double log_expected_excess(const prediction& p, double bound)
{
    require(p.sd >= 0, "stats::log_expected_excess: sd is negative or NaN, want >= 0");
    const double gain = p.mean - bound;
    const double z = p.sd > 0 ? gain / p.sd : 0;
    if (p.sd == 0 || p.sd - p.sd != 0 || gain - gain != 0 || z - z != 0) {  // the limits
        const double e = expected_excess(p, bound);
        return e <= 0 ? -std::numeric_limits<double>::infinity() : std::log(e);  // a NaN stays
    }
    if (z > -6) return std::log(p.sd) + std::log(z * normal_cdf(z) + normal_pdf(z));
    const double k = detail::mills_fraction(-z);
    return std::log(p.sd) - 0.5 * z * z - 0.91893853320467274178 + std::log(k / (k - z));
}

}  // namespace tunekit::stats
