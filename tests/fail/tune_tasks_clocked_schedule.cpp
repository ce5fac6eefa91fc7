// expect: tunekit: not a schedule: update\(state, k, slot\) is missing
// SPDX-License-Identifier: MIT
// first error: tunekit: not a schedule: update\(state, k, slot\) is missing
// first lines: schedule_of_tune_tasks
#include "tunekit/tune/tune_tasks.hpp"

#include "parts.hpp"

struct bad : good_schedule {
    void update() const;
};

void mistake(std::vector<tk::task>& tasks)
{
    tk::random::philox gen(1);
    (void)tk::tune_tasks(tasks, good_strategy{}, bad{}, {.seconds = 5}, gen,
                         {.watch = [](const tk::plan&, std::size_t) {}, .clock = tk::measure::wall_clock{}});
}
