// SPDX-License-Identifier: MIT
// k-means over candidates of 12 parameters, for every k of 8, 9, ..., 64, one run per k; and one choice of adaptive
// sampling among 64.
// Counters: the loss at some k, for comparing quality.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <span>
#include <vector>

#include "knob_space.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/screen/adaptive_sampling.hpp"

namespace {

namespace tk = tunekit;
namespace screen = tk::screen;

void sweep(benchmark::State& state, std::size_t n)
{
    const screen::point_rows points{surrogate_data::knobs(104, n).x, surrogate_data::d};
    const screen::k_means groups;
    std::vector<double> losses;
    for (auto _ : state) {
        tk::random::philox gen(1);
        losses.clear();
        const auto starts = groups.starts(points, 64, gen);
        for (std::size_t k = 8; k <= 64; ++k) losses.push_back(groups.cluster(points, k, starts).loss);
        benchmark::DoNotOptimize(losses.data());
    }
    for (const std::size_t k : {8U, 32U, 64U})
        state.counters[k == 8 ? "loss8" : k == 32 ? "loss32" : "loss64"] = losses[k - 8];
}

void select_of_64(benchmark::State& state)
{
    const auto space = surrogate_data::space();
    tk::random::philox gen(1);
    std::vector<tk::explore::scored_candidate> pool;
    for (const auto i : space.sample(64, gen)) pool.push_back({.candidate = i});
    for (auto _ : state) {
        auto chosen = screen::adaptive_sampling{}.select(space, pool, {}, 64, gen);
        benchmark::DoNotOptimize(chosen.data());
    }
}

[[maybe_unused]] const bool registered = [] {
    const auto add = [](const char* name, auto item) {
        benchmark::RegisterBenchmark(name, item)->Unit(benchmark::kMillisecond);
    };
    add("kmeans/sweep_1k", [](benchmark::State& s) { sweep(s, 1000); });
    add("kmeans/sweep_10k", [](benchmark::State& s) { sweep(s, 10000); });
    add("kmeans/select_64", select_of_64);
    return true;
}();

}  // namespace
