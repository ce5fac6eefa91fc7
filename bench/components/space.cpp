// SPDX-License-Identifier: MIT
// Search spaces: building, sampling, decoding, encoding and walking the conv2d space of a ResNet-18 layer, beside the raw loops.

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/product.hpp"

namespace {

namespace tk = tunekit;
namespace sp = tunekit::space;

// ResNet-18's R2: 64 channels to 64, 56 x 56, 3 x 3. Direct convolution in blocked layout: raw 7.1e8.
constexpr int ci = 64, co = 64, oh = 56, ow = 56;

constexpr bool fits_registers(int mr, int nv) { return mr * nv + nv + 1 <= 34; }

constexpr bool pads_little(int nv, int vl, int oc_block)
{
    const int tile = nv * vl * oc_block;
    return 4 * ((co + tile - 1) / tile * tile) <= 5 * co;
}

constexpr bool divides_blocks(int ic_block, int ic_chunk) { return ci / ic_block % ic_chunk == 0; }

/// The parameters of the layer under some constraints.
template <class... Constraints>
auto conv2d_under(Constraints... constraints)
{
    return sp::product{
        sp::parameter<"mr">({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 20, 24, 28}),
        sp::parameter<"nv">({1, 2, 3, 4, 5, 6, 8}),
        sp::parameter<"vl">({4, 8, 16}),
        sp::powers_of_two<"ku">(1, 8),
        sp::parameter<"prefetch">({0, 4, 8, 16, 24}),
        sp::divisors<"ic_block">(ci, 256),
        sp::powers_of_two<"ic_chunk">(1, 512),
        sp::divisors<"oh_block">(oh),
        sp::powers_of_two<"oc_block">(1, 64),
        sp::integers<"order">(0, 5),
        sp::boolean<"clip">(),
        sp::boolean<"overlap">(),
        constraints...,
    };
}

auto conv2d()
{
    return conv2d_under(sp::where<"mr", "nv">(fits_registers), sp::where<"mr">([](int mr) { return mr <= ow; }),
                        sp::where<"nv", "vl", "oc_block">(pads_little),
                        sp::where<"ic_block", "ic_chunk">(divides_blocks));
}

auto raw_conv2d() { return conv2d_under(); }

constexpr std::array mr_values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 20, 24, 28};
constexpr std::array nv_values{1, 2, 3, 4, 5, 6, 8};
constexpr std::array vl_values{4, 8, 16};
constexpr std::array ic_values{1, 2, 4, 8, 16, 32, 64};

/// What anyone would write: is this row of ordinals valid?
bool valid(const std::uint16_t* row)
{
    const int mr = mr_values[row[0]], nv = nv_values[row[1]];
    return fits_registers(mr, nv) && mr <= ow && pads_little(nv, vl_values[row[2]], 1 << row[8]) &&
           divides_blocks(ic_values[row[5]], 1 << row[6]);
}

/// Counts by looking at every point of the raw product.
std::uint64_t filtered_count(std::span<const std::uint16_t> sizes)
{
    std::array<std::uint16_t, 12> row{};
    std::uint64_t count = 0;
    for (;;) {
        count += valid(row.data());
        std::size_t j = 0;
        while (j < row.size() && ++row[j] == sizes[j]) row[j++] = 0;
        if (j == row.size()) return count;
    }
}

/// CPU time of this process.
double seconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The shortest of `rounds` runs of `f`, in seconds.
template <class F>
double best_of(int rounds, F&& f)
{
    double best = 1e300;
    for (int i = 0; i < rounds; ++i) {
        const double start = seconds();
        f();
        best = std::min(best, seconds() - start);
    }
    return best;
}

constexpr std::size_t batch = 1024;

void build_conv2d(benchmark::State& state)
{
    tk::index size = 0;
    for (auto _ : state) {
        const auto space = conv2d();
        size = space.size();
        benchmark::DoNotOptimize(size);
    }
    state.counters["valid"] = static_cast<double>(size);
    state.counters["raw"] = static_cast<double>(raw_conv2d().size());
}
BENCHMARK(build_conv2d)->Name("space/build_conv2d")->Unit(benchmark::kMicrosecond);

void filter_count_conv2d(benchmark::State& state)
{
    const auto raw = raw_conv2d();
    std::uint64_t count = 0;
    double filtering = 0;
    for (auto _ : state) filtering = best_of(1, [&] { count = filtered_count(raw.cardinalities()); });
    tk::index size = 0;
    const double building = best_of(20, [&] { size = conv2d().size(); });
    if (size != count) state.SkipWithError("the product and the filter count differently");
    state.counters["ratio"] = filtering / building;
}
BENCHMARK(filter_count_conv2d)->Name("space/filter_count_conv2d")->Iterations(1)->Unit(benchmark::kMillisecond);

