// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The empirical Bayes calibration of forestci: noisy estimates of variances are shrunk towards a common prior.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/stats/quantile.hpp"

namespace programs {

namespace detail {

/// A prior density of variances on 1000 equidistant points, g(x) = 0.9 exp(eta_1 x + eta_2 x^2) / Z + 0.1 / m on the m points x >= 0, and
/// how likely it makes what was estimated with Gaussian noise.
class variance_prior {
public:
    /// Precondition: at least two different estimates, noise > 0.
    variance_prior(std::span<const double> estimates, double noise);

    /// Fits eta by maximum likelihood.
    void fit();

    /// The posterior mean of the variance of which `estimate` was made.
    [[nodiscard]] double posterior_mean(double estimate) const;

private:
    using pair = std::array<double, 2>;
    struct judged {
        double value = 0;  ///< negative log likelihood
        pair gradient{};
    };

    void set(const pair& eta);
    [[nodiscard]] judged judge(const pair& eta);

    static constexpr std::size_t bins = 1000;
    static constexpr double slab = 0.1;

    std::span<const double> estimates_;
    double noise_;
    std::vector<double> x_, kernel_, first_, second_, main_, density_;
    std::size_t from_ = 0;  ///< of x_, the first that is not negative
};

inline variance_prior::variance_prior(std::span<const double> estimates, double noise)
    : estimates_(estimates),
      noise_(noise),
      x_(bins),
      kernel_(bins),
      first_(bins),
      second_(bins),
      main_(bins),
      density_(bins)
{
    const auto n = static_cast<double>(estimates.size());
    double mean = 0, square = 0;
    for (const double v : estimates) mean += v / n;
    for (const double v : estimates) square += (v - mean) * (v - mean);
    const double sd = std::sqrt(square / (n - 1));
    const auto [least, most] = std::minmax_element(estimates.begin(), estimates.end());
    const double low = (std::min)(*least - 2 * sd, 0.0), high = (std::max)(*most + 2 * sd, sd);
    const double step = (high - low) / static_cast<double>(bins - 1);
    for (std::size_t i = 0; i < bins; ++i) x_[i] = low + step * static_cast<double>(i);
    while (x_[from_] < 0) ++from_;
    const double centre = (low + high) / 2, sigma = std::sqrt(noise);
    double all = 0;
    for (std::size_t i = 0; i < bins; ++i) {
        const double z = (x_[i] - centre) / sigma;
        all += kernel_[i] = std::exp(-z * z / 2);
    }
    for (double& k : kernel_) k /= all;
    // Powers of x in units of their sums, or of the sums of their magnitudes where those cancel out.
    for (auto [power, to] : {std::pair{1, &first_}, std::pair{2, &second_}}) {
        double sum = 0, magnitude = 0;
        for (std::size_t i = 0; i < bins; ++i) {
            const double p = power == 1 ? x_[i] : x_[i] * x_[i];
            (*to)[i] = p;
            sum += p;
            magnitude += std::fabs(p);
        }
        const double unit = std::fabs(sum) <= 1.4901161193847656e-8 * magnitude ? magnitude : sum;
        for (double& p : *to) p /= unit;
    }
}

inline void variance_prior::set(const pair& eta)
{
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t i = from_; i < bins; ++i) most = (std::max)(most, eta[0] * first_[i] + eta[1] * second_[i]);
    for (std::size_t i = from_; i < bins; ++i)
        sum += main_[i] = std::exp(eta[0] * first_[i] + eta[1] * second_[i] - most);
    const double flat = slab / static_cast<double>(bins - from_);
    for (std::size_t i = from_; i < bins; ++i) {
        main_[i] *= (1 - slab) / sum;
        density_[i] = main_[i] + flat;
    }
}

inline variance_prior::judged variance_prior::judge(const pair& eta)
{
    set(eta);
    pair mean{};
    for (std::size_t i = from_; i < bins; ++i) {
        mean[0] += main_[i] * first_[i] / (1 - slab);
        mean[1] += main_[i] * second_[i] / (1 - slab);
    }
    judged out;
    // -log of the density of estimates at point k of the grid, times `share`, and its gradient.
    const auto add = [&](std::size_t k, double share) {
        double f = 0;
        pair slope{};
        const std::size_t shift = k + (bins - 1) / 2;  // of forestci's convolution
        const std::size_t begin = (std::max)(from_, shift < bins ? 0 : shift - bins + 1),
                          end = (std::min)(bins, shift + 1);
        for (std::size_t j = begin; j < end; ++j) {
            const double noise = kernel_[shift - j], main = noise * main_[j];
            f += noise * density_[j];
            slope[0] += main * (first_[j] - mean[0]);
            slope[1] += main * (second_[j] - mean[1]);
        }
        out.value -= share * std::log((std::max)(f, 1e-7));
        if (f <= 1e-7) return;
        out.gradient[0] -= share * slope[0] / f;
        out.gradient[1] -= share * slope[1] / f;
    };
    std::vector<double> shares(bins);  // linear interpolation between the points beside each estimate
    const double step = x_[1] - x_[0];
    for (const double v : estimates_) {
        const double at = (std::min)((v - x_.front()) / step, static_cast<double>(bins - 1));
        const auto k = (std::min)(static_cast<std::size_t>(at), bins - 2);
        const double right = at - static_cast<double>(k);
        shares[k] += 1 - right;
        shares[k + 1] += right;
    }
    for (std::size_t k = 0; k < bins; ++k)
        if (shares[k] > 0) add(k, shares[k]);
    return out;
}

// BFGS in two unknowns, with steps halved until the value falls enough.
inline void variance_prior::fit()
{
    pair eta{-1, -1};
    judged now = judge(eta);
    // The unknowns multiply powers whose values are about 1 / bins: the first steps are of that unit.
    const double unit = static_cast<double>(bins) * static_cast<double>(bins) / static_cast<double>(estimates_.size());
    pair row0{unit, 0}, row1{0, unit};
    for (int t = 0; t < 200; ++t) {
        if ((std::max)(std::fabs(now.gradient[0]), std::fabs(now.gradient[1])) <= 1e-7) break;
        pair step{-(row0[0] * now.gradient[0] + row0[1] * now.gradient[1]),
                  -(row1[0] * now.gradient[0] + row1[1] * now.gradient[1])};
        double falls = step[0] * now.gradient[0] + step[1] * now.gradient[1];
        if (!(falls < 0)) {
            row0 = {unit, 0};
            row1 = {0, unit};
            step = {-unit * now.gradient[0], -unit * now.gradient[1]};
            falls = step[0] * now.gradient[0] + step[1] * now.gradient[1];
        }
        double share = 1;
        pair next{};
        judged then;
        for (;; share /= 2) {
            next = {eta[0] + share * step[0], eta[1] + share * step[1]};
            then = judge(next);
            if (then.value <= now.value + 1e-4 * share * falls || share < 1e-12) break;
        }
        if (!(then.value < now.value)) break;
        const pair moved{next[0] - eta[0], next[1] - eta[1]};
        const pair turned{then.gradient[0] - now.gradient[0], then.gradient[1] - now.gradient[1]};
        const double curve = moved[0] * turned[0] + moved[1] * turned[1];
        if (curve > 0) {
            const pair h{row0[0] * turned[0] + row0[1] * turned[1], row1[0] * turned[0] + row1[1] * turned[1]};
            const double grow = (1 + (turned[0] * h[0] + turned[1] * h[1]) / curve) / curve;
            row0[0] += grow * moved[0] * moved[0] - 2 * h[0] * moved[0] / curve;
            row0[1] += grow * moved[0] * moved[1] - (h[0] * moved[1] + moved[0] * h[1]) / curve;
            row1[0] = row0[1];
            row1[1] += grow * moved[1] * moved[1] - 2 * h[1] * moved[1] / curve;
        }
        eta = next;
        now = then;
    }
    set(eta);
}

inline double variance_prior::posterior_mean(double estimate) const
{
    const double sigma = std::sqrt(noise_);
    double nearest = std::numeric_limits<double>::infinity(), sum = 0,
           weighed = 0;  // the exponent is less its largest, so that not all weights vanish
    for (std::size_t i = from_; i < bins; ++i) nearest = (std::min)(nearest, std::fabs(x_[i] - estimate) / sigma);
    for (std::size_t i = from_; i < bins; ++i) {
        const double z = (x_[i] - estimate) / sigma;
        const double weight = std::exp((nearest * nearest - z * z) / 2) * density_[i];
        sum += weight;
        weighed += weight * x_[i];
    }
    return weighed / sum;
}

}  // namespace detail

