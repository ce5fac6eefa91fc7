// expect: tunekit: tune_tasks, argument 2 is no recipe; beside a strategy want a schedule
// first lines: tunekit: tune_tasks, argument 2 is no recipe; beside a strategy want a schedule
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune_tasks.hpp"

#include "parts.hpp"

void mistake()
{
    tk::random::philox gen(1);
    std::vector<tk::task> tasks;
    (void)tk::tune_tasks(tasks, good_strategy{}, {.seconds = 5}, gen);
}
