// SPDX-License-Identifier: MIT
// A program beside single headers, without any other path: docs/packages.md shows it, tests/packaging/packaging.sh compiles and runs it.

#include <cstdio>

#include "tunekit_bandit.hpp"
#include "tunekit_random.hpp"

int main()
{
    namespace tk = tunekit;
    const double chance[] = {0.2, 0.5, 0.8};  // of a reward of 1
    const tk::bandit::ucb1 policy{};
    auto state = policy.start(3);
    tk::random::philox gen(1);
    for (int t = 0; t < 1000; ++t) {
        const std::size_t k = policy.select(state, gen);
        policy.update(state, k, tk::random::uniform_01(gen) < chance[k] ? 1.0 : 0.0);
    }
    for (std::size_t k = 0; k < 3; ++k)
        std::printf("arm %zu: %llu pulls\n", k, static_cast<unsigned long long>(state.pulls[k]));
}
