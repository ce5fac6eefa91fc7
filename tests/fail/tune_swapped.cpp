// expect: tunekit: argument 2 is a strategy and argument 3 measures: want them the other way round
// SPDX-License-Identifier: MIT
// first error: tunekit: argument 2 is a strategy and argument 3 measures: want them the other way round
// first lines: second_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    tk::random::philox gen(1);
    good_measurer measure;
    (void)tk::tune(some_space, good_strategy{}, measure, {.trials = 5}, gen);
}