/// The posterior means of n variances, each estimated with Gaussian noise of variance `noise`, under a prior fitted to all of them. All
/// are positive, also where an estimate is not.
///
///     const auto v = calibrated(jackknife_variances, noise);
///
/// With no noise, or equal estimates, they are returned unchanged, except that those below 0 become 0. With 200
/// estimates or more the posterior mean is interpolated between their 51 quantiles, as forestci does.
///
/// Errors:     std::invalid_argument where an estimate or the noise is not finite, or the noise is negative.
/// Randomness: none. Cost: about 30 convolutions of 1000 points, some 20 ms.
/// Source:     Efron (2014), Two modeling strategies for empirical Bayes estimation, Statistical Science 29; forestci
///             0.9, calibrateEB, with its grid, its slab, and its convolution, which is off by half a bin.
/// Departures: the likelihood is maximised by its gradient, to 1e-7 of its scale; forestci stops at 5e-5. Results
///             differ from forestci's by as much as those differ from the maximum: up to some 1e-3 of the largest
///             variance.
[[nodiscard]] inline std::vector<double> calibrated(std::span<const double> variances, double noise)
{
    tunekit::require(noise >= 0 && std::isfinite(noise), "calibrated: noise is negative, NaN or infinite, want >= 0");
    for (const double v : variances)
        tunekit::require(std::isfinite(v), "calibrated: an estimate is NaN or infinite, want finite ones");
    std::vector<double> out(variances.begin(), variances.end());
    for (double& v : out) v = (std::max)(v, 0.0);
    if (variances.empty() || noise == 0) return out;
    const auto [least, most] = std::minmax_element(variances.begin(), variances.end());
    if (*least == *most) return out;
    detail::variance_prior prior(variances, noise);
    prior.fit();
    if (variances.size() < 200) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = prior.posterior_mean(variances[i]);
        return out;
    }
    std::vector<double> sorted(variances.begin(), variances.end()), at, means;
    std::sort(sorted.begin(), sorted.end());
    for (int k = 0; k <= 50; ++k) {
        at.push_back(tunekit::stats::quantile_of_sorted(sorted, k / 50.0));
        means.push_back(prior.posterior_mean(at.back()));
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto above = std::upper_bound(at.begin(), at.end(), variances[i]);
        if (above == at.end()) {
            out[i] = means.back();
            continue;
        }
        const auto k = static_cast<std::size_t>(above - at.begin());  // at[k - 1] <= v < at[k]
        const double share = (variances[i] - at[k - 1]) / (at[k] - at[k - 1]);
        out[i] = means[k - 1] + share * (means[k] - means[k - 1]);
    }
    return out;
}

}  // namespace programs
