// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/boosted_trees.md speak of.

#include <vector>

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"

namespace tk = tunekit;

namespace boosted_trees {

using listed::gen;

inline const std::size_t d = 3;
inline const std::vector<float> x(8 * d), candidates(4 * d);
inline const std::vector<double> scores(8);
inline std::vector<tk::stats::prediction> predicted(4);

}  // namespace boosted_trees
