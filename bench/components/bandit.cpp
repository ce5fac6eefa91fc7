// SPDX-License-Identifier: MIT
// Item W9: what the choice costs. One selection among 18 arms and the learning of one reward, once every arm was pulled.

#include <benchmark/benchmark.h>

#include <cstddef>

#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/on_means.hpp"
#include "tunekit/bandit/softmax.hpp"
#include "tunekit/bandit/ucb.hpp"
#include "tunekit/bandit/ucb1.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace {

namespace tk = tunekit;

template <class Policy>
void overhead(benchmark::State& state, const Policy& policy)
{
    tk::random::philox gen(1);
    auto s = policy.start(18);
    for (std::size_t k = 0; k < 18; ++k) policy.update(s, k, 0.5);
    for (auto _ : state) {
        const std::size_t k = policy.select(s, gen);
        policy.update(s, k, static_cast<double>(k % 5) * 0.1 + 0.1 * tk::random::uniform_01(gen));
    }
    benchmark::DoNotOptimize(s);
}

BENCHMARK_CAPTURE(overhead, ucb, tk::bandit::on_means{tk::bandit::ucb::scale_free()});
BENCHMARK_CAPTURE(overhead, epsilon_greedy, tk::bandit::on_means{tk::bandit::epsilon_greedy{}});
BENCHMARK_CAPTURE(overhead, softmax, tk::bandit::on_means{tk::bandit::softmax{}});
BENCHMARK_CAPTURE(overhead, ucb1, tk::bandit::ucb1{});

}  // namespace
