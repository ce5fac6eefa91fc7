// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/measuring.md speak of.

#include <vector>

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/search/annealing.hpp"

namespace tk = tunekit;

namespace measuring {

using listed::gen, listed::space;

inline const auto time_kernel = [](const auto&) { return [] {}; };
inline const auto check = [] { return true; };
inline const std::size_t n = 1;
inline const std::vector<float> reference(n);
inline std::vector<float> out(n);

}  // namespace measuring
