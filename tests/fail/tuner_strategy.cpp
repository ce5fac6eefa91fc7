// expect: tunekit: tuner, argument 2 is no strategy: start\(space\) is missing
// first lines: tunekit: tuner, argument 2 is no strategy: start\(space\) is missing
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tuner.hpp"

#include "parts.hpp"

struct bad {};

void mistake()
{
    tk::random::philox gen(1);
    tk::tuner t(some_space, bad{}, {.trials = 5}, gen);
}
