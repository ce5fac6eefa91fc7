// expect: max_runs
// first lines: max_runs
// SPDX-License-Identifier: MIT
#include "tunekit/measure/until_stable.hpp"

namespace measure = tunekit::measure;

constexpr measure::until_stable policy{.max_runs = 10};
