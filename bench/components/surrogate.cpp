// SPDX-License-Identifier: MIT
// Items W3 and W4: the random forest and the boosted trees, on the tuning space of surrogate_data.hpp. Fits report the
// quality on rows without noise that they have not seen as counters: R2 (of a ranking it says nothing) and rank correlation.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <span>
#include <vector>

#include "surrogate_data.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace {

namespace tk = tunekit;
namespace sur = tk::surrogate;
using surrogate_data::table;

struct problem {
    std::size_t d = 0;
    table train, test, candidates;
};

// Forests learn the surface itself, boosted trees its share of the best, clipped to [0, 1] in training.
problem make(std::size_t d, bool scaled)
{
    problem p{.d = d,
              .train = d == 12 ? surrogate_data::knobs(101, 1000, 0.05) : surrogate_data::wide(105, 1000, 0.05),
              .test = d == 12 ? surrogate_data::knobs(103, 10000) : surrogate_data::wide(107, 64000),
              .candidates = d == 12 ? surrogate_data::knobs(104, 100000) : surrogate_data::wide(107, 64000)};
    if (scaled) {
        const double most = *std::max_element(p.train.y.begin(), p.train.y.end());
        for (auto& y : p.train.y) y = std::clamp(y / most, 0.0, 1.0);
        for (auto& y : p.test.y) y /= most;
    }
    return p;
}

const problem& problem_of(std::size_t d, bool scaled)
{
    static const problem forest = make(12, false);
    static const problem boost_12 = make(12, true);
    static const problem boost_100 = make(100, true);
    return d == 100 ? boost_100 : scaled ? boost_12 : forest;
}

sur::features floats(const table& t, std::size_t d, std::size_t n) { return {std::span(t.x).first(n * d), d}; }

template <class Model>
typename Model::state fitted(const Model& model, const problem& p)
{
    tk::random::philox gen(1);
    auto s = model.start(p.d);
    model.fit(s, floats(p.train, p.d, p.train.y.size()), p.train.y, gen);
    return s;
}

template <class Model>
void fit(benchmark::State& state, const Model& model, std::size_t d, bool scaled)
{
    const problem& p = problem_of(d, scaled);
    for (auto _ : state) benchmark::DoNotOptimize(fitted(model, p));
    const auto s = fitted(model, p);
    std::vector<tk::stats::prediction> out(p.test.y.size());
    model.predict(s, floats(p.test, d, out.size()), out);
    std::vector<double> mean;
    for (const auto& q : out) mean.push_back(q.mean);
    state.counters["R2"] = surrogate_data::r2(p.test.y, mean);
    state.counters["rank"] = surrogate_data::rank_correlation(p.test.y, mean);
}

template <class Model>
void predict(benchmark::State& state, const Model& model, std::size_t d, bool scaled, std::size_t n)
{
    const problem& p = problem_of(d, scaled);
    const auto s = fitted(model, p);
    const auto rows = floats(p.candidates, d, n);
    std::vector<tk::stats::prediction> out(n);
    for (auto _ : state) {
        model.predict(s, rows, out);
        benchmark::DoNotOptimize(out.data());
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(n));
}

void predict_ordinals(benchmark::State& state, const sur::random_forest& model, std::size_t n)
{
    const problem& p = problem_of(12, false);
    const auto s = fitted(model, p);
    const sur::ordinals rows(std::span(p.candidates.ordinals).first(n * p.d), p.d);
    std::vector<tk::stats::prediction> out(n);
    for (auto _ : state) {
        model.predict(s, rows, out);
        benchmark::DoNotOptimize(out.data());
        benchmark::ClobberMemory();
    }
}

constexpr sur::random_forest forest{};
constexpr sur::random_forest jackknife{.sd = sur::forest_sd::jackknife};
constexpr sur::boosted_trees squared{.rounds = 100, .stop_after = 0};
constexpr sur::boosted_trees logistic{.loss = sur::boosted_loss::logistic, .rounds = 100, .stop_after = 0};
constexpr sur::boosted_trees ranking{.loss = sur::boosted_loss::pairwise, .rounds = 100, .stop_after = 0};
constexpr sur::boosted_trees exact{.rounds = 100, .max_bins = 0, .stop_after = 0};
constexpr sur::boosted_trees with_members{.rounds = 100, .stop_after = 0, .members = 8};

// The variance alone, the trees' predictions given: what the peers of this item are timed on.
void jackknife_10k(benchmark::State& state)
{
    constexpr std::size_t trees = 100;
    constexpr std::size_t rows = 1000;
    constexpr std::size_t points = 10000;
    constexpr std::size_t strip = 32;
    tk::random::philox gen(3);
    std::vector<std::uint32_t> counts(trees * rows, 0);
    for (std::size_t i = 0; i < counts.size(); ++i) ++counts[i / rows * rows + tk::random::uniform_index(rows, gen)];
    std::vector<double> centred(trees * points), out(points);
    for (auto& c : centred) c = tk::random::uniform_01(gen) - 0.5;
    const sur::jackknife ij(counts, trees);
    for (auto _ : state) {
        for (std::size_t i = 0; i + strip <= points; i += strip)
            ij.variances(centred.data() + i * trees, strip, out.data() + i);
        ij.variances(centred.data() + points / strip * strip * trees, points % strip,
                     out.data() + points / strip * strip);
        benchmark::DoNotOptimize(out.data());
        benchmark::ClobberMemory();
    }
}
[[maybe_unused]] const bool registered = [] {
    const auto add = [](const char* name, auto item) {
        benchmark::RegisterBenchmark(name, item)->Unit(benchmark::kMillisecond);
    };
    add("forest/fit", [](benchmark::State& s) { fit(s, forest, 12, false); });
    add("forest/predict_10k", [](benchmark::State& s) { predict(s, forest, 12, false, 10000); });
    add("forest/predict_10k_ordinals", [](benchmark::State& s) { predict_ordinals(s, forest, 10000); });
    add("forest/predict_100k", [](benchmark::State& s) { predict(s, forest, 12, false, 100000); });
    add("forest/predict_jackknife_10k", [](benchmark::State& s) { predict(s, jackknife, 12, false, 10000); });
    add("boost/fit_12", [](benchmark::State& s) { fit(s, squared, 12, true); });
    add("boost/fit_logistic_12", [](benchmark::State& s) { fit(s, logistic, 12, true); });
    add("boost/fit_rank_12", [](benchmark::State& s) { fit(s, ranking, 12, true); });
    add("boost/fit_members_12", [](benchmark::State& s) { fit(s, with_members, 12, true); });
    add("boost/fit_100", [](benchmark::State& s) { fit(s, squared, 100, true); });
    add("boost/fit_exact_100", [](benchmark::State& s) { fit(s, exact, 100, true); });
    add("boost/predict_64k_12", [](benchmark::State& s) { predict(s, squared, 12, true, 64000); });
    add("boost/predict_64k_100", [](benchmark::State& s) { predict(s, squared, 100, true, 64000); });
    add("boost/predict_128_12", [](benchmark::State& s) { predict(s, squared, 12, true, 128); });
    add("forest/jackknife_10k", jackknife_10k);
    return true;
}();

}  // namespace
