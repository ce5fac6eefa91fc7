// expect: tunekit: tune without a recipe takes recipes::combined\(\): include tunekit/recipes/combined\.hpp
// first error: tunekit: tune without a recipe takes recipes::combined\(\): include tunekit/recipes/combined\.hpp
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    const auto found = tk::tune(some_space, [](const auto& p) { return 1.0 * tk::get<"x">(p); }, {.trials = 5});
    (void)found;
}
