// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/scoring.md speak of.

#include <cmath>
#include <cstdio>

#include "tunekit/processes/files/text.hpp"
#include "tunekit/scoring/recording.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/product.hpp"

#define TUNEKIT_RECORDINGS "packages/scoring/recordings"

namespace tk = tunekit;

namespace scoring {

using mine = tk::search::random;

}  // namespace scoring
