// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Student's t distribution: the factor of every interval for a mean.

#include <cassert>
#include <cmath>
#include <limits>

#include "tunekit/core/config.hpp"

namespace tunekit::stats {

namespace detail {

/// ln Gamma(x), x > 0, by Stirling's series above 10 (std::lgamma writes a global variable).
[[nodiscard]] inline double log_gamma(double x)
{
    double shift = 1;
    for (; x < 10; ++x)
        shift *= x;
    const double y = 1 / (x * x);
    const double series =
        (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - y * (691.0 / 360360)))))) /
        x;
    return (x - 0.5) * std::log(x) - x + 0.91893853320467274178 + series - std::log(shift);
}

/// The regularised incomplete beta function I_x(a, b) where x <= (a + 1) / (a + b + 2), by its continued fraction
/// (Lentz' evaluation; DLMF 8.17.22).
[[nodiscard]] inline double beta_fraction(double a, double b, double x, double one_minus_x)
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
        if (std::abs(d * c - 1) < 1e-16) break;
    }
    const double front = a * std::log(x) + b * std::log(one_minus_x) + log_gamma(a + b) - log_gamma(a) - log_gamma(b);
    return std::exp(front) * fraction / a;
}

/// P(T > t), t >= 0, `df` degrees of freedom.
[[nodiscard]] inline double student_t_tail(double t, double df)
{
    if (t == 0) return 0.5;
    const double x = df / (df + t * t);  // 0 only where the tail is
    const double rest = t * t / (df + t * t);
    if (x == 0) return 0;
    const double a = 0.5 * df;
    return x <= (a + 1) / (a + 2.5) ? 0.5 * beta_fraction(a, 0.5, x, rest) : 0.5 - 0.5 * beta_fraction(0.5, a, rest, x);
}

}  // namespace detail

/// P(T <= t) with `df` degrees of freedom, not only whole ones. Precondition: df > 0, t not NaN.
[[nodiscard]] inline double student_t_cdf(double t, double df)
{
    assert(df > 0);
    if (t - t != 0) return t > 0 ? 1 : 0;
    return t < 0 ? detail::student_t_tail(-t, df) : 1 - detail::student_t_tail(t, df);
}

/// The t with P(T <= t) = p, to about 1e-13 relative. Precondition: 0 < p < 1, df > 0.
/// Cost: some microseconds: bisection over an interval found by doubling.
[[nodiscard]] inline double student_t_quantile(double p, double df)
{
    assert(p > 0 && p < 1 && df > 0);
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
