// expect: tunekit: tuner, argument 2 is a measurer, want a strategy or a recipe
// first lines: tunekit: tuner, argument 2 is a measurer, want a strategy or a recipe
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tuner.hpp"

#include "parts.hpp"

void mistake()
{
    tk::random::philox gen(1);
    good_measurer measure;
    tk::tuner t(some_space, measure, {.trials = 5}, gen);
}