template <class Space>
void sample_rows(const Space& space, tk::random::philox& gen, std::vector<std::uint16_t>& rows)
{
    space.ordinals(space.sample(batch, gen), rows);
    benchmark::DoNotOptimize(rows.data());
}

/// Draws configurations and decodes them to rows of ordinals.
template <class Space>
void sample(benchmark::State& state, const Space& space)
{
    tk::random::philox gen(1);
    std::vector<std::uint16_t> rows(batch * space.dimensions());
    for (auto _ : state) sample_rows(space, gen, rows);
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch));
    state.counters["each"] = benchmark::Counter(
        static_cast<double>(batch), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(sample, product, raw_conv2d())->Name("space/sample_product");
BENCHMARK_CAPTURE(sample, conv2d, conv2d())->Name("space/sample_conv2d");

void filter_sample_conv2d(benchmark::State& state)
{
    const auto raw = raw_conv2d();
    const auto space = conv2d();
    std::vector<std::uint16_t> rows(batch * raw.dimensions());
    tk::random::philox gen(1), other(1);
    const auto reject = [&] {
        std::size_t kept = 0;
        std::array<std::uint16_t, 12> row{};
        while (kept < batch) {
            for (std::size_t j = 0; j < row.size(); ++j)
                row[j] = static_cast<std::uint16_t>(tk::random::uniform_index(raw.cardinalities()[j], gen));
            if (valid(row.data()))
                std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(12 * kept++));
        }
        benchmark::DoNotOptimize(rows.data());
    };
    for (auto _ : state) reject();
    const double rejecting = best_of(20, reject);
    const double drawing = best_of(20, [&] { sample_rows(space, other, rows); });
    state.counters["ratio"] = rejecting / drawing;
    state.counters["each"] = benchmark::Counter(
        static_cast<double>(batch), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(filter_sample_conv2d)->Name("space/filter_sample_conv2d");

void at(benchmark::State& state)
{
    const auto space = conv2d();
    tk::random::philox gen(2);
    const auto drawn = space.sample(batch, gen);
    std::size_t k = 0;
    for (auto _ : state) benchmark::DoNotOptimize(space.at(drawn[k++ % batch]));
}
BENCHMARK(at)->Name("space/at");

void index_of(benchmark::State& state)
{
    const auto space = conv2d();
    tk::random::philox gen(3);
    std::vector<decltype(space)::config> configs;
    for (const tk::index i : space.sample(batch, gen)) configs.push_back(space.at(i));
    std::size_t k = 0;
    for (auto _ : state) benchmark::DoNotOptimize(space.index_of(configs[k++ % batch]));
}
BENCHMARK(index_of)->Name("space/index_of");

void neighbour(benchmark::State& state)
{
    const auto kind = static_cast<sp::neighbourhood>(state.range(0));
    const auto space = conv2d();
    tk::random::philox gen(4);
    auto walkers = space.sample(batch, gen);
    for (auto _ : state) space.neighbours(walkers, walkers, kind, gen);
    state.counters["each"] = benchmark::Counter(
        static_cast<double>(batch), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(neighbour)->Name("space/neighbour")->Arg(0)->Arg(1)->Arg(2);

/// Sampling, decoding, walking and features through any_space against the same calls on the product; `ratio` is erased over static.
void any_vs_static(benchmark::State& state)
{
    const auto space = conv2d();
    const sp::any_space erased = space;
    std::vector<std::uint16_t> rows(batch * space.dimensions());
    std::vector<float> numbers(batch * space.feature_count(sp::encoding::values));
    const auto work = [&](const auto& s, std::uint64_t seed) {
        tk::random::philox gen(seed);
        auto walkers = s.sample(batch, gen);
        s.neighbours(walkers, walkers, sp::neighbourhood::any_value, gen);
        s.ordinals(walkers, rows);
        s.features(walkers, numbers, sp::encoding::values);
        benchmark::DoNotOptimize(rows.data());
        benchmark::DoNotOptimize(numbers.data());
    };
    std::vector<double> ratios;
    std::uint64_t seed = 0;
    for (auto _ : state) {
        ++seed;
        const double plain = best_of(3, [&] { work(space, seed); });
        const double hidden = best_of(3, [&] { work(erased, seed); });
        ratios.push_back(hidden / plain);
    }
    std::sort(ratios.begin(), ratios.end());
    state.counters["ratio"] = ratios[ratios.size() / 2];
}
BENCHMARK(any_vs_static)->Name("space/any_vs_static")->Unit(benchmark::kMicrosecond);

}  // namespace
