// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/report.md speak of.

#include <string>
#include <vector>

#include "tunekit/report/page.hpp"
#include "tunekit/tune.hpp"
#include "tunekit/tunekit.hpp"

namespace tk = tunekit;

namespace report {

inline const tk::space::product space{tk::space::integers<"x">(0, 9)};
inline const tk::tuned found(space, tk::tuning{});
inline const std::vector<tk::task> tasks;
inline const tk::plan plan;

}  // namespace report
