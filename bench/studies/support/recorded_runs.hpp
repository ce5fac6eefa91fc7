// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Layers of which every run is recorded in its order.

#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/scoring/read_recordings.hpp"

namespace programs {

/// A layer's rows that ran.
struct recorded_runs {
    std::string name;
    std::vector<tunekit::measure::recorded_row> rows{};
};

/// All layers in a folder. Throws tunekit::error where one has problems or does not tell the order of its runs.
inline std::vector<recorded_runs> load_runs(const std::string& folder)
{
    std::vector<recorded_runs> out;
    for (const auto& name : tunekit::scoring::recorded_names(folder)) {
        const auto recorded = tunekit::io::read_recorded_space(folder + '/' + name);
        if (!recorded.problems.empty()) throw tunekit::error(recorded.problems.front().text());
        auto& layer = out.emplace_back(recorded_runs{.name = name});
        for (const auto& row : recorded.rows)
            if (row.record.result.ok()) layer.rows.push_back(row.record);
        if (layer.rows.empty() || layer.rows.front().pass_runs == 0)
            throw tunekit::error(folder + '/' + name +
                                 ": no order of its runs is known, want one of bench_schedule --record --runs");
    }
    if (out.empty()) throw tunekit::error('"' + folder + "\" holds no recorded space, want some");
    return out;
}

}  // namespace programs
