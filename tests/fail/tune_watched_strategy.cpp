// expect: tunekit: not a strategy: observe\(state, space, batch, measured, gen\) is missing
// SPDX-License-Identifier: MIT
// first error: tunekit: not a strategy: observe\(state, space, batch, measured, gen\) is missing
// first lines: third_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

struct bad : good_strategy {
    void observe() const;
};

void mistake()
{
    tk::random::philox gen(1);
    (void)tk::tune(some_space, good_measurer{}, bad{}, {.trials = 5}, gen, {.watch = [](const tk::tuning&) {}});
}
