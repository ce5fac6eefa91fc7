// SPDX-License-Identifier: MIT
#pragma once

// What the listing of docs/schedules.md speaks of.

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;

namespace schedules {

using listed::gen;

inline std::vector<tk::task> tasks;

}  // namespace schedules
