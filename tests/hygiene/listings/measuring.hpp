// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/measuring.md speak of.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/hygiene/listings/listed.hpp"
#include "tests/support/simulated_workers.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/build.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/hill_climb.hpp"

namespace tk = tunekit;

namespace measuring {

using listed::gen, listed::space;

inline const auto time_kernel = [](const auto&) { return [] {}; };
inline const auto check = [] { return true; };
inline const std::size_t m = 1, n = 1;
inline const std::vector<float> reference(n);
inline std::vector<float> out(n);

// Pools.
inline const std::vector<tk::measure::recorded_row> table(10);
inline support::simulated_workers pool(table);
inline tk::tuner t(space, tk::search::hill_climb{}, {}, gen);

using output = std::shared_ptr<tk::measure::guarded_buffer<float>>;
inline const auto kernel_into = [](const output&) { return [](const auto&) {}; };
inline const auto check_of = [](const output&) { return [] { return true; }; };

inline const tk::measure::source_template scale{space, [](const auto&) { return std::string(); }, "scale"};
inline const auto bind = [](auto*, const auto&) { return [] {}; };

}  // namespace measuring
