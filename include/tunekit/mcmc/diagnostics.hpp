// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Whether a chain is worth believing: acceptance, autocorrelation time, effective samples.

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/mcmc/state.hpp"

namespace tunekit::mcmc {

/// The share of proposals that each walker took. 0.2 to 0.5 is healthy, 0.5 to 0.6 usual in four dimensions; NaN without a step.
[[nodiscard]] inline std::vector<double> acceptance(const chain& all)
{
    std::vector<double> out;
    for (const std::uint64_t n : all.accepted) out.push_back(static_cast<double>(n) / static_cast<double>(all.steps));
    return out;
}

/// The mean of `acceptance` over walkers.
[[nodiscard]] inline double mean_acceptance(const chain& all)
{
    double sum = 0;
    for (const double share : acceptance(all)) sum += share;
    return sum / static_cast<double>(all.accepted.size());
}

/// How long a chain remembers.
struct autocorrelation {
    double time = std::numeric_limits<double>::infinity();  ///< tau, in steps of the run; +inf for a series that never moves
    std::size_t window = 0;                                  ///< M, in stored steps
    bool reliable = false;                                   ///< the chain is at least 50 tau long

    friend bool operator==(const autocorrelation&, const autocorrelation&) = default;
};

/// When an estimate stops summing and when it is trusted.
struct autocorrelation_rule {
    double window = 5;      ///< c: the sum ends at the smallest M >= c tau(M)
    double longest = 50;    ///< a chain is long enough from this many tau on
};

namespace detail {

/// In-place radix-2 Fourier transform, forward and unscaled. Precondition: the size is a power of two.
inline void fourier(std::vector<std::complex<double>>& x)
{
    const std::size_t n = x.size();
    for (std::size_t i = 1, j = 0; i < n; ++i) {  // bit-reversed order
        std::size_t bit = n >> 1;
        for (; (j & bit) != 0; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(x[i], x[j]);
    }
    std::vector<std::complex<double>> root(n / 2);
    for (std::size_t k = 0; k < n / 2; ++k) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
        root[k] = {std::cos(angle), std::sin(angle)};
    }
    for (std::size_t half = 1; half < n; half *= 2)
        for (std::size_t block = 0; block < n; block += 2 * half)
            for (std::size_t k = 0; k < half; ++k) {
                const std::complex<double> w = root[k * (n / (2 * half))], a = x[block + k], b = x[block + k + half];
                const std::complex<double> turned(w.real() * b.real() - w.imag() * b.imag(),
                                                  w.real() * b.imag() + w.imag() * b.real());
                x[block + k] = a + turned;
                x[block + k + half] = a - turned;
            }
}

}  // namespace detail

/// The autocorrelation rho(0), ..., rho(n - 1) of a series: rho(0) = 1; empty when the series never moves or is empty.
/// Cost: O(n log n), by the Fourier transform of the series without its mean, padded with zeros to twice its length.
[[nodiscard]] inline std::vector<double> autocorrelation_function(std::span<const double> series)
{
    const std::size_t n = series.size();
    if (n == 0 || std::all_of(series.begin(), series.end(), [&](double x) { return x == series[0]; })) return {};
    double mean = 0;
    for (const double x : series) mean += x;
    mean /= static_cast<double>(n);
    std::vector<std::complex<double>> f(2 * std::bit_ceil(n));
    for (std::size_t i = 0; i < n; ++i) f[i] = series[i] - mean;
    detail::fourier(f);
    for (auto& z : f) z = std::norm(z);  // real and even, so a second forward transform inverts it up to scale
    detail::fourier(f);
    std::vector<double> rho(n);
    for (std::size_t i = 0; i < n; ++i) rho[i] = f[i].real() / f[0].real();
    return rho;
}

/// The integrated autocorrelation time of W series of n values, given as a function `at(t, k)` of step and walker.
///
///     tau(M) = 2 sum_{m=0..M} rho(m) - 1, rho averaged over walkers;  M the smallest with M >= c tau(M), or n - 1
///
/// Walkers that never move are left out of the average; when none moves, tau is +inf.
/// Source: Sokal (1997), Monte Carlo Methods in Statistical Mechanics, section 3; averaging as in emcee 3.
template <class At>
[[nodiscard]] autocorrelation integrated_time(std::size_t n, std::size_t walkers, const At& at,
                                              const autocorrelation_rule& rule = {})
{
    std::vector<double> rho(n), series(n);
    std::size_t moving = 0;
    for (std::size_t k = 0; k < walkers; ++k) {
        for (std::size_t t = 0; t < n; ++t) series[t] = at(t, k);
        const std::vector<double> one = autocorrelation_function(series);
        if (one.empty()) continue;
        ++moving;
        for (std::size_t t = 0; t < n; ++t) rho[t] += one[t];
    }
    if (moving == 0) return {};
    double tau = -1;
    std::size_t window = 0;
    for (std::size_t m = 0; m < n; ++m) {
        tau += 2 * rho[m] / static_cast<double>(moving);
        window = m;
        if (static_cast<double>(m) >= rule.window * tau) break;
    }
    return {.time = tau, .window = window, .reliable = static_cast<double>(n) >= rule.longest * tau};
}

/// The autocorrelation time of every coordinate of a chain, in steps of the run (a thinned chain counts its thinning).
/// Errors: none: a chain that is too short says `reliable = false` and still gives its estimate.
[[nodiscard]] inline std::vector<autocorrelation> autocorrelation_times(const chain& all, const autocorrelation_rule& rule = {})
{
    std::vector<autocorrelation> out;
    for (std::size_t c = 0; c < all.dimensions; ++c) {
        out.push_back(integrated_time(
            all.size(), all.walkers, [&](std::size_t t, std::size_t k) { return all.at(t, k)[c]; }, rule));
        out.back().time *= static_cast<double>(all.thin_by);
    }
    return out;
}

/// How many independent draws the chain is worth, by its slowest coordinate: W n / tau. 0 when a coordinate never moves.
[[nodiscard]] inline double effective_samples(const chain& all, const autocorrelation_rule& rule = {})
{
    double longest = 0;
    for (const autocorrelation& one : autocorrelation_times(all, rule)) longest = (std::max)(longest, one.time);
    return static_cast<double>(all.samples() * all.thin_by) / longest;
}

}  // namespace tunekit::mcmc
