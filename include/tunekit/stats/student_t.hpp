// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Student's t distribution, used by every interval for a mean.

#include <cmath>
#include <limits>

#include "tunekit/core/config.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit::stats {

namespace detail {

/// ln(Gamma(a + 1/2) / Gamma(a)), a > 0, to about 1e-15: its series in 1 / a from 10 on, which the recurrence leads to.
/// The difference of two logarithms of Gamma would lose what they have in common, which is nearly all for a large a.
[[nodiscard]] inline double log_gamma_half_step(double a)
{
    double shift = 1;
    for (; a < 10; ++a) shift *= a / (a + 0.5);
    const double y = 1 / (a * a);
    const double series =
        (-1.0 / 8 +
         y * (1.0 / 192 + y * (-1.0 / 640 + y * (17.0 / 14336 + y * (-31.0 / 18432 +
                                                                     y * (691.0 / 180224 - y * (5461.0 / 425984))))))) /
        a;
    return 0.5 * std::log(a) + series + std::log(shift);
}

/// The regularised incomplete beta function I_x(a, b) where x <= (a + 1) / (a + b + 2), by its continued fraction
/// (Lentz' evaluation; DLMF 8.17.22). `front` is x^a (1 - x)^b / B(a, b).
[[nodiscard]] inline double beta_fraction(double a, double b, double x, double front)
{
    const auto kept_away = [](double v) { return std::abs(v) < 1e-300 ? 1e-300 : v; };
    double c = 1;
    double d = 1 / kept_away(1 - (a + b) * x / (a + 1));
    double fraction = d;
    for (int m = 1; m < 500; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / kept_away(1 + even * d);
        c = kept_away(1 + even / c);
        fraction *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / kept_away(1 + odd * d);
        c = kept_away(1 + odd / c);
        fraction *= d * c;
        if (std::abs(d * c - 1) < 3e-16) break;
    }
    return front * fraction / a;
}

/// F(1/2, 1; c; -w), w >= 0, by Gauss' continued fraction, whose terms are all positive: nothing cancels (DLMF 15.7.1).
[[nodiscard]] inline double gauss_fraction(double c, double w)
{
    // Lentz' evaluation of 1 + d_1 / (1 + d_2 / (1 + ...)).
    double value = 1, front = 1, back = 0;
    for (int m = 0; m < 100000; ++m) {
        // Of odd order 2 k + 1, from (1/2) / c on, and of even order 2 k.
        const int k = (m + 1) / 2;
        const double d = m == 0       ? w * 0.5 / c
                         : m % 2 == 0 ? w * (0.5 + k) * (c + k - 1) / ((c + m - 1) * (c + m))
                                      : w * k * (c + k - 1.5) / ((c + m - 1) * (c + m));
        back = 1 / (1 + d * back);
        front = 1 + d / front;
        value *= front * back;
        if (std::abs(front * back - 1) < 3e-16) break;
    }
    return 1 / value;
}

/// P(T > t), t >= 0, `df` degrees of freedom.
[[nodiscard]] inline double student_t_tail(double t, double df)
{
    if (t == 0) return 0.5;
    const double x = df / (df + t * t);  // 0 only where the tail is
    const double rest = t * t / (df + t * t);
    if (x == 0) return 0;
    const double a = 0.5 * df;
    const double root_pi = 1.77245385090551602730;
    // x^a by log1p: for a large df x is near 1, and its logarithm would lose what a multiplies.
    const double front = std::exp(log_gamma_half_step(a) - a * std::log1p(t * t / df)) * std::sqrt(rest) / root_pi;
    return x <= (a + 1) / (a + 2.5) ? 0.5 * front / (rest * a) * gauss_fraction(a + 1, df / (t * t))
                                    : 0.5 - 0.5 * beta_fraction(0.5, a, rest, front);
}

}  // namespace detail

/// The distribution function P(T <= t) with `df` degrees of freedom, not only whole ones. Precondition: df > 0, t not
/// NaN.
[[nodiscard]] inline double student_t_cdf(double t, double df)
{
    require(df > 0, "stats::student_t: no degrees of freedom, want more than 0");
    if (t - t != 0) return t > 0 ? 1 : 0;
    return t < 0 ? detail::student_t_tail(-t, df) : 1 - detail::student_t_tail(t, df);
}

/// The quantile: the t with P(T <= t) = p, to about 1e-13 relative. Precondition: 0 < p < 1, df > 0.
/// Cost: some microseconds, for a bisection over an interval found by doubling.
[[nodiscard]] inline double student_t_quantile(double p, double df)
{
    require(p > 0 && p < 1 && df > 0, "stats::student_t_quantile: p is not between 0 and 1, or df is not above 0");
    if (p == 0.5) return 0;
    const double tail = p < 0.5 ? p : 1 - p;
    double low = 0;
    double high = 1;
    while (detail::student_t_tail(high, df) > tail) {
        low = high;
        high *= 2;
        if (high > 1e150)
            return p < 0.5 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    }
    while (true) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        (detail::student_t_tail(middle, df) > tail ? low : high) = middle;
        if (high - low < 1e-14 * high) break;
    }
    return p < 0.5 ? -0.5 * (low + high) : 0.5 * (low + high);
}

}  // namespace tunekit::stats
