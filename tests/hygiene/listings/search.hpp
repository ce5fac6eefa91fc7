// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/search.md speak of.

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/recipes/adatune.hpp"
#include "tunekit/recipes/autotvm.hpp"
#include "tunekit/records/read_experience.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/hill_climb.hpp"

namespace tk = tunekit;

namespace search {

using listed::gen, listed::measure, listed::space;

inline const auto& r4_space = listed::space;

}  // namespace search
