// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Student's t distribution, used by every interval for a mean.

#include <cmath>
#include <limits>

#include "tunekit/core/config.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/stats/normal.hpp"

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

inline constexpr double normal_from = 1e25;  ///< degrees of freedom from which no double tells t from the normal
inline constexpr double half_below = 1e-20;  ///< and below which every double is a median

/// P(0 < T <= t) and P(T > t), t >= 0 and finite. One of them is computed, and the other is what it leaves of 1/2.
struct student_t_shares {
    double centre, tail;
    bool from_centre;  ///< whether `centre` was computed, so that it is precise also where it is small
};

[[nodiscard]] inline student_t_shares student_t_split(double t, double df)
{
    const auto by_centre = [](double share) { return student_t_shares{share, 0.5 - share, true}; };
    const auto by_tail = [](double share) { return student_t_shares{0.5 - share, share, false}; };
    if (t == 0 || df < half_below) return by_centre(0);
    if (df >= normal_from) return by_tail(normal_cdf(-t));
    const double a = 0.5 * df;
    const double root_pi = 1.77245385090551602730;
    if (t > 1e100)  // t^2 may overflow: the first term of the tail's series, to which the others add 1e-150
        return by_tail(0.5 * std::exp(log_gamma_half_step(a)) / (root_pi * a) * std::pow(std::sqrt(df) / t, df));
    const double rest = t * t / (df + t * t);
    // x^a by log1p: for a large df x is near 1, and its logarithm would lose what a multiplies.
    const double front = std::exp(log_gamma_half_step(a) - a * std::log1p(t * t / df)) * std::sqrt(rest) / root_pi;
    // x = df / (df + t^2) <= (a + 1) / (a + 2.5), in numbers that do not round to 1 for a large df
    if (t * t >= 3 / (1 + 1 / a)) return by_tail(0.5 * front / (rest * a) * gauss_fraction(a + 1, df / (t * t)));
    return by_centre(0.5 * beta_fraction(0.5, a, rest, front));
}

}  // namespace detail

/// The distribution function P(T <= t) with `df` degrees of freedom, not only whole ones; the normal one's where df is
/// infinite. It is NaN where t is. Precondition: df > 0.
[[nodiscard]] inline double student_t_cdf(double t, double df)
{
    require(df > 0, "stats::student_t: no degrees of freedom, want more than 0");
    if (t != t) return t;
    if (t - t != 0) return t > 0 ? 1 : 0;
    const double tail = detail::student_t_split(std::abs(t), df).tail;
    return t < 0 ? tail : 1 - tail;
}

/// The quantile: the t with P(T <= t) = p, to about 1e-13 relative; infinite where it is beyond the largest double. df
/// may be infinite. Precondition: 0 < p < 1, df > 0.
/// Cost: some microseconds, for a bisection over an interval found by doubling.
[[nodiscard]] inline double student_t_quantile(double p, double df)
{
    require(p > 0 && p < 1 && df > 0, "stats::student_t_quantile: p is not between 0 and 1, or df is not above 0");
    if (p == 0.5) return 0;
    if (df >= detail::normal_from) return normal_quantile(p);
    const double centre = std::abs(p - 0.5);
    const double tail = p < 0.5 ? p : 1 - p;
    const auto short_of_it = [&](double t) {
        const auto shares = detail::student_t_split(t, df);
        return shares.from_centre ? shares.centre < centre : shares.tail > tail;
    };
    double low = 0;
    double high = 1;
    while (short_of_it(high)) {
        if (high == (std::numeric_limits<double>::max)())
            return p < 0.5 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        low = high;
        high = high < 0x1p1023 ? 2 * high : (std::numeric_limits<double>::max)();
    }
    while (true) {
        const double middle = 0.5 * low + 0.5 * high;
        if (middle <= low || middle >= high) break;
        (short_of_it(middle) ? low : high) = middle;
        if (high - low < 1e-14 * high) break;
    }
    const double t = 0.5 * low + 0.5 * high;
    return p < 0.5 ? -t : t;
}

}  // namespace tunekit::stats
