// expect: tunekit: tune_tasks, argument 3 is no schedule: update\(state, k, slot\) is missing
// first lines: tunekit: tune_tasks, argument 3 is no schedule: update\(state, k, slot\) is missing
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune_tasks.hpp"

#include "parts.hpp"

struct bad : good_schedule {
    void update() const;
};

void mistake(std::vector<tk::task>& tasks)
{
    tk::random::philox gen(1);
    (void)tk::tune_tasks(
        tasks, good_strategy{}, bad{}, {.seconds = 5}, tk::measure::wall_clock{}, [](const tk::plan&, std::size_t) {},
        gen);
}
