// SPDX-License-Identifier: MIT
// Item W8: random numbers, one at a time and in bulk, beside what std and Boost.Random do. Each iteration fills 65 536 values.

#include <benchmark/benchmark.h>

#include <boost/random/normal_distribution.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tunekit/random/choice.hpp"
#include "tunekit/random/fill.hpp"
#include "tunekit/random/philox.hpp"

namespace {

namespace tkr = tunekit::random;

constexpr std::size_t n = 65536;

/// Runs `fill(span, gen)` and reports the time of one value.
template <class T, class G, class Fill>
void filled(benchmark::State& state, G gen, Fill fill)
{
    std::vector<T> out(n);
    for (auto _ : state) {
        fill(std::span<T>(out), gen);
        benchmark::DoNotOptimize(out.data());
        benchmark::ClobberMemory();
    }
    state.counters["per_value"] = benchmark::Counter(
        static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// The same with `draw(gen)` for one value at a time.
template <class T, class G, class Draw>
void drawn(benchmark::State& state, G gen, Draw draw)
{
    filled<T>(state, gen, [&](std::span<T> out, G& g) {
        for (auto& x : out) x = draw(g);
    });
}

void raw(benchmark::State& s)
{
    drawn<std::uint64_t>(s, tkr::philox(1), [](auto& g) { return g(); });
}
void raw_bulk(benchmark::State& s)
{
    filled<std::uint64_t>(s, tkr::philox(1), [](auto out, auto& g) { tkr::fill_bits(out, g); });
}
void raw_std(benchmark::State& s)
{
    drawn<std::uint64_t>(s, std::mt19937_64(1), [](auto& g) { return g(); });
}

void uniform(benchmark::State& s)
{
    drawn<double>(s, tkr::philox(1), [](auto& g) { return tkr::uniform_01(g); });
}
void uniform_bulk(benchmark::State& s)
{
    filled<double>(s, tkr::philox(1), [](auto out, auto& g) { tkr::fill_uniform_01(out, g); });
}
void uniform_std(benchmark::State& s)
{
    drawn<double>(s, std::mt19937_64(1),
                  [d = std::uniform_real_distribution<double>()](auto& g) mutable { return d(g); });
}

void index(benchmark::State& s)
{
    drawn<std::uint32_t>(s, tkr::philox(1),
                         [](auto& g) { return static_cast<std::uint32_t>(tkr::uniform_index(100, g)); });
}
void index_bulk(benchmark::State& s)
{
    filled<std::uint32_t>(s, tkr::philox(1), [](auto out, auto& g) { tkr::fill_uniform_index(out, 100, g); });
}
void index_std(benchmark::State& s)
{
    drawn<std::uint32_t>(s, std::mt19937_64(1),
                         [d = std::uniform_int_distribution<std::uint32_t>(0, 99)](auto& g) mutable { return d(g); });
}

void normal(benchmark::State& s)
{
    drawn<double>(s, tkr::philox(1), [](auto& g) { return tkr::normal(g); });
}
void normal_bulk(benchmark::State& s)
{
    filled<double>(s, tkr::philox(1), [](auto out, auto& g) { tkr::fill_normal(out, g); });
}
void normal_float_bulk(benchmark::State& s)
{
    filled<float>(s, tkr::philox(1), [](auto out, auto& g) { tkr::fill_normal(out, g); });
}
void normal_std(benchmark::State& s)
{
    drawn<double>(s, std::mt19937_64(1), [d = std::normal_distribution<double>()](auto& g) mutable { return d(g); });
}
void normal_boost(benchmark::State& s)
{
    drawn<double>(s, std::mt19937_64(1),
                  [d = boost::random::normal_distribution<double>()](auto& g) mutable { return d(g); });
}
void normal_float_std(benchmark::State& s)
{
    drawn<float>(s, std::mt19937_64(1), [d = std::normal_distribution<float>()](auto& g) mutable { return d(g); });
}

/// What a unit of work pays that makes a stream for four draws.
void stream_of_4(benchmark::State& s)
{
    std::uint64_t i = 0;
    for (auto _ : s) {
        auto gen = tkr::stream(1, 0, i++);
        benchmark::DoNotOptimize(gen() ^ gen() ^ gen() ^ gen());
    }
}

void shuffle(benchmark::State& s)
{
    std::vector<std::uint32_t> items(1024);
    for (std::uint32_t i = 0; i < items.size(); ++i) items[i] = i;
    tkr::philox gen(1);
    for (auto _ : s) {
        tkr::shuffle(items, gen);
        benchmark::ClobberMemory();
    }
    s.counters["per_value"] = benchmark::Counter(
        static_cast<double>(items.size()), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(raw)->Name("random/raw");
BENCHMARK(raw_bulk)->Name("random/raw_bulk");
BENCHMARK(raw_std)->Name("random/raw_std");
BENCHMARK(uniform)->Name("random/uniform");
BENCHMARK(uniform_bulk)->Name("random/uniform_bulk");
BENCHMARK(uniform_std)->Name("random/uniform_std");
BENCHMARK(index)->Name("random/index");
BENCHMARK(index_bulk)->Name("random/index_bulk");
BENCHMARK(index_std)->Name("random/index_std");
BENCHMARK(normal)->Name("random/normal");
BENCHMARK(normal_bulk)->Name("random/normal_bulk");
BENCHMARK(normal_std)->Name("random/normal_std");
BENCHMARK(normal_boost)->Name("random/normal_boost");
BENCHMARK(normal_float_bulk)->Name("random/normal_float_bulk");
BENCHMARK(normal_float_std)->Name("random/normal_float_std");
BENCHMARK(stream_of_4)->Name("random/stream_of_4");
BENCHMARK(shuffle)->Name("random/shuffle_1k");

}  // namespace
