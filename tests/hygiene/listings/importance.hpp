// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/importance.md speak of.

#include <vector>

#include "tunekit/report/importance.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/tunekit.hpp"

namespace tk = tunekit;

inline tk::random::philox gen{1};
inline constexpr std::size_t d = 2;
inline const std::vector<float> x(8);
inline const std::vector<double> log_costs(4);
