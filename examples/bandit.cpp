// SPDX-License-Identifier: MIT

// Which of four arms pays most? Three bandit rules find out while they pull.
//
// The arms stand for compiler passes, their rewards for noisy speed-ups. Any rewards in any unit will do. Prints how often each
// rule pulled each arm, and what it lost.

#include <array>
#include <cstdio>

#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/on_means.hpp"
#include "tunekit/bandit/softmax.hpp"
#include "tunekit/bandit/ucb.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;

constexpr std::array speed_up{1.05, 1.30, 1.22, 0.90};  // the truth, which no rule sees

template <class Policy>
void play(const char* name, const Policy& policy)
{
    tk::random::philox gen{42};
    auto state = policy.start(speed_up.size());
    double lost = 0;
    for (int round = 0; round < 1000; ++round) {
        const std::size_t k = policy.select(state, gen);
        policy.update(state, k, speed_up[k] + 0.1 * tk::random::normal(gen));
        lost += 1.30 - speed_up[k];
    }
    std::printf("%-15s", name);
    for (const auto& arm : state.arms)
        std::printf("%6llu x %.2f", static_cast<unsigned long long>(arm.pulls), arm.estimate);
    std::printf("   lost %.1f\n", lost);
}

int main()
{
    play("ucb", tk::bandit::on_means{tk::bandit::ucb{.exploration = 0.02, .unit = 1}});
    play("epsilon_greedy", tk::bandit::on_means{tk::bandit::epsilon_greedy{.epsilon = 0.05}});
    play("softmax", tk::bandit::on_means{tk::bandit::softmax{.temperature = 0.05}});
}
