// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/models.md speak of.

#include <cstdint>
#include <vector>

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/report/importance.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/search/model_guided.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tk = tunekit;

namespace models {

using listed::gen;

inline const std::vector<float> x(24), candidates(12);
inline const std::vector<double> scores(8), log_costs(8);
inline std::vector<tk::stats::prediction> predicted(4);
inline const std::vector<std::uint32_t> positions{0, 2};
inline const tk::stats::prediction prediction{.mean = 1, .sd = 1};
inline const double best_score = 1;

}  // namespace models
