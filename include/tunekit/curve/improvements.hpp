// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A forecast of a tuning curve from its improvements: their frequency and their sizes.

#include <cmath>
#include <cstddef>
#include <span>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/detail/unit.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/curve/concepts.hpp"

namespace tunekit::curve {

/// Forecasts a tuning curve as a staircase, whose steps are the improvements of the search.
///
///     const curve::improvement_process belief;
///     const curve::forecast next = belief.predict(best, horizon, peak, gen);
///     belief.gains(best, horizon).quantile(0.95);   // relative to the last value; 0 as long as P(no improvement) > 0.95
///
/// If trials are exchangeable, trial t improves on all before (sets a record) with probability 1 / t. That is one
/// improvement per factor e of trials, whatever the distribution of their values. So improvements are modelled as a
/// Poisson process in ln t of unknown rate. Their gains are exponential with an unknown mean, which shrinks as t^-d.
/// Both unknowns have conjugate priors. Their posteriors give the gain until the horizon in closed form. With d =
/// `shrinking`:
///
///     rate ~ Gamma(rate_prior + sum_j w_j, rate_prior + E),  w_j = (t_j / n)^forgetting: late ones count most,
///                                                            E = (1 - (t_1 / n)^forgetting) / forgetting: ln t seen
///     mean gain at n ~ InverseGamma(gain_shape + J, gain_prior (gain_shape - 1) n^-d + sum_j g_j (t_j / n)^d)
///
/// over the J improvements after t_1, the first valid trial. g_j = 1 - best before / best after is the share of time
/// that improvement j saved. So the large improvements of the first trials count less than 1 each, and do not make
/// later ones likely.
///
/// Shapes:     as `belief`, but any n >= 1 is enough, and `peak` is not used.
/// Errors:     std::invalid_argument for a curve with a negative or infinite value, a horizon not above n, or
///             parameters out of range. Values beyond 1e300 may give an infinite forecast, below 1e-300 an infinite
///             saving; never NaN.
/// Randomness: none.
/// Cost:       O(n) and about 10 us; a hundredth of a `belief`.
/// Source:     ours, on Renyi (1962), Theorie des elements saillants d'une suite d'observations, on records of
///             exchangeable trials. The defaults were chosen by interval score on recorded spaces: docs/curves.md.
struct improvement_process {
    /// The distribution of the relative gain G = performance at the horizon / last - 1. It is the sum of N gains, where
    /// N is negative binomial (a Poisson number of uncertain mean) and the gains are exponential of one uncertain mean.
    ///
    ///     P(G > x) = sum_j P(N > j) C(shape + j - 1, j) (s / (s + x))^shape (x / (s + x))^j,   s = scale
    ///
    /// G = 0 has a probability of its own: that no better configuration is found.
    class distribution {
    public:
        distribution() = default;  ///< certainly no gain

        /// Makes a distribution in which N has mean `count` * `exposure` and variance `count` * `exposure` * (1 +
        /// `exposure`). A gain has mean `scale` / (`shape` - 1).
        /// Errors: std::invalid_argument unless all are positive and finite and `shape` > 2, which a standard deviation
        /// needs.
        distribution(double count, double exposure, double shape, double scale);

        /// P(G > x); NaN where x is.
        [[nodiscard]] double survival(double x) const
        {
            if (x < 0) return 1;
            return of_share(x <= 1e300 ? x / (scale_ + x) : 1 / (1 + scale_ / x));  // the sum may overflow
        }

        /// The least x >= 0 with P(G <= x) >= p. Throws std::invalid_argument unless 0 <= p < 1.
        [[nodiscard]] double quantile(double p) const;

        /// The mean of G.
        [[nodiscard]] double mean() const { return count_ * exposure_ * (scale_ / (shape_ - 1)); }

        /// The standard deviation of G; infinite where the square of the mean of N is.
        [[nodiscard]] double sd() const;

        /// E[G / (1 + G)]: the expected share of the time of one run that is saved.
        [[nodiscard]] double saved_share() const;

    private:
        static constexpr std::size_t most = 4096;  // the most terms; N is smaller for any realistic horizon

        [[nodiscard]] double of_share(double u) const;

        double count_ = 0, exposure_ = 0, shape_ = 3, scale_ = 1;
        core::plain_vector<double> more_;  // P(N > j)
    };

    double rate_prior = 2;    ///< the prior's weight in improvements; its mean is one per factor e of trials; > 0
    double forgetting = 1;    ///< >= 0; 0: all improvements have the same weight in the rate
    double gain_shape = 2.5;  ///< the prior's weight in gains, and 1; > 2
    double gain_prior = 0.1;  ///< the prior's mean gain of an improvement at trial 1; > 0
    double shrinking = 0.6;   ///< d: gains shrink as t^-d; >= 0

    /// The relative gain until `horizon`; certainly 0 for a curve without a value above 0.
    [[nodiscard]] distribution gains(std::span<const double> best, double horizon) const;

