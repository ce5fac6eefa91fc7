// SPDX-License-Identifier: MIT
#pragma once

// A space, a measurer and a generator, which the listings of several pages speak of.

#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace listed {

inline const tk::space::product space{tk::space::integers<"x">(0, 9)};
inline tk::random::philox gen{1};
inline auto measure = tk::measure::in_process(space, tk::measure::timed{[](const auto&) {}, tk::measure::fixed{}});

}  // namespace listed
