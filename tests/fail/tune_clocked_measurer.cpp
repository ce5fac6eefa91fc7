// expect: tunekit: tune, argument 2 is no measurer: measure
// first lines: tunekit: tune, argument 2 is no measurer: measure
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

struct bad {};

void mistake()
{
    tk::random::philox gen(1);
    (void)tk::tune(
        some_space, bad{}, good_strategy{}, {.trials = 5}, tk::measure::wall_clock{}, [](const tk::tuning&) {}, gen);
}
