// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/coming_from.md speak of. They bring tunekit's headers themselves; here are only those that a declaration needs.

#include <array>
#include <cstdio>
#include <span>
#include <vector>

#include "tunekit/linalg/levenberg_marquardt.hpp"

namespace tk = tunekit;

namespace coming_from {

inline double simulate(int x) { return 1.0 + x; }

inline std::vector<float> out(4), expected(4);
inline void multiply(float* to, int rows, int columns) { *to = static_cast<float>(rows * columns); }

inline double log_probability(std::span<const double> p) { return -p[0] * p[0] - p[1] * p[1]; }

inline const tk::linalg::vector start = tk::linalg::vector::Zero(2), lower = start, upper = start;
inline tk::linalg::normal_equations problem(const tk::linalg::vector&)
{
    return {0, tk::linalg::vector::Zero(2), tk::linalg::matrix::Zero(2, 2)};
}

}  // namespace coming_from
