// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/model_guided.md speak of.

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/recipes/adatune.hpp"
#include "tunekit/recipes/autotvm.hpp"
#include "tunekit/records/read_experience.hpp"

namespace tk = tunekit;

namespace model_guided {

using listed::gen, listed::measure;

inline const auto& r3_space = listed::space;
inline const auto& r4_space = listed::space;

}  // namespace model_guided
