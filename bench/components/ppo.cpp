// SPDX-License-Identifier: MIT
// The policy-gradient explorer: a search of 128 episodes of 500 steps with two networks of 64 units and three passes
// over all steps, on a trivial surface (counter `surface`: the mean logarithm where the episodes end, over ten
// searches); Chameleon's own setting; and what Chameleon takes for a whole proposal on a space of 10^8 points.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "knob_space.hpp"
#include "tunekit/explore/policy_gradient.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/chameleon.hpp"

namespace {

namespace tk = tunekit;

/// The logarithm of the surface.
struct log_surface {
    const tk::space::value_product& space;
    mutable double last_mean = 0;

    [[nodiscard]] double best() const { return 0; }
    void score(std::span<const tk::index> in, std::span<double> out) const
    {
        std::vector<std::uint16_t> rows(in.size() * surrogate_data::d);
        space.ordinals(in, rows);
        double sum = 0;
        for (std::size_t i = 0; i < in.size(); ++i) {
            double k[surrogate_data::d];
            for (std::size_t j = 0; j < surrogate_data::d; ++j) k[j] = rows[i * surrogate_data::d + j];
            out[i] = std::log(surrogate_data::surface(k));
            sum += out[i];
        }
        last_mean = sum / static_cast<double>(in.size());
    }
    void predict(std::span<const tk::index> in, std::span<tk::stats::prediction> out) const
    {
        std::vector<double> scores(in.size());
        const double kept = last_mean;
        score(in, scores);
        last_mean = kept;
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = {scores[i], 0};
    }
};

void search(benchmark::State& state, const tk::explore::policy_gradient& policy)
{
    const auto space = surrogate_data::space();
    const log_surface judge{space};
    for (auto _ : state) {
        tk::random::philox gen(1);
        auto s = policy.start(space);
        auto found = policy.explore(s, space, judge, {}, 64, gen);
        benchmark::DoNotOptimize(found.data());
    }
    tk::random::philox gen(1);
    auto s = policy.start(space);
    for (const int search : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
        (void)policy.explore(s, space, judge, {}, 64, gen);
        if (search == 1 || search == 10) state.counters[search == 1 ? "surface1" : "surface10"] = judge.last_mean;
    }
}

template <class Strategy>
void propose(benchmark::State& state, const Strategy& strategy)
{
    const auto space = surrogate_data::space();
    tk::random::philox gen(1);
    auto s = strategy.start(space);
    const auto measure = [&](std::span<const tk::index> batch) {
        std::vector<std::uint16_t> rows(batch.size() * surrogate_data::d);
        space.ordinals(batch, rows);
        std::vector<tk::measure::measurement> out;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            double k[surrogate_data::d];
            for (std::size_t j = 0; j < surrogate_data::d; ++j) k[j] = rows[i * surrogate_data::d + j];
            out.push_back({.cost = 1 / surrogate_data::surface(k), .runs = 1});
        }
        return out;
    };
    for (std::size_t trials = 0; trials < 512;) {
        const auto batch = strategy.propose(s, space, 64, gen);
        strategy.observe(s, space, batch, measure(batch), gen);
        trials += batch.size();
    }
    for (auto _ : state) {
        auto copy = s;
        tk::random::philox same(7);
        auto batch = strategy.propose(copy, space, 64, same);
        benchmark::DoNotOptimize(batch.data());
    }
}

[[maybe_unused]] const bool registered = [] {
    using tk::explore::policy_gradient;
    const auto add = [](const char* name, auto item) {
        benchmark::RegisterBenchmark(name, item)->Unit(benchmark::kMillisecond);
    };
    add("ppo/128x500", [](benchmark::State& s) {
        search(s, policy_gradient{.reward = tk::explore::reward_of::rise,
                                  .layout = tk::explore::towers::separate,
                                  .hidden = 64,
                                  .clip = 0.2,
                                  .entropy_weight = 0.01,
                                  .joint_ratio = true,
                                  .update_on = tk::explore::updates::pooled,
                                  .minibatch = 512});
    });
    add("ppo/paper", [](benchmark::State& s) { search(s, policy_gradient::paper()); });
    add("ppo/reference", [](benchmark::State& s) { search(s, policy_gradient::reference()); });
    add("chameleon/propose", [](benchmark::State& s) { propose(s, tk::recipes::chameleon().strategy); });
    return true;
}();

}  // namespace
