// expect: tunekit: tune, the last argument is no generator
// first lines: tunekit: tune, the last argument is no generator
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    good_measurer measure;
    std::vector<int> numbers;
    (void)tk::tune(some_space, measure, good_strategy{}, {.trials = 5}, numbers);
}
