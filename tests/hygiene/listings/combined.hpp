// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/combined.md speak of.

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;

namespace combined {

using listed::gen, listed::measure, listed::space;

inline std::vector<tk::task> tasks;

}  // namespace combined