    template <generator G>
    [[nodiscard]] forecast predict(std::span<const double> best, double horizon, double, G&) const
    {
        const distribution g = gains(best, horizon);
        if (g.mean() == 0) return {};
        const double last = best.back(), gain = last * g.mean();
        return {.last = last,
                .mean = last + gain,
                .sd = last * g.sd(),
                .expected_improvement = gain,
                .expected_saving = g.saved_share() / last,
                .basis = basis::improvements,
                .low = last * (1 + g.quantile(0.05)),
                .high = last * (1 + g.quantile(0.95))};
    }
};

}  // namespace tunekit::curve

#if TUNEKIT_BODIES
namespace tunekit::curve {

TUNEKIT_INLINE improvement_process::distribution::distribution(double count, double exposure, double shape,
                                                               double scale)
    : count_(count), exposure_(exposure), shape_(shape), scale_(scale)
{
    require(count > 0 && exposure > 0 && scale > 0 && std::isfinite(count * exposure * scale),
            "improvement_process::distribution: a parameter is not positive and finite");
    require(shape > 2 && std::isfinite(shape), "improvement_process::distribution: shape is not finite and above 2");
    double log_p = -count * std::log1p(exposure), below = std::exp(log_p);  // ln P(N = j), P(N <= j)
    const double log_hit = std::log(exposure) - std::log1p(exposure);
    for (double j = 0; more_.size() < most && 1 - below > 1e-12; ++j) {
        more_.push_back(1 - below);
        log_p += std::log((count + j) / (j + 1)) + log_hit;
        below += std::exp(log_p);
    }
}

TUNEKIT_INLINE double improvement_process::distribution::quantile(double p) const
{
    require(p >= 0 && p < 1, "improvement_process::distribution: p is outside [0, 1), want a probability");
    if (more_.empty() || more_[0] <= 1 - p) return 0;
    double low = 0, high = 1;  // of x / (scale + x), over which the survival falls to 0
    for (int i = 0; i < 50; ++i) {
        const double middle = 0.5 * (low + high);
        (of_share(middle) > 1 - p ? low : high) = middle;
    }
    return scale_ * low / (1 - low);
}

TUNEKIT_INLINE double improvement_process::distribution::sd() const
{
    // Given the mean gain m it is E G^2 = E[N (N + 1)] m^2.
    const double n = count_ * exposure_, n2 = n * (1 + exposure_) + n * n;
    const double unit = core::detail::unit_of(scale_), s = scale_ / unit;
    const double m2 = s * s / ((shape_ - 1) * (shape_ - 2)), m = n * (s / (shape_ - 1));
    const double variance = (n2 + n) * m2 - m * m;
    return variance > 0 ? std::sqrt(variance) * unit : 0;
}

TUNEKIT_INLINE double improvement_process::distribution::saved_share() const
{
    if (more_.empty()) return 0;
    constexpr int panels = 128;  // Simpson's rule in u = x / (unit + x), where nothing is steep
    const double unit = scale_ < 1 ? scale_ : 1;
    double sum = 0;
    for (int i = 0; i < panels; ++i) {
        const double u = static_cast<double>(i) / panels, width = 1 - u + unit * u;
        sum += (i == 0 ? 1 : i % 2 == 1 ? 4 : 2) * survival(unit * u / (1 - u)) / (width * width);
    }
    return unit * sum / (3 * panels);  // at u = 1 the integrand is 0
}

TUNEKIT_INLINE double improvement_process::distribution::of_share(double u) const
{
    double term = std::pow(1 - u, shape_), sum = 0;
    for (std::size_t j = 0; j < more_.size(); ++j) {
        sum += more_[j] * term;
        term *= (shape_ + static_cast<double>(j)) / static_cast<double>(j + 1) * u;
    }
    return sum;
}

TUNEKIT_INLINE improvement_process::distribution improvement_process::gains(std::span<const double> best,
                                                                            double horizon) const
{
    require(rate_prior > 0 && forgetting >= 0, "improvement_process: want rate_prior > 0 and forgetting >= 0");
    require(gain_shape > 2 && gain_prior > 0 && shrinking >= 0,
            "improvement_process: want gain_shape > 2, gain_prior > 0, shrinking >= 0");
    const auto n = static_cast<double>(best.size());
    require(horizon > n, "improvement_process: the horizon is not beyond the curve, want more trials than it has");
    double first = 0, rate = rate_prior, shape = gain_shape;
    double scale = gain_prior * (gain_shape - 1) * std::pow(n, -shrinking);
    for (std::size_t i = 0; i < best.size(); ++i) {
        require(best[i] >= 0 && std::isfinite(best[i]),
                "improvement_process: a value of the curve is negative or not finite");
        const double t = static_cast<double>(i + 1);
        if (first == 0) {
            if (best[i] > 0) first = t;
        } else if (best[i] > best[i - 1]) {
            rate += std::pow(t / n, forgetting);
            shape += 1;
            scale += (1 - best[i - 1] / best[i]) * std::pow(t / n, shrinking);
        }
    }
    if (first == 0) return {};
    const double age = std::log(n / first);
    const double seen = forgetting > 0 ? -std::expm1(-forgetting * age) / forgetting : age;
    return {rate, std::log(horizon / n) / (rate_prior + seen), shape, scale};
}

}  // namespace tunekit::curve
#endif  // TUNEKIT_BODIES
