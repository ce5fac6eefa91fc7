// SPDX-License-Identifier: MIT
// The Gaussian process on the tuning space of surrogate_data.hpp: 220 and 1000 rows, 10,000 candidates. A step is one measurement
// more: its row into the factor, and all candidates scored anew.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <span>
#include <vector>

#include "surrogate_data.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"

namespace {

namespace tk = tunekit;
namespace sur = tk::surrogate;

constexpr std::size_t d = 12, candidates = 10000;

sur::features first(const surrogate_data::table& t, std::size_t n) { return {std::span(t.x).first(n * d), d}; }

const surrogate_data::table& rows()
{
    static const surrogate_data::table t = surrogate_data::knobs(101, 1001, 0.05);
    return t;
}

const surrogate_data::table& pool()
{
    static const surrogate_data::table t = surrogate_data::knobs(104, candidates);
    return t;
}

sur::gaussian_process::state fitted(const sur::gaussian_process& m, std::size_t n)
{
    tk::random::philox gen(1);
    auto s = m.start(d);
    m.fit(s, first(rows(), n), std::span(rows().y).first(n), gen);
    return s;
}

void fit(benchmark::State& state, std::size_t n)
{
    const sur::gaussian_process m{};
    for (auto _ : state) benchmark::DoNotOptimize(fitted(m, n));
    const auto s = fitted(m, n);
    std::vector<tk::stats::prediction> out(candidates);
    m.predict(s, first(pool(), candidates), std::span(out));
    std::vector<double> mean;
    for (const auto& p : out) mean.push_back(p.mean);
    state.counters["R2"] = surrogate_data::r2(pool().y, mean);
}

void predict(benchmark::State& state, std::size_t n)
{
    const sur::gaussian_process m{};
    const auto s = fitted(m, n);
    std::vector<tk::stats::prediction> out(candidates);
    for (auto _ : state) {
        m.predict(s, first(pool(), candidates), std::span(out));
        benchmark::DoNotOptimize(out.data());
    }
}

// One measurement more: the row into the factor, and `count` candidates scored anew from their pool.
void step(benchmark::State& state, std::size_t n, std::size_t count)
{
    const sur::gaussian_process m{.growth = 1e9, .max_rows = 2000};
    const auto before = fitted(m, n);
    auto held = m.keep(first(pool(), count));
    std::vector<tk::stats::prediction> out(count);
    m.predict(before, held, std::span(out));
    tk::random::philox gen(1);
    for (auto _ : state) {
        state.PauseTiming();
        auto s = before;
        auto of = held;
        state.ResumeTiming();
        m.fit(s, first(rows(), n + 1), std::span(rows().y).first(n + 1), gen);
        m.predict(s, of, std::span(out));
        benchmark::DoNotOptimize(out.data());
    }
}

[[maybe_unused]] const bool registered = [] {
    const auto add = [](const char* name, auto item) {
        benchmark::RegisterBenchmark(name, item)->Unit(benchmark::kMillisecond);
    };
    add("process/fit_220", [](benchmark::State& s) { fit(s, 220); });
    add("process/fit_1000", [](benchmark::State& s) { fit(s, 1000); });
    add("process/predict_220_10k", [](benchmark::State& s) { predict(s, 220); });
    add("process/predict_1000_10k", [](benchmark::State& s) { predict(s, 1000); });
    add("process/step_220_10k", [](benchmark::State& s) { step(s, 220, candidates); });
    add("process/step_1000_10k", [](benchmark::State& s) { step(s, 1000, candidates); });
    add("process/step_1000_1k", [](benchmark::State& s) { step(s, 1000, 1000); });
    return true;
}();

}  // namespace
