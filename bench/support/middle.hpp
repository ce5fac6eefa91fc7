// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Medians with their intervals, for the tables of benches and their JSON.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/random/philox.hpp"
#include "tunekit/stats/bootstrap.hpp"
#include "tunekit/stats/quantile.hpp"

namespace programs {

/// A median and the bootstrap's 95 % interval.
struct middle {
    double median = 0, low = 0, high = 0;
};

inline middle middle_of(const std::vector<double>& x)
{
    auto gen = tunekit::random::philox(1);
    const auto within = tunekit::stats::median_interval(x, {}, gen);
    return {tunekit::stats::median(x), within.low, within.high};
}

/// Adds KEY, KEY_low and KEY_high to a row; what is not finite will be written as null.
inline void add(nlohmann::ordered_json& row, const std::string& key, const middle& m)
{
    row[key] = m.median;
    row[key + "_low"] = m.low;
    row[key + "_high"] = m.high;
}

}  // namespace programs
