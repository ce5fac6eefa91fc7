// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The split, rank-normalised R-hat: whether several sequences have reached the same distribution.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/detail/unit.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/mcmc/state.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/normal.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/stats/rank.hpp"

namespace tunekit::mcmc {

namespace detail {

/// The root of the ratio of the variance of all values to that within sequences; rows of n values, one after another.
[[nodiscard]] inline double plain_r_hat(std::span<const double> rows, std::size_t n)
{
    std::vector<double> means;
    double within = 0;
    for (std::size_t from = 0; from < rows.size(); from += n) {
        const auto row = rows.subspan(from, n);
        const double mean = stats::mean(row);
        double squares = 0;
        for (const double x : row) squares += (x - mean) * (x - mean);
        within += squares / static_cast<double>(n - 1);
        means.push_back(mean);
    }
    within /= static_cast<double>(means.size());
    const double grand = stats::mean(means);
    double between = 0;
    for (const double x : means) between += (x - grand) * (x - grand);
    between /= static_cast<double>(means.size() - 1);
    if (within == 0) {
        return between > 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    }
    return std::sqrt(between / within + static_cast<double>(n - 1) / static_cast<double>(n));
}

/// Each value becomes the normal quantile of its rank among all, by Blom's rule.
[[nodiscard]] inline std::vector<double> normal_scores(std::span<const double> x)
{
    std::vector<double> z = stats::ranks(x);
    for (double& r : z) r = stats::normal_quantile((r - 0.375) / (static_cast<double>(x.size()) + 0.25));
    return z;
}

}  // namespace detail

/// R-hat of W sequences of n values, given as a function `at(t, k)` of step and sequence. It is near 1 where they
/// agree, and above 1.01 where they do not yet.
///
///     R = sqrt(((n - 1) / n W + B / n) / W) of half sequences, their values replaced by normal scores of their ranks
///
/// where W is the mean variance within a half and B / n the variance of the halves' means (both divided by their number
/// minus 1). The result is the larger of R for the values and R for their distances from the median. So both location
/// and spread are compared. The middle value of an odd n is left out. The result is NaN where all values are equal, one
/// is infinite or NaN, n is below 4 or there is no sequence. It is +inf where every sequence is constant and they
/// differ.
/// Cost: O(W n log(W n)).
/// Source: Vehtari, Gelman, Simpson, Carpenter, Buerkner (2021), Bayesian Analysis 16, 667-718, sections 3.1 and 4.
template <class At>
[[nodiscard]] double r_hat(std::size_t n, std::size_t sequences, const At& at)
{
    const std::size_t half = n / 2;
    if (half < 2 || sequences == 0) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> x;
    x.reserve(2 * half * sequences);
    for (std::size_t k = 0; k < sequences; ++k)
        for (const std::size_t from : {std::size_t{0}, n - half})
            for (std::size_t t = from; t < from + half; ++t) x.push_back(at(t, k));
    if (!std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }))
        return std::numeric_limits<double>::quiet_NaN();
    const double unit = core::detail::unit_of(core::detail::largest_magnitude(x));  // distances overflow, too
    for (double& v : x) v /= unit;
    const double of_places = detail::plain_r_hat(detail::normal_scores(x), half);
    const double median = stats::median(x);
    for (double& v : x) v = std::abs(v - median);
    const double of_spreads = detail::plain_r_hat(detail::normal_scores(x), half);
    return std::isnan(of_spreads) ? of_places : (std::max)(of_places, of_spreads);
}

/// R-hat of every coordinate, over the walkers of several runs.
///
/// Walkers of one ensemble depend on each other, so one run alone looks better than it is. Give several runs with
/// different seeds and starts.
/// Errors: std::invalid_argument where the runs differ in dimensions or in stored steps.
[[nodiscard]] inline std::vector<double> r_hat(std::span<const chain> runs)
{
    std::vector<double> out;
    if (runs.empty()) return out;
    std::vector<std::pair<std::size_t, std::size_t>> walkers;  // run and walker
    for (std::size_t r = 0; r < runs.size(); ++r) {
        require(runs[r].dimensions == runs[0].dimensions && runs[r].size() == runs[0].size(),
                "r_hat: run " + std::to_string(r) + " has " + std::to_string(runs[r].size()) + " steps of " +
                    std::to_string(runs[r].dimensions) + " dimensions, run 0 has " + std::to_string(runs[0].size()) +
                    " of " + std::to_string(runs[0].dimensions) + "; want the same");
        for (std::size_t k = 0; k < runs[r].walkers; ++k) walkers.emplace_back(r, k);
    }
    for (std::size_t c = 0; c < runs[0].dimensions; ++c)
        out.push_back(r_hat(runs[0].size(), walkers.size(), [&](std::size_t t, std::size_t k) {
            return runs[walkers[k].first].at(t, walkers[k].second)[c];
        }));
    return out;
}

}  // namespace tunekit::mcmc
