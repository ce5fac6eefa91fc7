// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/acquisition.md speak of.

#include "tunekit/acquisition/concepts.hpp"

namespace tk = tunekit;

namespace acquisition {

inline const tk::stats::prediction predicted{.mean = 1, .sd = 1};
inline const double best = 1;

}  // namespace acquisition
