// expect: tunekit: not a generator
// SPDX-License-Identifier: MIT
// first error: tunekit: not a generator
// first lines: fifth_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    good_measurer measure;
    std::vector<int> numbers;
    (void)tk::tune(some_space, measure, good_strategy{}, {.trials = 5}, numbers);
}
