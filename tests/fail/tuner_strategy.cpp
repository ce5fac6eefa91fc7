// expect: tunekit: no strategy: start\(space\) is missing
// first error: tunekit: no strategy: start\(space\) is missing
// first lines: second_of_tuner
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tuner.hpp"

#include "parts.hpp"

struct bad {};

void mistake()
{
    tk::random::philox gen(1);
    tk::tuner t(some_space, bad{}, {.trials = 5}, gen);
}
