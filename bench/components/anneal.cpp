// SPDX-License-Identifier: MIT Item W5: annealing of 128 chains over 500 steps, the best 64 kept, over the models of W4
// and over forests with expected improvement; early stop off, so every search makes 64,128 predictions. Counter
// `value`: the mean true value of the 64, in parts of the global maximum, over 20 seeds.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "knob_space.hpp"
#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace {

namespace tk = tunekit;
namespace sur = tk::surrogate;

constexpr double global_maximum = 867.739;

/// A fitted model and a criterion over the space.
template <class Model, class Acquire>
struct judge {
    const tk::space::value_product& space;
    const Model& model;
    const sur::state_of<Model>& state;
    Acquire acquire;
    mutable std::vector<float> rows{};
    mutable std::vector<tk::stats::prediction> predicted{};

    [[nodiscard]] double best() const { return 1; }

    void predict(std::span<const tk::index> in, std::span<tk::stats::prediction> out) const
    {
        rows.resize(in.size() * surrogate_data::d);
        space.features(in, rows, tk::space::encoding::values);
        model.predict(state, sur::features(rows, surrogate_data::d), out);
    }

    void score(std::span<const tk::index> in, std::span<double> out) const
    {
        predicted.resize(in.size());
        predict(in, predicted);
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = acquire.value(predicted[i], 1);
    }
};

double true_value(const tk::space::value_product& space, const std::vector<tk::explore::scored_candidate>& found)
{
    double sum = 0;
    for (const auto& c : found) {
        std::uint16_t row[surrogate_data::d];
        space.ordinals(std::span(&c.candidate, 1), row);
        double k[surrogate_data::d];
        std::copy(std::begin(row), std::end(row), std::begin(k));
        sum += surrogate_data::surface(k);
    }
    return sum / static_cast<double>(found.size()) / global_maximum;
}

template <class Model, class Acquire>
void anneal(benchmark::State& state, const Model& model, Acquire acquire)
{
    const auto space = surrogate_data::space();
    auto train = surrogate_data::knobs(101, 1000, 0.05);
    const double most = *std::max_element(train.y.begin(), train.y.end());
    for (double& y : train.y) y = std::clamp(y / most, 0.0, 1.0);
    tk::random::philox gen(1);
    auto fitted = model.start(surrogate_data::d);
    model.fit(fitted, sur::features(train.x, surrogate_data::d), train.y, gen);
    const judge<Model, Acquire> judge_of{space, model, fitted, acquire};
    const tk::explore::annealing search{.patience = 501, .persistent = false};
    const auto once = [&](std::uint64_t seed) {
        tk::random::philox own(seed);
        auto chains = search.start(space);
        return search.explore(chains, space, judge_of, {}, 64, own);
    };
    std::uint64_t seed = 0;
    for (auto _ : state) benchmark::DoNotOptimize(once(++seed));
    double value = 0;
    for (std::uint64_t s = 0; s < 20; ++s) value += true_value(space, once(s)) / 20;
    state.counters["value"] = value;
}

constexpr sur::boosted_trees squared{.rounds = 100, .stop_after = 0};
constexpr sur::boosted_trees logistic{.loss = sur::boosted_loss::logistic, .rounds = 100, .stop_after = 0};

[[maybe_unused]] const bool registered = [] {
    const auto add = [](const char* name, auto item) {
        benchmark::RegisterBenchmark(name, item)->Unit(benchmark::kMillisecond);
    };
    add("anneal/boost", [](benchmark::State& s) { anneal(s, squared, tk::acquisition::mean{}); });
    add("anneal/boost_logistic", [](benchmark::State& s) { anneal(s, logistic, tk::acquisition::mean{}); });
    add("anneal/forest10_ei", [](benchmark::State& s) {
        anneal(s, sur::random_forest{.trees = 10, .max_features = 10}, tk::acquisition::expected_improvement{});
    });
    add("anneal/forest100_ei",
        [](benchmark::State& s) { anneal(s, sur::random_forest{}, tk::acquisition::expected_improvement{}); });
    return true;
}();

}  // namespace
