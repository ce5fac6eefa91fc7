// expect: tunekit: schedule::by_belief, part 1: not a curve::belief_model
// first lines: tunekit: schedule::by_belief, part 1: not a curve::belief_model
// SPDX-License-Identifier: MIT
#include "tunekit/schedule/by_belief.hpp"

#include "parts.hpp"

#include "tunekit/bandit/ucb.hpp"

struct bad {};

void mistake()
{
    tk::random::philox gen(1);
    const tk::schedule::by_belief schedule{bad{}, tk::bandit::ucb{}};
    auto state = schedule.start({}, {.slot_seconds = 1});
    (void)schedule.select(state, {}, gen);
}
