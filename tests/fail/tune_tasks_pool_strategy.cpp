// expect: tunekit: not a strategy: start\(space\) is missing
// SPDX-License-Identifier: MIT
// first error: tunekit: not a strategy: start\(space\) is missing
// first lines: strategy_of_tune_tasks
#include "../support/one_worker.hpp"
#include "tunekit/tune/tune_tasks.hpp"

#include "parts.hpp"

struct bad {};

void mistake(std::vector<tk::task>& tasks)
{
    tk::random::philox gen(1);
    good_measurer measure;
    support::one_worker pool(measure);
    (void)tk::tune_tasks(tasks, pool,
                         tk::recipe{bad{}, tk::measure::fixed{}, tk::candidate_limits{}, 1, 20.0, good_schedule{}},
                         {.seconds = 5}, gen);
}
