// expect: tunekit: on_means, part 1: not a bandit::bandit
// first lines: tunekit: on_means, part 1: not a bandit::bandit
// SPDX-License-Identifier: MIT
#include "tunekit/bandit/on_means.hpp"

#include "parts.hpp"

struct bad {};

void mistake()
{
    tk::random::philox gen(1);
    const tk::bandit::on_means policy{bad{}};
    (void)policy.select(policy.start(3), gen);
}
