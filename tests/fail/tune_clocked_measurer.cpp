// expect: tunekit: not a measurer: measure
// SPDX-License-Identifier: MIT
// first error: tunekit: not a measurer: measure
// first lines: second_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

struct bad {};

void mistake()
{
    tk::random::philox gen(1);
    (void)tk::tune(some_space, bad{}, good_strategy{}, {.trials = 5}, gen,
                   {.watch = [](const tk::tuning&) {}, .clock = tk::measure::wall_clock{}});
}
