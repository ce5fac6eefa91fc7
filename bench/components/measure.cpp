// SPDX-License-Identifier: MIT
// Measuring: what isolation, restarts, clocks and repetition cost, beside the bare kernel.

#include <benchmark/benchmark.h>

#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"

namespace {

namespace tk = tunekit;
namespace measure = tk::measure;

/// So many configurations that none needs to be measured twice.
struct numbers {
    using config = std::uint64_t;
    [[nodiscard]] tk::index size() const { return tk::index{1} << 40; }
    [[nodiscard]] config at(tk::index i) const { return i; }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return c; }
};

constexpr measure::fixed once{.runs = 1, .batch = 1};

/// A kernel of about a quarter of a millisecond, its output verified.
struct saxpy {
    static constexpr std::size_t n = 1 << 20;
    measure::guarded_buffer<float> x{n}, y{n}, want{n};

    saxpy()
    {
        for (std::size_t i = 0; i < n; ++i) {
            x.data()[i] = static_cast<float>(i % 1000);
            want.data()[i] = 2 * x.data()[i] + 1;
        }
        x.protect();
        want.protect();
    }

    auto how() const
    {
        return measure::timed{[in = x.data(), out = y.data()](std::uint64_t) {
                                  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i] + 1;
                              },
                              measure::fixed{.runs = 10, .batch = 1},
                              measure::matches<float>{y.span(), want.span(), {.absolute = 1e-3}}};
    }
};

template <class Clock>
void clock_reading(benchmark::State& state)
{
    Clock now;
    for (auto _ : state) benchmark::DoNotOptimize(now());
}
BENCHMARK(clock_reading<measure::wall_clock>)->Name("measure/clock_wall");
BENCHMARK(clock_reading<measure::thread_clock>)->Name("measure/clock_thread");

/// A kernel that reports its seconds: all that is left is what measuring costs.
void in_process_overhead(benchmark::State& state)
{
    auto measurer = measure::in_process(numbers{}, measure::timed{[](std::uint64_t) { return 1.0; }, once});
    std::vector<tk::index> batch{0};
    for (auto _ : state) {
        ++batch[0];
        benchmark::DoNotOptimize(measurer.measure(batch, {}));
    }
}
BENCHMARK(in_process_overhead)->Name("measure/overhead_in_process")->UseRealTime();

void isolated_overhead(benchmark::State& state)
{
    auto measurer = measure::isolated(numbers{}, measure::timed{[](std::uint64_t) { return 1.0; }, once});
    std::vector<tk::index> batch{0};
    for (auto _ : state) {
        ++batch[0];
        benchmark::DoNotOptimize(measurer.measure(batch, {}));
    }
}
BENCHMARK(isolated_overhead)->Name("measure/overhead_isolated")->UseRealTime();

/// A candidate that ends its worker, and the new worker; argument: bytes that the parent touched after building the
/// measurer.
void isolated_restart(benchmark::State& state)
{
    auto measurer = measure::isolated(numbers{}, measure::timed{[](std::uint64_t) { ::_exit(3); }, once});
    const auto bytes = static_cast<std::size_t>(state.range(0)) << 20;
    const std::unique_ptr<unsigned char[]> large(new unsigned char[bytes + 1]);
    std::memset(large.get(), 1, bytes);
    std::vector<tk::index> batch{0};
    for (auto _ : state) {
        ++batch[0];
        benchmark::DoNotOptimize(measurer.measure(batch, {}));
    }
}
BENCHMARK(isolated_restart)
    ->Name("measure/restart_mib")
    ->Arg(1)
    ->Arg(1024)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

void kernel_in_process(benchmark::State& state)
{
    const saxpy of;
    auto measurer = measure::in_process(numbers{}, of.how());
    for (auto _ : state) benchmark::DoNotOptimize(measurer.measure(std::vector<tk::index>{1}, {}));
}
BENCHMARK(kernel_in_process)->Name("measure/kernel_in_process")->UseRealTime()->Unit(benchmark::kMicrosecond);

void kernel_isolated(benchmark::State& state)
{
    const saxpy of;
    auto measurer = measure::isolated(numbers{}, of.how(), {.canaries = {of.y.canary()}});
    for (auto _ : state) benchmark::DoNotOptimize(measurer.measure(std::vector<tk::index>{1}, {}));
}
BENCHMARK(kernel_isolated)->Name("measure/kernel_isolated")->UseRealTime()->Unit(benchmark::kMicrosecond);

/// Deciding alone, on batches of 5 % noise that are there already.
template <class Policy>
void policy_decisions(benchmark::State& state)
{
    const Policy policy;
    tk::random::philox gen(1);
    std::vector<double> recorded(1000);
    for (double& t : recorded) t = 1e-3 * (1 + 0.05 * tk::random::normal(gen));
    std::size_t batches = 0;
    for (auto _ : state) {
        std::vector<double> seen;
        while (policy.next(seen) != 0) seen.push_back(recorded[seen.size()]);
        benchmark::DoNotOptimize(policy.estimate_of(seen));
        batches = seen.size();
    }
    state.counters["batches"] = static_cast<double>(batches);
}
BENCHMARK(policy_decisions<measure::until_stable>)->Name("measure/decide_until_stable");
BENCHMARK(policy_decisions<measure::until_confident>)->Name("measure/decide_until_confident");

/// The self-test of the cache policy: one line per 64 bytes of 256 KiB, read after itself and after a flush. Counters:
/// seconds of a run.
void cache_policy(benchmark::State& state)
{
    std::vector<unsigned char> data(256 << 10, 1);
    const auto read = [&](std::uint64_t) {
        unsigned sum = 0;
        for (std::size_t i = 0; i < data.size(); i += 64) sum += data[i];
        benchmark::DoNotOptimize(sum);
    };
    measure::timed_options cold;
    cold.state = measure::cache::cold;
    measure::timed warm{read, measure::until_confident{}};
    measure::timed flushed{read, measure::until_confident{}, measure::no_check{}, measure::wall_clock{}, cold};
    for (auto _ : state) {
        state.counters["warm_us"] = 1e6 * warm(std::uint64_t{0}, {}).cost;
        state.counters["cold_us"] = 1e6 * flushed(std::uint64_t{0}, {}).cost;
    }
}
BENCHMARK(cache_policy)->Name("measure/cache_policy")->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
