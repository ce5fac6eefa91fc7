// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Diagnostics of a chain: acceptance, autocorrelation time, effective samples.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/detail/unit.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/mcmc/detail/lag_sums.hpp"
#include "tunekit/mcmc/state.hpp"

namespace tunekit::mcmc {

/// The share of its proposals that each walker accepted. 0.2 to 0.5 is healthy; in four dimensions 0.5 to 0.6 is usual.
/// It is NaN without a step.
[[nodiscard]] inline std::vector<double> acceptance(const chain& all)
{
    std::vector<double> out;
    const double steps = all.steps > 0 ? static_cast<double>(all.steps) : std::numeric_limits<double>::quiet_NaN();
    for (const std::uint64_t n : all.accepted) out.push_back(static_cast<double>(n) / steps);
    return out;
}

/// The mean of `acceptance` over walkers; NaN without a step or a walker.
[[nodiscard]] inline double mean_acceptance(const chain& all)
{
    double sum = 0;
    for (const double share : acceptance(all)) sum += share;
    return sum / static_cast<double>(all.accepted.size());
}

/// The autocorrelation time of a series.
struct autocorrelation {
    static constexpr double window_times = 5;  ///< c: the sum ends at the smallest M >= c tau(M)
    static constexpr double min_times = 50;    ///< a chain is long enough from this many tau on

    double time =
        std::numeric_limits<double>::infinity();  ///< tau, in steps of the run; +inf for a series that never moves, NaN
                                                  ///< where it has a value that is NaN or infinite
    std::size_t window = 0;                       ///< M, in stored steps
    bool reliable = false;                        ///< the chain is at least `min_times` tau long

    friend bool operator==(const autocorrelation&, const autocorrelation&) = default;
};

namespace detail {

/// Takes the mean from a series and divides it by the root of its sum of squares. False, and nothing done, where it
/// never moves.
[[nodiscard]] inline bool standardise(std::span<double> series)
{
    if (std::all_of(series.begin(), series.end(), [&](double x) { return x == series[0]; })) return false;
    double mean = 0, squares = 0;
    const auto sums = [&] {
        mean = squares = 0;
        for (const double x : series) mean += x;
        mean /= static_cast<double>(series.size());
        for (const double x : series) squares += (x - mean) * (x - mean);
    };
    sums();
    if (!(squares > 1e-200 && squares < 1e200)) {  // they overflow or vanish, or none does
        const double unit = core::detail::unit_of(core::detail::largest_magnitude(series));
        for (double& x : series) x /= unit;
        sums();
    }
    const double scale = 1 / std::sqrt(squares);
    for (double& x : series) x = (x - mean) * scale;
    return true;
}

/// The autocorrelation rho(0), ..., rho(n - 1) of a series: rho(0) = 1; empty when the series never moves or is empty.
/// Cost: O(n log n), by the Fourier transform of the series without its mean, padded with zeros to twice its length.
[[nodiscard]] inline std::vector<double> autocorrelation_function(std::span<const double> series)
{
    std::vector<double> x(series.begin(), series.end());
    if (!standardise(x)) return {};
    lag_sums sums((std::max)(std::bit_ceil(x.size()), std::size_t{2}));
    sums.add(x, {});
    std::vector<double> rho = sums.take();
    rho.resize(x.size());
    return rho;
}

/// The integrated autocorrelation time of W series of n values, given as a function `at(t, k)` of step and walker.
///
///     tau(M) = 2 sum_{m=0..M} rho(m) - 1, rho averaged over walkers;  M the smallest with M >= c tau(M), or n - 1
///
/// Walkers that never move are left out of the average; when none moves, tau is +inf. It is 1 / n at least, as series
/// that alternate would have a time of 0 or less. It is NaN where a value of a walker that moves is NaN or infinite.
/// Cost: O(W n log M). The first 1024 lags are computed, and four times as many whenever M is beyond them. One
/// transform serves two series and as many steps as lags; one inverse serves all. `at` is called once or a few times
/// for every value.
/// Source: Sokal (1997), Monte Carlo Methods in Statistical Mechanics, section 3; averaging as in emcee 3.
template <class At>
[[nodiscard]] autocorrelation integrated_time(std::size_t n, std::size_t walkers, const At& at)
{
    const std::size_t all_lags = (std::max)(std::bit_ceil(n), std::size_t{2});
    std::vector<double> series(n), waiting;  // `waiting`: the first of a pair
    for (std::size_t lags = (std::min)(all_lags, std::size_t{1024});; lags = (std::min)(all_lags, 4 * lags)) {
        lag_sums sums(lags);
        std::size_t moving = 0;
        waiting.clear();
        for (std::size_t k = 0; k < walkers; ++k) {
            for (std::size_t t = 0; t < n; ++t) series[t] = at(t, k);
            if (!standardise(series)) continue;
            if (++moving % 2 == 1) {
                waiting = series;
                continue;
            }
            sums.add(waiting, series);
            waiting.clear();
        }
        if (moving == 0) return {};
        if (!waiting.empty()) sums.add(waiting, {});
        const std::vector<double> rho = sums.take();
        double tau = -1;
        for (std::size_t m = 0; m < (std::min)(lags, n); ++m) {
            tau += 2 * rho[m] / static_cast<double>(moving);
            if (static_cast<double>(m) >= autocorrelation::window_times * tau || m + 1 == n) {
                const double time = (std::max)(tau, 1 / static_cast<double>(n));  // a NaN stays
                return {
                    .time = time, .window = m, .reliable = static_cast<double>(n) >= autocorrelation::min_times * time};
            }
        }
    }
}

}  // namespace detail

/// The autocorrelation time of every coordinate of a chain, in steps of the run (a thinned chain counts its thinning).
/// `run` has a coordinate per call.
/// Errors: none. For a chain that is too short `reliable` is false; the estimate is still there.
template <core::executor Run = core::detail::serial_executor>
[[nodiscard]] std::vector<autocorrelation> autocorrelation_times(const chain& all, const Run& run = {})
{
    std::vector<autocorrelation> out(all.dimensions);
    const std::size_t stride = all.walkers * all.dimensions;
    run(all.dimensions, [&](std::size_t c) {
        const double* const first = all.positions.data() + c;
        out[c] = detail::integrated_time(all.size(), all.walkers, [&](std::size_t t, std::size_t k) {
            return first[t * stride + k * all.dimensions];
        });
        out[c].time *= static_cast<double>(all.thin_by);
    });
    return out;
}

/// The effective size of a chain.
struct effective_size {
    double samples = 0;     ///< the equal number of independent draws
    bool reliable = false;  ///< whether every coordinate's autocorrelation time is reliable

    friend bool operator==(const effective_size&, const effective_size&) = default;
};

/// The number of independent draws that a chain is worth, by its slowest coordinate: W n / tau. 0 when a coordinate
/// never moves; NaN where the time of one is NaN, or there is none.
template <core::executor Run = core::detail::serial_executor>
[[nodiscard]] effective_size effective_samples(const chain& all, const Run& run = {})
{
    double slowest = all.dimensions > 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
    bool reliable = true;
    for (const autocorrelation& one : autocorrelation_times(all, run)) {
        if (one.time > slowest || std::isnan(one.time)) slowest = one.time;  // a NaN stays
        reliable = reliable && one.reliable;
    }
    return {.samples = static_cast<double>(all.samples() * all.thin_by) / slowest, .reliable = reliable};
}

}  // namespace tunekit::mcmc
