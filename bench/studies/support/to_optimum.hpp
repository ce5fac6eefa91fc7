// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// T_q, the measure of a tuner on recorded spaces: seconds until the model stays within q of the recorded optimum.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "bench/studies/support/oracle.hpp"
#include "bench/studies/support/replay_network.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/stats/bootstrap.hpp"
#include "tunekit/stats/quantile.hpp"

namespace programs {

constexpr double fair_horizon = 600;  ///< seconds of every run, and what one that never arrives counts as
constexpr std::array<double, 3> fair_shares{0.01, 0.02, 0.05};  ///< q: above the recorded optimum
constexpr double fair_excess_until = 300;                       ///< seconds of the excess

/// When a run came within each of `fair_shares` of the optimum and stayed there, in seconds.
using arrivals = std::array<double, fair_shares.size()>;

/// What one repeat of a system came to.
struct fair_run {
    arrivals own{};      ///< +inf where it never came there
    arrivals charged{};  ///< with the seconds of its own search until then
    arrivals oracle{};   ///< of the exact oracle over the run's own trials; +inf as well
    double excess = 0;   ///< integral of latency / optimum - 1 over the first 300 s, in seconds
};

inline arrivals arrivals_of(const latency_course& course, double optimum)
{
    arrivals out{};
    for (std::size_t q = 0; q < out.size(); ++q) out[q] = seconds_to(course, (1 + fair_shares[q]) * optimum);
    return out;
}

/// Each task's curve, by the seconds that its own answers took.
inline std::vector<task_curve> curves_of(std::span<const replayed_trial> trials, std::size_t tasks)
{
    std::vector<task_curve> out(tasks);
    std::vector<double> spent(tasks);
    for (const auto& t : trials) out[t.task].push_back({spent[t.task] += t.seconds, t.latency});
    return out;
}

/// Those of the exact oracle over the run's own trials, which it may leave out from the end, and orders as it likes. It is never
/// later than the run: where whole slots make it so, it is the run.
inline arrivals oracle_of(const replayed_run& run, const arrivals& own, double optimum)
{
    const auto curves = curves_of(run.trials, run.tasks.size());
    arrivals out{};
    for (std::size_t q = 0; q < out.size(); ++q)
        out[q] =
            (std::min)(own[q], least_seconds(curves, (1 + fair_shares[q]) * optimum, (std::min)(own[q], fair_horizon)));
    return out;
}

/// The integral of latency / optimum - 1 from 0 to `until`. A model is the untuned one until a run has a better one.
inline double excess_of(const latency_course& course, double untuned, double optimum, double until = fair_excess_until)
{
    latency_course better{{0, untuned}};
    for (const auto& step : course) better.push_back({step.seconds, (std::min)(untuned, step.latency)});
    return area_under(better, 0, until) / optimum - until;
}

inline fair_run judged(const replayed_run& run, double untuned, double optimum)
{
    const auto own = arrivals_of(run.model, optimum);
    return {own, arrivals_of(charged(run.model), optimum), oracle_of(run, own, optimum),
            excess_of(run.model, untuned, optimum)};
}

/// T_1, T_2, T_5: medians over the repeats. A run that never arrives counts as the horizon.
inline arrivals medians(std::span<const arrivals> runs, std::span<const std::uint32_t> rows,
                        double horizon = fair_horizon)
{
    arrivals out{};
    for (std::size_t q = 0; q < out.size(); ++q) {
        std::vector<double> x;
        for (const auto r : rows) x.push_back((std::min)(runs[r][q], horizon));
        out[q] = tunekit::stats::median(std::move(x));
    }
    return out;
}

inline arrivals medians(std::span<const arrivals> runs, double horizon = fair_horizon)
{
    std::vector<std::uint32_t> all(runs.size());
    std::iota(all.begin(), all.end(), 0U);
    return medians(runs, all, horizon);
}

/// T_q: the geometric mean of the medians.
inline double geometric_mean(const arrivals& t)
{
    double sum = 0;
    for (const double x : t) sum += std::log(x);
    return std::exp(sum / static_cast<double>(t.size()));
}

/// A value over repeats with its percentile bootstrap interval of 95 %.
struct estimated {
    double value = 0, low = 0, high = 0;
};

namespace detail {

template <class Statistic>
estimated over_repeats(std::size_t repeats, const Statistic& statistic)
{
    std::vector<std::uint32_t> all(repeats);
    std::iota(all.begin(), all.end(), 0U);
    auto gen = tunekit::random::stream(1, 0x6f707469U, repeats);
    const auto range = tunekit::stats::bootstrap_interval(repeats, statistic, {}, gen);
    return {statistic(std::span<const std::uint32_t>(all)), range.low, range.high};
}

}  // namespace detail

/// T_q of a system. The same repeats are drawn for all three q.
inline estimated tq_of(std::span<const arrivals> runs, double horizon = fair_horizon)
{
    return detail::over_repeats(
        runs.size(), [&](std::span<const std::uint32_t> rows) { return geometric_mean(medians(runs, rows, horizon)); });
}

/// How many times as long `slower` takes by T_q as `sooner`. Repeats are drawn in pairs: r has the same noise in both.
inline estimated tq_ratio(std::span<const arrivals> slower, std::span<const arrivals> sooner,
                          double horizon = fair_horizon)
{
    return detail::over_repeats(slower.size(), [&](std::span<const std::uint32_t> rows) {
        return geometric_mean(medians(slower, rows, horizon)) / geometric_mean(medians(sooner, rows, horizon));
    });
}

/// Runs that came within the least share of the optimum, and so within each.
inline std::size_t arrived(std::span<const arrivals> runs, double horizon = fair_horizon)
{
    return static_cast<std::size_t>(
        std::count_if(runs.begin(), runs.end(), [&](const arrivals& t) { return t.front() <= horizon; }));
}

/// Whether fewer than half arrived, so that T_q is a lower bound.
inline bool is_bound(std::span<const arrivals> runs, double horizon = fair_horizon)
{
    return 2 * arrived(runs, horizon) < runs.size();
}

}  // namespace programs
