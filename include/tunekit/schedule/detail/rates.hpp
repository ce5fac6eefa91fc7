// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A task's view as the rates that beliefs forecast.

#include <limits>
#include <vector>

#include "tunekit/schedule/concepts.hpp"

namespace tunekit::schedule::detail {

/// Seconds of the best valid trial so far; +inf before there is one.
[[nodiscard]] inline double best_cost(const task_view& t)
{
    return t.curve.empty() ? std::numeric_limits<double>::infinity() : t.curve.back().best_cost;
}

/// The best rate after each trial, in FLOP/s; 0 while there is none.
[[nodiscard]] inline std::vector<double> best_rates(const task_view& t)
{
    std::vector<double> out;
    out.reserve(t.curve.size());
    for (const auto& p : t.curve) out.push_back(t.flops / p.best_cost);
    return out;
}

}  // namespace tunekit::schedule::detail
