// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How good a search of a recorded space was: 0 random search, 1 the optimum at once.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/support/load_spaces.hpp"
#include "tunekit/stats/quantile.hpp"

namespace programs {

/// Evaluations that random search needs on average to come within `share` of the way from the optimum to the median, of
/// valid costs in ascending order.
inline double evaluations_at_random(std::span<const double> valid, double share)
{
    const double target = valid.front() + share * (tunekit::stats::quantile_of_sorted(valid, 0.5) - valid.front());
    const auto good = static_cast<double>(std::upper_bound(valid.begin(), valid.end(), target) - valid.begin());
    return std::ceil((static_cast<double>(valid.size()) - good) / (good + 1));
}

/// What the searches of one space are measured by.
struct yardstick {
    std::vector<double> valid;  ///< costs in seconds, ascending
    double budget = 0;   ///< evaluations that random search needs for 95 % of the way from the median to the optimum
    double seconds = 0;  ///< those, at the median cost of an evaluation
    std::vector<double> times;     ///< equidistant seconds, from 1 % of that way to 95 %
    std::vector<double> baseline;  ///< cost that random search has reached by then
    std::vector<double>
        chance;  ///< E ln cost of random search after 1, 2, ... evaluations, a failure counting as the worst

    /// Whether a score over time says something: below 20 evaluations it is luck.
    [[nodiscard]] bool timed() const { return budget >= 20; }
};

/// One run: after each evaluation, the seconds that passed and the lowest cost so far, infinite before the first valid one.
struct progress {
    std::vector<double> seconds, best;
};

namespace detail {

/// E ln(best of k of `all`), drawn at random without replacement, k = 1 ... `most`.
inline std::vector<double> logs_at_random(std::vector<double> all, std::size_t most)
{
    std::sort(all.begin(), all.end());
    const auto n = static_cast<double>(all.size());
    std::vector<double> none_better(all.size() + 1, 1), out;  // the probability that the k draws avoid the i best
    none_better.back() = 0;
    for (std::size_t k = 0; k < most; ++k) {
        double mean = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
            none_better[i] *=
                (std::max)(0.0, n - static_cast<double>(i + k)) / (std::max)(1.0, n - static_cast<double>(k));
        for (std::size_t i = 0; i < all.size(); ++i) mean += (none_better[i] - none_better[i + 1]) * std::log(all[i]);
        out.push_back(mean);
    }
    return out;
}

/// The monotone piecewise cubic through (x, y), x ascending, at least two of them, at `at` within them: slopes of Fritsch and
/// Butland (1984), at the ends of three points.
inline std::vector<double> monotone_cubic(std::span<const double> x, std::span<const double> y,
                                          std::span<const double> at)
{
    const std::size_t n = x.size();
    std::vector<double> h(n - 1), secant(n - 1), slope(n);
    for (std::size_t i = 0; i + 1 < n; ++i) h[i] = x[i + 1] - x[i], secant[i] = (y[i + 1] - y[i]) / h[i];
    for (std::size_t i = 1; i + 1 < n; ++i) {
        if (!(secant[i - 1] * secant[i] > 0)) continue;
        const double a = 2 * h[i] + h[i - 1], b = h[i] + 2 * h[i - 1];
        slope[i] = (a + b) / (a / secant[i - 1] + b / secant[i]);
    }
    const auto end = [](double h0, double h1, double d0, double d1) {
        const double s = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
        if (!(s * d0 > 0)) return 0.0;
        return d0 * d1 < 0 && std::abs(s) > 3 * std::abs(d0) ? 3 * d0 : s;
    };
    slope.front() = n > 2 ? end(h[0], h[1], secant[0], secant[1]) : secant[0];
    slope.back() = n > 2 ? end(h[n - 2], h[n - 3], secant[n - 2], secant[n - 3]) : secant[0];
    std::vector<double> out;
    for (const double q : at) {
        const auto i =
            (std::min)(static_cast<std::size_t>(std::upper_bound(x.begin() + 1, x.end(), q) - x.begin()) - 1, n - 2);
        const double t = (q - x[i]) / h[i], u = 1 - t;
        out.push_back(u * u * (1 + 2 * t) * y[i] + t * t * (1 + 2 * u) * y[i + 1] +
                      h[i] * t * u * (u * slope[i] - t * slope[i + 1]));
    }
    return out;
}

/// What random search has reached at `times`, an evaluation taking `each` seconds: the value of the expected rank, between
/// whole numbers of evaluations by a monotone cubic.
inline std::vector<double> reached_at_random(std::span<const double> valid, std::span<const double> times, double each)
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

/// Of a space with a valid configuration; `chance` reaches to `evaluations`.
inline yardstick yardstick_of(const loaded_space& on, std::size_t evaluations)
{
    yardstick out;
    std::vector<double> all, seconds;
    double valid_seconds = 0, failed_seconds = 0, failed = 0;
    for (const auto& row : on.table.rows) {
        if (row.result.ok()) out.valid.push_back(row.result.cost);
        (row.result.ok() ? valid_seconds : failed_seconds) += row.seconds;
        if (!row.result.ok()) ++failed;
        seconds.push_back(row.seconds);
    }
    tunekit::require(!out.valid.empty(), "no configuration ran");
    std::sort(out.valid.begin(), out.valid.end());
    for (const auto& row : on.table.rows) all.push_back(row.result.ok() ? row.result.cost : out.valid.back());
    out.chance = detail::logs_at_random(all, evaluations);
    out.budget = evaluations_at_random(out.valid, 0.05);
    const double each = tunekit::stats::median(std::move(seconds)),
                 start = evaluations_at_random(out.valid, 0.99) * each;
    out.seconds = out.budget * each;
    constexpr std::size_t points = 400;
    for (std::size_t i = 0; i < points; ++i)
        out.times.push_back(start + (out.seconds - start) * static_cast<double>(i) / (points - 1.0));
    const auto n = static_cast<double>(on.table.rows.size());
    out.baseline = detail::reached_at_random(out.valid, out.times, valid_seconds / (n - failed) + failed_seconds / n);
    return out;
}

/// The mean, over the first `chance.size()` evaluations, of the share of the way from random search's E ln cost to the
/// optimum's that the run has come. A run that ends early keeps its last.
inline double score_by_evaluations(const yardstick& on, const progress& run)
{
    const double goal = std::log(on.valid.front());
    double sum = 0;
    for (std::size_t k = 0; k < on.chance.size(); ++k) {
        const double best = run.best.empty() ? on.valid.back() : run.best[(std::min)(k, run.best.size() - 1)];
        sum += (on.chance[k] - std::log((std::min)(best, on.valid.back()))) / (on.chance[k] - goal);
    }
    return sum / static_cast<double>(on.chance.size());
}

/// At each of `times`, how many valid configurations are better than the run's best.
inline std::vector<double> ranks_over_time(const yardstick& on, const progress& run)
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

namespace detail {

/// The share of the way from random search's cost to the optimum, where the rank at each of `times` is known: its mean.
inline double share_of_the_way(const yardstick& on, std::span<const double> ranks)
{
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const double cost = on.valid[static_cast<std::size_t>(std::nearbyint(ranks[i]))];
        sum += (on.baseline[i] - cost) / (on.baseline[i] - on.valid.front());
    }
    return sum / static_cast<double>(ranks.size());
}

/// The falling function that is nearest to points of ascending x in the sum of squares, at `at`; linear between points.
/// Neighbours that rise are pooled to their mean until none do.
inline std::vector<double> falling_regression(const std::vector<std::pair<double, double>>& points,
                                              std::span<const double> at)
{
    struct block {
        double mean = 0, weight = 0;
    };
    std::vector<block> blocks;
    for (const auto& [x, y] : points) {
        blocks.push_back({y, 1});
        while (blocks.size() > 1 && blocks[blocks.size() - 2].mean <= blocks.back().mean) {
            const block last = blocks.back();
            blocks.pop_back();
            block& into = blocks.back();
            into.mean = (into.mean * into.weight + last.mean * last.weight) / (into.weight + last.weight);
            into.weight += last.weight;
        }
    }
    std::vector<double> fitted;
    for (const block& b : blocks) fitted.insert(fitted.end(), static_cast<std::size_t>(b.weight), b.mean);
    std::vector<double> out;
    for (const double x : at) {
        const auto k = static_cast<std::size_t>(
            std::lower_bound(points.begin(), points.end(), x, [](const auto& p, double q) { return p.first < q; }) -
            points.begin());
        if (k == 0 || k == points.size()) {
            out.push_back(fitted[k == 0 ? 0 : k - 1]);
            continue;
        }
        const double t = (x - points[k - 1].first) / (points[k].first - points[k - 1].first);
        out.push_back((1 - t) * fitted[k - 1] + t * fitted[k]);
    }
    return out;
}

}  // namespace detail

/// The aggregate performance score of Willemsen, van Nieuwpoort, van Werkhoven (2024), A Methodology for Comparing Auto-Tuning
/// Optimization Algorithms: the mean over `times` of the share of the way from random search's cost to the optimum that the runs
/// have come, in rank as an isotonic regression of the ranks of all runs on time says.
/// Departure: one regression of all points, where they average several of bagged samples: at most 0.01 apart where the budget
/// is 20 evaluations or more.
inline double score_over_time(const yardstick& on, std::span<const progress> runs)
{
    std::vector<std::pair<double, double>> points;
    for (const progress& run : runs)
        for (std::size_t k = 0; k < run.best.size(); ++k) {
            const double t = run.seconds[k];
            if (!(run.best[k] <= on.valid.back()) || t < 0.9 * on.times.front() || t > 1.1 * on.times.back()) continue;
            const auto rank = std::lower_bound(on.valid.begin(), on.valid.end(), run.best[k]) - on.valid.begin();
            points.emplace_back(t, static_cast<double>(rank));
        }
    if (points.empty())
        return detail::share_of_the_way(on,
                                        std::vector<double>(on.times.size(), static_cast<double>(on.valid.size() - 1)));
    std::sort(points.begin(), points.end());
    return detail::share_of_the_way(on, detail::falling_regression(points, on.times));
}

/// The same with the mean of ranks at a time for the regression, of the runs at the positions `of`: for intervals, as it is cheap.
inline double score_by_steps(const yardstick& on, std::span<const std::vector<double>> ranks,
                             std::span<const std::uint32_t> of)
{
    std::vector<double> mean(on.times.size());
    for (const std::uint32_t r : of)
        for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += ranks[r][i] / static_cast<double>(of.size());
    return detail::share_of_the_way(on, mean);
}

}  // namespace programs
