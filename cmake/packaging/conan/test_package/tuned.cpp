// SPDX-License-Identifier: MIT
// A bandit finds the better of two arms.
#include <cstdio>
#include <vector>
#include "tunekit/bandit.hpp"
#include "tunekit/random.hpp"

int main()
{
    namespace tk = tunekit;
    tk::random::philox gen(1);
    std::vector<tk::bandit::arm> arms{{.estimate = 1, .pulls = 5}, {.estimate = 2, .pulls = 5}};
    const std::size_t k = tk::bandit::ucb::scale_free().select(arms, 10, gen);
    std::printf("tunekit: arm %zu\n", k);
    return k == 1 ? 0 : 1;
}
