// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Medians with their intervals, for the tables of benches and their JSON.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/quantile.hpp"

namespace programs {

/// A median with the interval of 95 % between its order statistics, and how often such an interval covers: less for fewer than six.
struct middle {
    double median = 0, low = 0, high = 0, coverage = 0;
};

inline middle middle_of(const std::vector<double>& x)
{
    const auto found = tunekit::stats::order_interval(x);
    return {tunekit::stats::median(x), found.within.low, found.within.high, found.coverage};
}

/// Adds KEY, KEY_low, KEY_high and KEY_coverage to a row; what is not finite will be written as null.
inline void add(nlohmann::ordered_json& row, const std::string& key, const middle& m)
{
    row[key] = m.median;
    row[key + "_low"] = m.low;
    row[key + "_high"] = m.high;
    row[key + "_coverage"] = m.coverage;
}

}  // namespace programs
