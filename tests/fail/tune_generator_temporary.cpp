// expect: tunekit: tune, the last argument is a temporary generator, want a variable
// first lines: tunekit: tune, the last argument is a temporary generator, want a variable
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    good_measurer measure;
    (void)tk::tune(some_space, measure, good_strategy{}, {.trials = 5}, tk::random::philox(1));
}
