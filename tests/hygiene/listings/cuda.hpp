// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/cuda.md speak of.

#include <string>
#include <vector>

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/devices/cuda.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/search/annealing.hpp"

namespace tk = tunekit;

namespace cuda {

using listed::gen;

inline const unsigned n = 64;
inline const std::vector<float> x(n), want(n);
inline const tk::space::product space{tk::space::powers_of_two<"tile">(1U, 16U)};
inline const auto c = space.at(0);
inline const tk::measure::source_template program{space, [](const auto&) { return tk::measure::device_source{}; }};
inline tk::measure::cuda_operands data;
inline void use(const auto&) {}

}  // namespace cuda
