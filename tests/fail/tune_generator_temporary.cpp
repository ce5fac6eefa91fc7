// expect: tunekit: a temporary generator, want a variable
// SPDX-License-Identifier: MIT
// first error: tunekit: a temporary generator, want a variable
// first lines: fifth_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    good_measurer measure;
    (void)tk::tune(some_space, measure, good_strategy{}, {.trials = 5}, tk::random::philox(1));
}
