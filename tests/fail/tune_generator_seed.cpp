// expect: tunekit: a number, want a generator made of it
// SPDX-License-Identifier: MIT
// first error: tunekit: a number, want a generator made of it
// first lines: fifth_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    good_measurer measure;
    (void)tk::tune(some_space, measure, good_strategy{}, {.trials = 5}, 42);
}
