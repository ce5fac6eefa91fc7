// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The outcome of all repeats of one strategy on one space.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/scoring/recording.hpp"
#include "tunekit/scoring/trajectory.hpp"
#include "tunekit/scoring/yardstick.hpp"
#include "tunekit/stats/moments.hpp"

namespace tunekit::scoring {

/// The scores of one strategy on one space, over all repeats.
struct outcome {
    std::string strategy;           ///< its name
    std::string space;              ///< its name
    double p = 0;                   ///< score over time, of all repeats together
    std::vector<double> s{};        ///< score by evaluations, of each repeat
    std::vector<double> clamped{};  ///< the same with every share at -1 at least
    std::vector<double> shares{};   ///< the share of the way to the optimum after each evaluation, mean over repeats
    std::vector<std::vector<double>> ranks{};  ///< of each repeat over time, for intervals of p
    double evaluations_to_5 = 0;  ///< to 5 % above the optimum, median; infinite where most did not reach it
    double evaluations_to_1 = 0;  ///< to 1 % above it
    double mean_to_5 = 0;         ///< to 5 %, mean; one evaluation more than a run has where it did not reach it
    double regret = 0;            ///< mean of best / optimum - 1 after the `judged` evaluations
    std::optional<double> failed_share{};  ///< of the evaluations; empty: unknown
    double own_seconds = 0;                ///< of the strategy per evaluation; NaN: unknown
    std::size_t evaluations = 0;           ///< of the longest repeat

    /// The mean of `s`.
    [[nodiscard]] double s_mean() const { return stats::mean(s); }
    /// The mean of `clamped`.
    [[nodiscard]] double clamped_mean() const { return stats::mean(clamped); }
};

namespace detail {

/// The number of the first evaluation within `factor` of the optimum; else infinite.
[[nodiscard]] inline double evaluations_to(const recording& on, const trajectory& run, double factor)
{
    for (std::size_t k = 0; k < run.best.size(); ++k)
        if (run.best[k] <= factor * on.optimum) return static_cast<double>(k + 1);
    return std::numeric_limits<double>::infinity();
}

/// Of an even number the greater of the two in the middle, as a mean with what was never reached says nothing.
[[nodiscard]] inline double upper_median(std::vector<double> x)
{
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
    std::nth_element(x.begin(), middle, x.end());
    return *middle;
}

}  // namespace detail

/// The outcome of `runs` on `on`, measured by the yardstick `by` and after `judged` evaluations.
/// Errors: std::invalid_argument for no runs, and for `judged` of 0.
[[nodiscard]] inline outcome outcome_of(std::string strategy, const recording& on, const yardstick& by,
                                        std::span<const trajectory> runs, std::size_t judged)
{
    require(!runs.empty() && judged > 0,
            "outcome_of: no runs, or none of their evaluations are judged, want at least one");
    outcome out{.strategy = std::move(strategy), .space = on.name};
    std::vector<double> to_5, to_1;
    double own = 0;
    std::size_t all = 0, failed = 0;
    bool failures_known = true;
    out.shares.assign(by.chance.size(), 0);
    for (const trajectory& run : runs) {
        const std::size_t n = run.evaluations();
        to_5.push_back(detail::evaluations_to(on, run, 1.05));
        to_1.push_back(detail::evaluations_to(on, run, 1.01));
        const double best = n == 0 ? std::numeric_limits<double>::infinity() : run.best[(std::min)(n, judged) - 1];
        out.regret += best / on.optimum - 1;
        const auto shares = detail::shares_by_evaluations(by, run);
        for (std::size_t k = 0; k < shares.size(); ++k) out.shares[k] += shares[k] / static_cast<double>(runs.size());
        out.s.push_back(detail::mean_share(shares));
        out.clamped.push_back(detail::mean_share(shares, -1));
        out.mean_to_5 += (std::min)(to_5.back(), static_cast<double>(n + 1)) / static_cast<double>(runs.size());
        out.ranks.push_back(detail::ranks_over_time(by, run));
        out.evaluations = (std::max)(out.evaluations, n);
        if (!run.own.empty()) own += run.own.back();
        all += n;
        failed += run.failed;
        failures_known = failures_known && run.failures_known;
    }
    out.regret /= static_cast<double>(runs.size());
    out.p = by.score_over_time(runs);
    out.evaluations_to_5 = detail::upper_median(std::move(to_5));
    out.evaluations_to_1 = detail::upper_median(std::move(to_1));
    const auto n = static_cast<double>((std::max)(all, std::size_t{1}));
    if (failures_known) out.failed_share = static_cast<double>(failed) / n;
    out.own_seconds = own / n;
    return out;
}

}  // namespace tunekit::scoring
