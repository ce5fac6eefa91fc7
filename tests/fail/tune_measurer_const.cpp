// expect: tunekit: a const measurer
// SPDX-License-Identifier: MIT
// first error: tunekit: a const measurer
// first lines: second_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    tk::random::philox gen(1);
    const good_measurer measure{};
    (void)tk::tune(some_space, measure, good_strategy{}, {.trials = 5}, gen);
}
