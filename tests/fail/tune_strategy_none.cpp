// expect: tunekit: not a strategy: start\(space\) is missing
// SPDX-License-Identifier: MIT
// first error: tunekit: not a strategy: start\(space\) is missing
// first lines: third_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

struct bad {};

void mistake()
{
    tk::random::philox gen(1);
    good_measurer measure;
    (void)tk::tune(some_space, measure, bad{}, {.trials = 5}, gen);
}
