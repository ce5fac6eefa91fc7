// expect: most_runs
// first lines: most_runs
// SPDX-License-Identifier: MIT
#include "tunekit/measure/until_stable.hpp"

namespace measure = tunekit::measure;

constexpr measure::until_stable policy{.most_runs = 10};
