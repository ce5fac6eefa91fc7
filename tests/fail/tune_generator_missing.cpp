// expect: tunekit: tune, the generator is missing behind the budget
// first error: tunekit: tune, the generator is missing behind the budget
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    good_measurer measure;
    const auto found = tk::tune(some_space, measure, good_strategy{}, {.trials = 5});
    (void)found;
}
