// expect: tunekit: not a strategy: start\(space\) is missing
// SPDX-License-Identifier: MIT
// first error: tunekit: not a strategy: start\(space\) is missing
// first lines: second_of_tuner
#include "tunekit/tune/tuner.hpp"

#include "parts.hpp"

struct bad {};

void mistake()
{
    tk::random::philox gen(1);
    tk::tuner t(some_space, bad{}, {.trials = 5}, gen);
}
