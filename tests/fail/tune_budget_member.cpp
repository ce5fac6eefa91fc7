// expect: max_trials
// first lines: max_trials
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    tk::random::philox gen(1);
    good_measurer measure;
    (void)tk::tune(some_space, measure, good_strategy{}, tk::budget{.max_trials = 5}, gen);
}
