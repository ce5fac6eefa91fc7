// expect: tunekit: tune, argument 5 is no clock: double operator\(\)\(\) is missing
// first lines: tunekit: tune, argument 5 is no clock: double operator\(\)\(\) is missing
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    tk::random::philox gen(1);
    (void)tk::tune(some_space, good_measurer{}, good_strategy{}, {.trials = 5}, 0.0, [](const tk::tuning&) {}, gen);
}
