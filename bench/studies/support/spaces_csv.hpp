// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// spaces.csv: one line per recorded space, with what random search would need.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/scoring/yardstick.hpp"
#include "tunekit/stats/quantile.hpp"

namespace programs {

inline constexpr const char* spaces_header =
    "space,kernel,device,n_configs,n_valid,n_tunables,optimum_ms,median_ms,worst_ms,target95_ms,budget_evals,budget_s,"
    "median_cost_ms\n";

/// The line of a space; `target` and budgets as random search defines them (docs/formats.md).
inline std::string spaces_line(const std::string& name, const tunekit::io::recorded_space& space)
{
    std::vector<double> times, costs;
    std::size_t varied = 0;
    for (const auto& p : space.parameters)
        if (p.values.size() > 1) ++varied;
    for (const auto& row : space.rows) {
        if (!row.record.result.failed) times.push_back(1e3 * row.record.result.cost);
        costs.push_back(1e3 * row.record.seconds);
    }
    if (times.empty()) return name + ": no configuration ran\n";
    std::sort(times.begin(), times.end());
    const double median = tunekit::stats::median(times), median_cost = tunekit::stats::median(costs);
    const double target = times.front() + 0.05 * (median - times.front());
    const double evaluations = tunekit::scoring::evaluations_at_random(times, 0.05);
    std::string out = name + ',' + space.kernel + ',' + space.device + ',' + std::to_string(space.rows.size()) + ',' +
                      std::to_string(times.size()) + ',' + std::to_string(varied);
    for (const double x :
         {times.front(), median, times.back(), target, evaluations, 1e-3 * evaluations * median_cost, median_cost})
        out += ',' + tunekit::core::text_of(x);
    return out + '\n';
}

}  // namespace programs
