// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The standard normal distribution: density, distribution function, their logarithms, and quantiles.

#include <cmath>
#include <limits>

#include "tunekit/core/config.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit::stats {

/// Density at z.
[[nodiscard]] inline double normal_pdf(double z) { return 0.39894228040143267794 * std::exp(-0.5 * z * z); }

/// P(Z <= z), by erfc: full relative precision in the left tail, down to the smallest numbers (z = -38).
[[nodiscard]] inline double normal_cdf(double z) { return 0.5 * std::erfc(-0.70710678118654752440 * z); }

namespace detail {

/// K(z) of Mills' ratio (1 - Phi(z)) / phi(z) = 1 / (z + K(z)), K = 1 / (z + 2 / (z + 3 / (z + ...))), for z >= 6,
/// where 20 levels reach 1e-15. All terms are positive: nothing cancels.
[[nodiscard]] inline double mills_fraction(double z)
{
    double k = 0;
    for (int level = 20; level >= 1; --level) k = level / (z + k);
    return k;
}

}  // namespace detail

/// ln P(Z <= z), for any z. It stays finite where the probability itself is 0; there it is about -z^2 / 2.
[[nodiscard]] inline double normal_log_cdf(double z)
{
    if (z > -6) return z > 0 ? std::log1p(-normal_cdf(-z)) : std::log(normal_cdf(z));
    return -0.5 * z * z - 0.91893853320467274178 - std::log(-z + detail::mills_fraction(-z));
}

namespace detail {

/// c[0] x^7 + c[1] x^6 + ... + c[7].
[[nodiscard]] inline double of_degree_7(const double (&c)[8], double x)
{
    double sum = c[0];
    for (int k = 1; k < 8; ++k) sum = sum * x + c[k];
    return sum;
}

}  // namespace detail

/// The quantile: the z with P(Z <= z) = p, to about 1e-16 relative; -inf at 0, +inf at 1. Precondition: 0 <= p <= 1.
/// Source: Wichura (1988), Algorithm AS 241: The Percentage Points of the Normal Distribution, Appl. Stat. 37, PPND16.
[[nodiscard]] inline double normal_quantile(double p)
{
    static constexpr double central_above[8] = {
        2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
        1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080e0};
    static constexpr double central_below[8] = {
        5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
        5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1};
    static constexpr double near_above[8] = {
        7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0,
        3.64784832476320460504e0,  5.76949722146069140550e0,  4.63033784615654529590e0,  1.42343711074968357734e0};
    static constexpr double near_below[8] = {
        1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
        6.89767334985100004550e-1, 1.67638483018380384940e0,  2.05319162663775882187e0,  1};
    static constexpr double far_above[8] = {
        2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
        2.96560571828504891230e-1, 1.78482653991729133580e0,  5.46378491116411436990e0,  6.65790464350110377720e0};
    static constexpr double far_below[8] = {
        2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
        1.48753612908506148525e-2,  1.36929880922735805310e-1, 5.99832206555887937690e-1, 1};
    require(p >= 0 && p <= 1, "stats::normal_quantile: p is outside [0, 1], want a probability");
    const double q = p - 0.5;
    if (std::abs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * detail::of_degree_7(central_above, r) / detail::of_degree_7(central_below, r);
    }
    const double tail = q < 0 ? p : 1 - p;
    if (tail == 0) return q < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    const double r = std::sqrt(-std::log(tail));
    const double z = r <= 5 ? detail::of_degree_7(near_above, r - 1.6) / detail::of_degree_7(near_below, r - 1.6)
                            : detail::of_degree_7(far_above, r - 5) / detail::of_degree_7(far_below, r - 5);
    return q < 0 ? -z : z;
}

}  // namespace tunekit::stats
