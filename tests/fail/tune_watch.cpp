// expect: tunekit: \.watch is not an observer: operator\(\)\(const tuning&\) is missing
// first error: tunekit: \.watch is not an observer: operator\(\)\(const tuning&\) is missing
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    tk::random::philox gen(1);
    (void)tk::tune(some_space, good_measurer{}, good_strategy{}, {.trials = 5}, gen, {.watch = [](int) {}});
}
