// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The yardstick of a recorded space: a score of 0 for random search, and 1 for the optimum at once.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/scoring/detail/curves.hpp"
#include "tunekit/scoring/recording.hpp"
#include "tunekit/scoring/trajectory.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tunekit::scoring {

/// The number of evaluations that random search needs on average to come within `share` of the way from the optimum to
/// the median, of valid costs in ascending order: (n - g) / (g + 1) for g good ones of n, rounded up.
[[nodiscard]] inline double evaluations_at_random(std::span<const double> valid, double share)
{
    const double target = valid.front() + share * (stats::quantile_of_sorted(valid, 0.5) - valid.front());
    const auto good = static_cast<double>(std::upper_bound(valid.begin(), valid.end(), target) - valid.begin());
    return std::ceil((static_cast<double>(valid.size()) - good) / (good + 1));
}

/// The yardstick of one space, which scores the searches on it. `yardstick_of` makes it.
struct yardstick {
    std::vector<double> valid;  ///< costs in seconds, ascending
    double budget = 0;   ///< evaluations that random search needs for 95 % of the way from the median to the optimum
    double seconds = 0;  ///< the same in seconds, at the median cost of an evaluation
    std::vector<double> times;     ///< equidistant seconds, from 1 % of that way to 95 %
    std::vector<double> baseline;  ///< cost that random search has reached by then
    /// E ln cost of random search after 1, 2, ... evaluations, while that is not the optimum's; a failure counts as the
    /// worst.
    std::vector<double> chance;
    /// Whether E ln cost of random search is within 1 % of the optimum's after a fifth of the evaluations: a score by
    /// evaluations then tells luck from luck.
    bool easy = false;

    /// Whether a score over time is meaningful: with a budget below 20 evaluations it is chance.
    [[nodiscard]] bool timed() const { return budget >= 20; }

    /// The score S of a run: the mean, over the first `chance.size()` evaluations, of the share of the way from random
    /// search's E ln cost to the optimum's that the run has come:
    ///
    ///     S = mean over k of (chance[k] - ln best[k]) / (chance[k] - ln optimum)
    ///
    /// A run that ends early keeps its last.
    [[nodiscard]] double score_by_evaluations(const trajectory& run) const;

    /// The aggregate performance score of Willemsen, van Nieuwpoort, van Werkhoven (2024), A Methodology for Comparing
    /// Auto-Tuning Optimization Algorithms. It is the mean over `times` of the share of the way from random search's
    /// cost to the optimum that the runs have come. The rank at each time comes from an isotonic regression of the
    /// ranks of all runs on time.
    /// Departure: one regression of all points, where the authors average several of bagged samples. The results
    /// differ by at most 0.01 where the budget is 20 evaluations or more.
    [[nodiscard]] double score_over_time(std::span<const trajectory> runs) const;
};

namespace detail {

/// What random search has reached at `times` if an evaluation takes `each` seconds. It is the value of the expected
/// rank. Between whole numbers of evaluations it is interpolated by a monotone cubic.
[[nodiscard]] inline std::vector<double> reached_at_random(std::span<const double> valid, std::span<const double> times,
                                                           double each)
{
    const auto n = static_cast<double>(valid.size());
    std::vector<double> k, v, where;
    double first = 0, last = 0;
    for (const double t : times) {
        last = (std::max)(1.0, std::nearbyint(t / each));
        if (k.empty()) first = last;
        if (!k.empty() && last <= k.back()) continue;
        const double rank = (std::min)(n - 1, std::nearbyint(last * (n + 1) / (last + 1)));  // from the worst
        k.push_back(last);
        v.push_back(valid[static_cast<std::size_t>(n - 1 - rank)]);
    }
    if (k.size() < 2) return std::vector<double>(times.size(), v.empty() ? valid.front() : v.front());
    for (std::size_t i = 0; i < times.size(); ++i)
        where.push_back(first + (last - first) * static_cast<double>(i) / static_cast<double>(times.size() - 1));
    return monotone_cubic(k, v, where);
}

}  // namespace detail

/// Makes the yardstick of `on`. `chance` has `evaluations` entries, but none from where random search is sure to have
/// found the optimum: before the last configuration, and with several optima before the last of the others.
/// Errors: std::invalid_argument where all configurations that ran have the same cost, so that there is nothing to
///         search.
/// Cost:   O(n log n + n evaluations) for n configurations.
[[nodiscard]] inline yardstick yardstick_of(const recording& on, std::size_t evaluations)
{
    yardstick out;
    const auto refuse = [&](const char* why) { invalid("yardstick_of: \"" + on.name + "\": " + why); };
    std::vector<double> all, seconds;
    double valid_seconds = 0, failed_seconds = 0, failed = 0;
    for (const auto& row : on.rows) {
        if (row.result.ok()) out.valid.push_back(row.result.cost);
        (row.result.ok() ? valid_seconds : failed_seconds) += row.seconds;
        if (!row.result.ok()) ++failed;
        seconds.push_back(row.seconds);
    }
    if (out.valid.empty()) refuse("no configuration ran, want at least two that differ");
    std::sort(out.valid.begin(), out.valid.end());
    if (!(out.valid.front() < out.valid.back())) refuse("all that ran cost the same, want at least two that differ");
    for (const auto& row : on.rows) all.push_back(row.result.ok() ? row.result.cost : out.valid.back());
    out.chance = detail::logs_at_random(all, (std::min)(evaluations, all.size() - 1));
    const auto to_go = [goal = std::log(out.valid.front())](double chance) { return chance - goal; };
    const std::size_t fifth = (std::max)(evaluations / 5, std::size_t{1});
    out.easy = to_go(out.chance[(std::min)(fifth, out.chance.size()) - 1]) <= std::log(1.01);
    while (out.chance.size() > 1 && !(to_go(out.chance.back()) > 1e-12 * to_go(out.chance.front())))
        out.chance.pop_back();
    out.budget = evaluations_at_random(out.valid, 0.05);
    const double each = stats::median(std::move(seconds)), start = evaluations_at_random(out.valid, 0.99) * each;
    out.seconds = out.budget * each;
    constexpr std::size_t points = 400;
    for (std::size_t i = 0; i < points; ++i)
        out.times.push_back(start + (out.seconds - start) * static_cast<double>(i) / (points - 1.0));
    const auto n = static_cast<double>(on.rows.size());
    out.baseline = detail::reached_at_random(out.valid, out.times, valid_seconds / (n - failed) + failed_seconds / n);
    return out;
}

