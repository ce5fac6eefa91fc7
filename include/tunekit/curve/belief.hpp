// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// DynaTune's Bayesian belief: a forecast of a tuning curve, as a distribution.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/curve/concepts.hpp"
#include "tunekit/curve/detail/fallback.hpp"
#include "tunekit/curve/families/log_power.hpp"
#include "tunekit/curve/fit.hpp"
#include "tunekit/curve/posterior.hpp"
#include "tunekit/curve/segment.hpp"
#include "tunekit/mcmc/ensemble.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/stats/expected_excess.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tunekit::curve {

/// The starting points of the walkers.
enum class walkers_from {
    ball,     ///< around the least-squares curve, 1e-4 of each parameter wide, as in DynaTune: burn-in spreads them
    hessian,  ///< from the normal distribution of the least-squares curvature: nearly the posterior
};

/// Options of `belief`.
struct belief_options {
    double jump = 0.2;           ///< relative; a value more than this above the one before starts a segment; +inf never
    std::size_t walkers = 10;    ///< of the ensemble
    std::size_t steps = 500;     ///< of each walker
    std::size_t burn_in = 300;   ///< of the steps
    bool not_below_last = true;  ///< only curves whose prediction is not below the last value
    bool scale_by_distinct = false;  ///< scale the likelihood of n points to the number of their distinct values
    walkers_from start = walkers_from::ball;  ///< the starting points of the walkers

    friend bool operator==(const belief_options&, const belief_options&) = default;
};

/// Fits a family of rising curves to the best performance so far, and samples the curves' values at a horizon.
///
///     const curve::belief<> belief;                                      // log power, the paper's numbers
///     const curve::forecast next = belief.predict(best, horizon, peak, gen);
///
/// The curve is divided by `peak` and cut at jumps. The last segment is fitted by least squares. An ensemble of walkers
/// then samples (parameters, sigma) under a uniform prior on a box and the condition f(horizon) >= last. The f(horizon)
/// of the kept samples give mean and sd. The expected improvement is  sd (phi(Z) + Z Phi(Z)),  Z = (mean - last) / sd.
///
/// Shapes:     best[i] is the best performance after trial i + 1, in FLOP/s; horizon in trials, above their number;
///             peak in FLOP/s, 0 where unknown: 1.25 times the last value, as for one that is NaN, beyond 1e100 or less
///             than 1e-100 of it. Values above the peak are legal (Winograd).
/// Fallback:   with fewer than 5 points, a segment that does not move, no usable fit or start, or fewer than 50
///             samples, mean = last (1 + g), sd = 0.05 last, where g is half the mean relative growth over the last 3
///             stretches of horizon - n trials. These are the last 3 slots, if all slots have one length.
/// Errors:     std::invalid_argument for a curve with a negative or infinite value, a horizon not above n, or options
///             that keep no step.
/// Randomness: only where there is a posterior: normals for the start, then the sampler's.
/// Cost:       steps x walkers likelihoods: 1.5 to 3 ms for 260 points on one core, whatever the family.
/// Threads:    const; one generator per thread.
/// Source:     Zhang et al. (2021), DynaTune, ICLR, section 4.3; Domhan, Springenberg, Hutter (2015), IJCAI.
/// Departures: a proper prior; a relative start ball; sigma at least 1e-6; fallbacks. A least-squares run that ends by
///             its limit on evaluations still starts the walkers, because they do not need an optimum.
template <family F = log_power>
struct belief {
    belief_options options = {};  ///< the defaults are the paper's

    /// A forecast and the fit, samples and acceptance behind it.
    struct explanation {
        curve::forecast forecast;  ///< the forecast itself
        std::size_t first = 0;     ///< where the segment begins in the curve, from 0
        fitted<F> fit;             ///< parameters of the normalised curve, value over peak
        double acceptance = 0;     ///< mean over walkers; 0.4 to 0.7 is usual
        std::vector<double>
            predictions;  ///< performance at the horizon, one per kept sample; empty without a posterior
    };

    static constexpr std::size_t thin = 10;  ///< all walkers are stored after every this many steps

    template <generator G>
    [[nodiscard]] forecast predict(std::span<const double> best, double horizon, double peak, G& gen) const
    {
        return explain(best, horizon, peak, gen).forecast;
    }

