// SPDX-License-Identifier: MIT
// W9: what a trial costs beside its measurement, and what a replayed one costs in all.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tunekit/measure/replay.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tk = tunekit;

namespace {

/// The tuning space of items 3-6: 12 parameters, 103,680,000 configurations.
const tk::space::value_product& tuning_space()
{
    static const tk::space::value_product space = [] {
        std::vector<tk::space::value_parameter> parameters;
        for (const std::int64_t n : {8, 6, 6, 6, 5, 5, 5, 5, 4, 4, 3, 2}) {
            tk::space::value_parameter p{std::string("p").append(std::to_string(parameters.size())), {}};
            for (std::int64_t v = 0; v < n; ++v) p.values.push_back(v);
            parameters.push_back(std::move(p));
        }
        return tk::space::value_product(std::move(parameters), {});
    }();
    return space;
}

/// Runs of 10,000 trials in batches of one, answered from a short table; time per trial.
template <class Strategy>
void trials(benchmark::State& state, const Strategy& strategy)
{
    const auto& space = tuning_space();
    constexpr std::size_t n = 10000;
    tk::random::philox draw(1);
    std::vector<tk::measure::measurement> answers(4096);
    for (auto& m : answers) m.cost = 1 + tk::random::uniform_01(draw);
    tk::random::philox gen(2);
    for (auto _ : state) {
        auto s = strategy.start(space);
        for (std::size_t k = 0; k < n; ++k) {
            const auto batch = strategy.propose(s, space, 1, gen);
            strategy.observe(s, space, batch, {&answers[k % answers.size()], batch.size()}, gen);
        }
        benchmark::DoNotOptimize(s);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
    state.counters["s_per_trial"] = benchmark::Counter(
        static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(trials, random, tk::search::random{})->Name("overhead/random")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(trials, hill_climb, tk::search::hill_climb{})
    ->Name("overhead/hill_climb")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(trials, annealing, tk::search::annealing{})
    ->Name("overhead/annealing")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(trials, genetic, tk::search::genetic{})->Name("overhead/genetic")->Unit(benchmark::kMillisecond);

/// The same by a tuner that is asked and told.
template <class Strategy>
void tuner_trials(benchmark::State& state, const Strategy& strategy)
{
    const auto& space = tuning_space();
    constexpr std::size_t n = 10000;
    tk::random::philox draw(1);
    std::vector<tk::measure::measurement> answers(4096);
    for (auto& m : answers) m.cost = 1 + tk::random::uniform_01(draw);
    for (auto _ : state) {
        tk::tuner t(space, strategy, {.trials = n}, tk::random::philox(2));
        std::size_t k = 0;
        while (auto job = t.ask()) t.tell(*job, answers[k++ % answers.size()]);
        benchmark::DoNotOptimize(t.record());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
    state.counters["s_per_trial"] = benchmark::Counter(
        static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(tuner_trials, random, tk::search::random{})
    ->Name("overhead/tuner_random")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tuner_trials, hill_climb, tk::search::hill_climb{})
    ->Name("overhead/tuner_hill_climb")
    ->Unit(benchmark::kMillisecond);

/// Runs of the recommended strategy, one proposal at a time, on costs that have a shape; time per trial. Of 12 parameters, or
/// of 60 switches.
void own_time(benchmark::State& state, const tk::space::value_product& space)
{
    const auto n = static_cast<std::size_t>(state.range(0));
    const auto strategy = tk::recipes::combined().strategy;
    std::vector<std::uint16_t> x(space.dimensions());
    for (auto _ : state) {
        tk::random::philox gen(1);
        auto s = strategy.start(space);
        for (std::size_t k = 0; k < n; ++k) {
            const auto batch = strategy.propose(s, space, 1, gen);
            state.PauseTiming();
            space.ordinals(batch, x);
            tk::measure::measurement m{.cost = 1, .runs = 1};
            for (std::size_t j = 0; j < x.size(); ++j) {
                const std::size_t away = x[j] > j * 7 % 4 ? x[j] - j * 7 % 4 : j * 7 % 4 - x[j];
                const std::size_t beside = j == 0 ? 0 : (x[j] * (x[j - 1] + 1U) + j) % 3;
                m.cost *= 1 + 0.05 * static_cast<double>(away) + 0.03 * static_cast<double>(beside);
            }
            state.ResumeTiming();
            strategy.observe(s, space, batch, std::span(&m, 1), gen);
        }
        benchmark::DoNotOptimize(s);
    }
    state.counters["s_per_trial"] = benchmark::Counter(
        static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

const tk::space::value_product& switches()
{
    static const tk::space::value_product space = [] {
        std::vector<tk::space::value_parameter> parameters;
        for (int k = 0; k < 60; ++k) parameters.push_back({std::string("s").append(std::to_string(k)), {0, 1}});
        return tk::space::value_product(std::move(parameters), {});
    }();
    return space;
}

BENCHMARK_CAPTURE(own_time, tuning_space, tuning_space())
    ->Name("overhead/combined")
    ->Arg(100)
    ->Arg(300)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(own_time, switches, switches())
    ->Name("overhead/combined_switches")
    ->Arg(100)
    ->Arg(300)
    ->Unit(benchmark::kMillisecond);

/// 10,000 trials of random over a table of 17,956 rows with 32 repeats, the size of the largest recorded GEMM space.
void replay_10k(benchmark::State& state)
{
    const tk::space::value_product space({{"a",
                                           [] {
                                               std::vector<std::int64_t> v;
                                               for (std::int64_t i = 0; i < 17956; ++i) v.push_back(i);
                                               return v;
                                           }()}},
                                         {});
    std::vector<tk::measure::recorded_row> table(17956);
    tk::random::philox draw(1);
    for (auto& row : table) {
        row.result.cost = 1e-3 * (1 + tk::random::uniform_01(draw));
        row.result.batches.assign(32, row.result.cost);
        row.seconds = 2;
    }
    for (auto _ : state) {
        double now = 0;
        const tk::measure::virtual_clock time(now);
        tk::measure::replay measure(table, time);
        tk::random::philox gen(3);
        auto found = tk::tune(space, measure, tk::recipe{tk::search::random{}, tk::measure::fixed{}, {}, 1},
                              {.trials = 10000}, gen, {.clock = time});
        benchmark::DoNotOptimize(found);
    }
}

BENCHMARK(replay_10k)->Name("space/replay_10k")->Unit(benchmark::kMillisecond);

}  // namespace
