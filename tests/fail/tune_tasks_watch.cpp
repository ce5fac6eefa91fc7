// expect: tunekit: \.watch is not an observer: operator\(\)\(const plan&
// first error: tunekit: \.watch is not an observer: operator\(\)\(const plan&
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune_tasks.hpp"

#include "parts.hpp"

void mistake(std::vector<tk::task>& tasks)
{
    tk::random::philox gen(1);
    (void)tk::tune_tasks(
        tasks, tk::recipe{good_strategy{}, tk::measure::fixed{}, tk::candidate_limits{}, 1, 20.0, good_schedule{}},
        {.seconds = 5}, gen, {.watch = [](const tk::plan&) {}});
}
