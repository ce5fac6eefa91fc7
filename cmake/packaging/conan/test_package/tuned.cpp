// SPDX-License-Identifier: MIT
// A bandit finds the better of two arms; and one processor is enough for one worker, as the library of processes says.
#include <cstdio>
#include <vector>
#include "tunekit/bandit.hpp"
#include "tunekit/processes/share_cores.hpp"
#include "tunekit/random.hpp"

int main()
{
    namespace tk = tunekit;
    tk::random::philox gen(1);
    std::vector<tk::bandit::arm> arms{{.estimate = 1, .pulls = 5}, {.estimate = 2, .pulls = 5}};
    const std::size_t k = tk::bandit::ucb::scale_free().select(arms, 10, gen);
    std::printf("tunekit: arm %zu\n", k);
    return k == 1 && tk::measure::share_cores(1).workers.size() == 1 ? 0 : 1;
}
