// expect: tunekit: tune, watch and clock go behind the generator
// first error: tunekit: tune, watch and clock go behind the generator
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    tk::random::philox gen(1);
    good_measurer measure;
    (void)tk::tune(some_space, measure, good_strategy{}, {.trials = 5}, [](const tk::tuning&) {}, gen);
}
