// expect: tunekit: not a recipe with a schedule; a strategy wants one
// SPDX-License-Identifier: MIT
// first error: tunekit: not a recipe with a schedule; a strategy wants one
// first lines: schedule_of_tune_tasks
#include "tunekit/tune/tune_tasks.hpp"

#include "parts.hpp"

void mistake()
{
    tk::random::philox gen(1);
    std::vector<tk::task> tasks;
    (void)tk::tune_tasks(tasks, good_strategy{}, {.seconds = 5}, gen);
}