    /// The forecast together with its fit, samples and acceptance.
    template <generator G>
    [[nodiscard]] explanation explain(std::span<const double> best, double horizon, double peak, G& gen) const
    {
        require(horizon > static_cast<double>(best.size()),
                "belief.predict: the horizon is not beyond the curve, want more trials than it has");
        require(horizon <= 1e15, "belief.predict: the horizon is beyond 1e15 trials, want a nearer one");
        require(options.burn_in + thin <= options.steps, "belief: no step is kept, want burn_in + thin <= steps");
        explanation out;
        const segment part = last_segment(best, options.jump);
        if (part.x.empty()) return out;
        const double last = best.back();
        if (!(peak > 0 && peak >= 1e-100 * last && peak <= 1e100)) peak = 1.25 * last;
        out.first = part.first;
        out.forecast = detail::growth_forecast(best, horizon);

        std::vector<double> y = part.y;
        for (double& v : y) v /= peak;
        if (y.size() < 5 || y.back() - y.front() < 1e-9) return out;
        observations data(part.x, y);
        const double at = horizon - static_cast<double>(part.first);
        const box_of<F> box = F::box(1.5 * (std::max)(1.0, y.back()));
        out.fit = curve::fit<F>(data, box);
        if (!out.fit.usable) return out;

        posterior_options<F> posterior{.box = box};
        if (options.not_below_last) posterior.not_below = {at, y.back()};
        if (options.scale_by_distinct) posterior.scale = distinct(y) / static_cast<double>(y.size());
        parameters_of<F> centre = out.fit.parameters;
        if (!detail::raise<F>(centre, box, posterior.not_below.x, posterior.not_below.y)) {
            centre = F::guess(data);  // a fit at the edge of the box may be unable to rise; a rougher curve is not
            if (!detail::raise<F>(centre, box, posterior.not_below.x, posterior.not_below.y)) return out;
        }
        const log_posterior<F> density(std::move(data), posterior);
        const std::vector<double> walkers = start(density, out.fit, centre, y.size(), gen);
        if (walkers.empty() || !mcmc::linearly_independent(walkers, dimensions)) return out;
        const mcmc::ensemble sampler{mcmc::stretch{}};
        mcmc::state state = sampler.start(density, walkers, dimensions);
        const mcmc::chain chain = sampler.run(state, density, options.steps, gen);
        const mcmc::chain kept = mcmc::kept(chain, options.burn_in, thin);
        for (std::size_t i = 0; i < kept.samples(); ++i) {
            const double f = value<F>(parameters(kept.sample(i)), at) * peak;
            if (std::isfinite(f)) out.predictions.push_back(f);
        }
        double accepted = 0;
        for (const std::uint64_t n : chain.accepted) accepted += static_cast<double>(n);
        out.acceptance = accepted / static_cast<double>(chain.steps * chain.walkers);
        if (out.predictions.size() >= 50) out.forecast = summary(out.predictions, last);
        else out.predictions.clear();
        return out;
    }

private:
    static constexpr std::size_t dimensions = F::dimensions + 1;  // and sigma

    [[nodiscard]] static parameters_of<F> parameters(std::span<const double> sample)
    {
        parameters_of<F> p{};
        std::copy_n(sample.begin(), F::dimensions, p.begin());
        return p;
    }

    [[nodiscard]] static double distinct(const std::vector<double>& y)
    {
        double n = 1;
        for (std::size_t i = 1; i < y.size(); ++i) n += y[i] != y[i - 1] ? 1 : 0;
        return n;
    }

    [[nodiscard]] static forecast summary(const std::vector<double>& predictions, double last)
    {
        forecast out{.last = last,
                     .mean = stats::mean(predictions),
                     .sd = std::sqrt(stats::variance(predictions)),
                     .basis = basis::posterior};
        out.expected_improvement = stats::expected_excess({out.mean, out.sd}, last);
        const auto saved = [&](std::size_t i) { return detail::saving(last, (std::max)(last, predictions[i])); };
        out.expected_saving = stats::sum_of(predictions.size(), saved) / static_cast<double>(predictions.size());
        out.low = stats::quantile(predictions, 0.05);
        out.high = stats::quantile(predictions, 0.95);
        return out;
    }

    /// Walkers around `centre`; empty when no draw lies in the support.
    template <generator G>
    [[nodiscard]] std::vector<double> start(const log_posterior<F>& density, const fitted<F>& fit,
                                            const parameters_of<F>& centre, std::size_t n, G& gen) const
    {
        const double sigma = (std::clamp)(fit.sd, 1e-4, 0.999);
        std::vector<double> spread =
            options.start == walkers_from::hessian ? covariance_factor(fit, sigma) : std::vector<double>{};
        std::vector<double> out;
        std::size_t tries = 0;
        while (out.size() < options.walkers * dimensions) {
            if (++tries > 100 * options.walkers) {
                if (spread.empty()) return {};
                spread.clear();  // the normal approximation lies outside the support: the ball it is
                out.clear();
                tries = 0;
            }
            std::array<double, dimensions> z{}, x{};
            for (double& v : z) v = random::normal(gen);
            for (std::size_t c = 0; c < F::dimensions; ++c) {
                x[c] = centre[c];
                if (spread.empty()) x[c] += 1e-4 * (std::max)(1e-2, std::abs(centre[c])) * z[c];
                else
                    for (std::size_t k = 0; k < F::dimensions; ++k) x[c] += spread[c * F::dimensions + k] * z[k];
            }
            const double wide = spread.empty() ? 1e-4 : 1 / std::sqrt(2 * static_cast<double>(n));
            x[F::dimensions] = sigma * (1 + wide * z[F::dimensions]);
            if (std::isfinite(density.one(parameters(x), x[F::dimensions]))) out.insert(out.end(), x.begin(), x.end());
        }
        return out;
    }

    /// A with A A^T = sigma^2 H^-1, row-major; empty where H has no inverse.
    [[nodiscard]] static std::vector<double> covariance_factor(const fitted<F>& fit, double sigma)
    {
        constexpr std::size_t d = F::dimensions;
        const Eigen::LLT<linalg::matrix> factor(fit.hessian);
        if (factor.info() != Eigen::Success) return {};
        const linalg::matrix identity = linalg::matrix::Identity(linalg::eigen_index(d), linalg::eigen_index(d));
        const linalg::matrix a = sigma * linalg::matrix(factor.matrixU().solve(identity));  // H = L L^T: A = sigma L^-T
        if (!a.allFinite()) return {};
        std::vector<double> out;
        for (std::size_t i = 0; i < d * d; ++i)
            out.push_back(a(linalg::eigen_index(i / d), linalg::eigen_index(i % d)));
        return out;
    }
};

}  // namespace tunekit::curve
