// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/random_forest.md speak of.

#include <vector>

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tk = tunekit;

namespace random_forest {

using listed::gen;

inline const std::vector<float> x(24), candidates(12);
inline const std::vector<double> scores(8);
inline std::vector<tk::stats::prediction> predicted(4);

}  // namespace random_forest
