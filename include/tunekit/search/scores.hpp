// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Scores for models, computed from costs. Costs are minimised and may be failures; scores are maximised.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit::search {

/// The scale of the scores that a model is fitted to. More is better; `best` is the lowest cost so far.
enum class score_scale : std::uint8_t {
    throughput,  ///< best / cost, in (0, 1]; a failure is 0
    log,         ///< ln(best / cost), <= 0; a failure is 1 below the worst
};

namespace detail {

/// The lower `quantile` of the finite values of `costs`. Precondition: one is finite.
[[nodiscard]] double cost_cap(std::span<const double> costs, double quantile);

/// Draws the costs that break a limit (`measure::broken_cost`) near to the others, for models to which 69 is far from
/// -7: the worst of those that keep it, or 0 where none does, plus ln(1 + share) by which each breaks it. Others stay
/// as they are.
void draw_near(std::span<double> log_costs);

/// -min(ln cost, cap) of each of `log_costs`. +inf is a failure. The cap is the `quantile` of the finite values.
/// Precondition: one is finite.
[[nodiscard]] std::vector<double> capped_log_scores(std::span<const double> log_costs, double quantile);

}  // namespace detail

/// The scores of `costs`, one each. +inf is a failure. With `cost_cap_quantile` below 1, slower costs and failures
/// count as the valid cost at that quantile. Precondition: best > 0, one of `costs` is finite, cost_cap_quantile in (0,
/// 1].
[[nodiscard]] std::vector<double> scores_of(std::span<const double> costs, double best, score_scale scale,
                                            double cost_cap_quantile);

}  // namespace tunekit::search

#if TUNEKIT_BODIES
namespace tunekit::search::detail {

TUNEKIT_INLINE double cost_cap(std::span<const double> costs, double quantile)
{
    std::vector<double> valid;
    std::copy_if(costs.begin(), costs.end(), std::back_inserter(valid),
                 [](double cost) { return std::isfinite(cost); });
    const auto at = valid.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(valid.size() - 1) * quantile);
    std::nth_element(valid.begin(), at, valid.end());
    return *at;
}

TUNEKIT_INLINE void draw_near(std::span<double> log_costs)
{
    const double broken = std::log(measure::broken_cost);
    double worst = -std::numeric_limits<double>::infinity();
    bool any = false;
    for (const double x : log_costs) {
        if (!std::isfinite(x)) continue;
        if (x < broken) worst = (std::max)(worst, x);
        else any = true;
    }
    if (!any) return;
    for (double& x : log_costs)
        if (std::isfinite(x) && x >= broken) x += (std::isfinite(worst) ? worst : 0) - broken;
}

TUNEKIT_INLINE std::vector<double> capped_log_scores(std::span<const double> log_costs, double quantile)
{
    const double cap = cost_cap(log_costs, quantile);
    std::vector<double> out;
    out.reserve(log_costs.size());
    for (const double x : log_costs) out.push_back(-(std::min)(x, cap));
    return out;
}

}  // namespace tunekit::search::detail
namespace tunekit::search {

TUNEKIT_INLINE std::vector<double> scores_of(std::span<const double> costs, double best, score_scale scale,
                                             double cost_cap_quantile)
{
    const double cap =
        cost_cap_quantile < 1 ? detail::cost_cap(costs, cost_cap_quantile) : std::numeric_limits<double>::infinity();
    std::vector<double> y;
    double worst = 0;
    for (const double cost : costs) {
        const double seen = (std::min)(cost, cap);
        y.push_back(scale == score_scale::throughput ? (std::min)(1.0, best / seen) : std::log(best / seen));
        if (std::isfinite(y.back())) worst = (std::min)(worst, y.back());
    }
    for (double& v : y)
        if (!std::isfinite(v)) v = worst - 1;  // log of a failure
    return y;
}

}  // namespace tunekit::search
#endif  // TUNEKIT_BODIES
