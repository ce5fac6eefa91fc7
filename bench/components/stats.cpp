// SPDX-License-Identifier: MIT
// Statistics that run in inner loops: expected excess over many predictions, sums, order statistics, rank correlation.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

#include "tunekit/random/fill.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/stats/bootstrap.hpp"
#include "tunekit/stats/expected_excess.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/stats/rank.hpp"

namespace {

namespace tkr = tunekit::random;
namespace stats = tunekit::stats;

std::vector<double> normals(std::size_t n, std::uint64_t seed)
{
    std::vector<double> out(n);
    tkr::philox gen(seed);
    tkr::fill_normal(out, gen);
    return out;
}

void per_value(benchmark::State& state, std::size_t n)
{
    state.counters["per_value"] = benchmark::Counter(
        static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void expected_excess(benchmark::State& state, double bound)
{
    const auto means = normals(1024, 1);
    double total = 0;
    for (auto _ : state) {
        for (const double m : means) total += stats::expected_excess({m, 1}, bound);
        benchmark::DoNotOptimize(total);
    }
    per_value(state, means.size());
}

void sum(benchmark::State& state)
{
    const auto x = normals(4096, 1);
    for (auto _ : state) benchmark::DoNotOptimize(stats::sum(x));
    per_value(state, x.size());
}

void sum_loop(benchmark::State& state)
{
    const auto x = normals(4096, 1);
    for (auto _ : state) {
        double out = 0;
        for (const double v : x) out += v;
        benchmark::DoNotOptimize(out);
    }
    per_value(state, x.size());
}

void median_25(benchmark::State& state)
{
    const auto x = normals(25, 1);
    for (auto _ : state) benchmark::DoNotOptimize(stats::median(x));
}

void kendall_1k(benchmark::State& state)
{
    const auto x = normals(1000, 1);
    const auto y = normals(1000, 2);
    for (auto _ : state) benchmark::DoNotOptimize(stats::kendall_tau_b(x, y));
}

void median_interval_25(benchmark::State& state)
{
    const auto x = normals(25, 1);
    tkr::philox gen(1);
    for (auto _ : state) benchmark::DoNotOptimize(stats::median_interval(x, {}, gen));
}

void student_t_quantile(benchmark::State& state)
{
    for (auto _ : state) benchmark::DoNotOptimize(stats::student_t_quantile(0.975, 9));
}

BENCHMARK_CAPTURE(expected_excess, near, 1.0)->Name("stats/expected_excess");
BENCHMARK_CAPTURE(expected_excess, tail, 12.0)->Name("stats/expected_excess_tail");
BENCHMARK(sum)->Name("stats/sum_4k");
BENCHMARK(sum_loop)->Name("stats/sum_4k_loop");
BENCHMARK(median_25)->Name("stats/median_25");
BENCHMARK(kendall_1k)->Name("stats/kendall_1k");
BENCHMARK(median_interval_25)->Name("stats/median_interval_25");
BENCHMARK(student_t_quantile)->Name("stats/student_t_quantile");

}  // namespace
