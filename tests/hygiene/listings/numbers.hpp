// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/numbers.md speak of.

#include <cmath>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/linalg/levenberg_marquardt.hpp"

namespace tk = tunekit;

namespace numbers {

inline const std::vector<double> x(8), y(8);
inline const tk::linalg::vector start(2), lower(2), upper(2);

struct settings {
    int rounds = 1;
};
inline const settings options;

}  // namespace numbers
