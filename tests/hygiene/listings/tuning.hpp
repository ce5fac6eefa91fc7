// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/tuning.md speak of.

#include <thread>
#include <utility>
#include <vector>

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/processes/front_door.hpp"
#include "tunekit/recipes/adatune.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/tune/tune_tasks.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tk = tunekit;

namespace tuning {

using listed::gen, listed::measure, listed::space;

inline const auto& space1 = space;
inline const auto& space2 = space;
inline auto measure1 = measure, measure2 = measure;
inline const double flops1 = 1e9, flops2 = 2e9;
inline void use(const auto&) {}

inline const tk::index untuned = 0;
inline const auto kernel = [](const auto&) {};
inline const auto see = [](const auto&...) {};
inline double now() { return 0; }
inline tk::measure::measurement measured(const tk::job&) { return {.cost = 1}; }

inline const tk::surrogate::random_forest model;
inline auto forest = model.start(3);
inline const std::vector<float> x(24);
inline const auto rows = tk::surrogate::features(x, 3);
inline const std::vector<double> scores(8);

}  // namespace tuning
