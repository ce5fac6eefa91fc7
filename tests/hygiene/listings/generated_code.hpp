// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/generated_code.md speak of.

#include <string>

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/processes/build.hpp"
#include "tunekit/processes/isolated.hpp"

namespace tk = tunekit;

namespace generated_code {

inline const tk::space::product space{tk::space::integers<"factor">(0, 9)};
inline float x[64];
inline const auto check = [] { return true; };

}  // namespace generated_code
