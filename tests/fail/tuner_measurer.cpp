// expect: tunekit: a measurer, want a strategy or a recipe
// SPDX-License-Identifier: MIT
// first error: tunekit: a measurer, want a strategy or a recipe
// first lines: second_of_tuner
#include "tunekit/tune/tuner.hpp"

#include "parts.hpp"

void mistake()
{
    tk::random::philox gen(1);
    good_measurer measure;
    tk::tuner t(some_space, measure, {.trials = 5}, gen);
}