namespace detail {

/// The share of the way from random search's E ln cost to the optimum's that a run has come, after each of the first
/// `chance.size()` evaluations: 0 as random search, 1 at the optimum. The last share of a run that ends early is
/// repeated.
[[nodiscard]] inline std::vector<double> shares_by_evaluations(const yardstick& on, const trajectory& run)
{
    const double goal = std::log(on.valid.front());
    std::vector<double> out;
    for (std::size_t k = 0; k < on.chance.size(); ++k) {
        const double best = run.best.empty() ? on.valid.back() : run.best[(std::min)(k, run.best.size() - 1)];
        out.push_back((on.chance[k] - std::log((std::min)(best, on.valid.back()))) / (on.chance[k] - goal));
    }
    return out;
}

/// The mean of shares, of which those below `least` count as it: where random search comes next to the optimum, the way
/// is short, and one late run would decide the mean.
[[nodiscard]] inline double mean_share(std::span<const double> shares,
                                       double least = -std::numeric_limits<double>::infinity())
{
    double sum = 0;
    for (const double x : shares) sum += (std::max)(x, least);
    return sum / static_cast<double>(shares.size());
}

/// The number of valid configurations that are better than the run's best, at each of `times`.
[[nodiscard]] inline std::vector<double> ranks_over_time(const yardstick& on, const trajectory& run)
{
    std::vector<double> out;
    for (const double t : on.times) {
        const auto k = std::upper_bound(run.seconds.begin(), run.seconds.end(), t) - run.seconds.begin();
        const double best = k == 0 ? on.valid.back() : run.best[static_cast<std::size_t>(k) - 1];
        const auto rank = std::lower_bound(on.valid.begin(), on.valid.end(), best) - on.valid.begin();
        out.push_back(static_cast<double>((std::min)(rank, static_cast<std::ptrdiff_t>(on.valid.size()) - 1)));
    }
    return out;
}

/// The mean over `times` of the share of the way from random search's cost to the optimum, for known ranks.
[[nodiscard]] inline double share_of_the_way(const yardstick& on, std::span<const double> ranks)
{
    double sum = 0;
    const double least = 1e-12 * (on.baseline.front() - on.valid.front());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const double cost = on.valid[static_cast<std::size_t>(std::nearbyint(ranks[i]))];
        const double way = on.baseline[i] - on.valid.front();
        if (way > least) sum += (on.baseline[i] - cost) / way;  // where random search is there already, nobody gains
    }
    return sum / static_cast<double>(ranks.size());
}

/// The same for the runs at the positions `of`, with the mean of their ranks instead of the regression. It is cheap;
/// intervals use it.
[[nodiscard]] inline double score_by_steps(const yardstick& on, std::span<const std::vector<double>> ranks,
                                           std::span<const std::uint32_t> of)
{
    std::vector<double> mean(on.times.size());
    for (const std::uint32_t r : of)
        for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += ranks[r][i] / static_cast<double>(of.size());
    return detail::share_of_the_way(on, mean);
}

}  // namespace detail

inline double yardstick::score_by_evaluations(const trajectory& run) const
{
    return detail::mean_share(detail::shares_by_evaluations(*this, run));
}

inline double yardstick::score_over_time(std::span<const trajectory> runs) const
{
    std::vector<std::pair<double, double>> points;
    for (const trajectory& run : runs)
        for (std::size_t k = 0; k < run.best.size(); ++k) {
            const double t = run.seconds[k];
            if (!(run.best[k] <= valid.back()) || t < 0.9 * times.front() || t > 1.1 * times.back()) continue;
            const auto rank = std::lower_bound(valid.begin(), valid.end(), run.best[k]) - valid.begin();
            points.emplace_back(t, static_cast<double>(rank));
        }
    if (points.empty())
        return detail::share_of_the_way(*this,
                                        std::vector<double>(times.size(), static_cast<double>(valid.size() - 1)));
    std::sort(points.begin(), points.end());
    return detail::share_of_the_way(*this, detail::falling_regression(points, times));
}

}  // namespace tunekit::scoring
