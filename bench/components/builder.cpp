// SPDX-License-Identifier: MIT
// Generated code: what compiling costs per configuration, alone and together, of AutoTVM's convolution and dense layer.
#include "tunekit/processes/build/builder.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/kernels/autotvm/x86.hpp"
#include "tunekit/random/philox.hpp"

namespace {

namespace tk = tunekit;
namespace at = tunekit::kernels::autotvm;

/// CPU seconds of the children that have ended.
double children()
{
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Configurations per compilation, 32 in all, one compiler at a time; at -O2, or (second argument 1) as cheaply as
/// keeps the kernels fast.
template <class Template>
void builds(benchmark::State& state, const Template& what)
{
    tk::random::philox gen(3);
    std::vector<tk::measure::source> sources;
    for (const auto i : what.space.sample(32, gen)) sources.push_back(what.source_of(what.space.at(i)));
    double spent = 0;
    double failed = 0;
    for (auto _ : state) {
        std::vector<std::string> flags{"-O2", "-march=native"};
        if (state.range(1) != 0) flags = {"-O1", "-fexpensive-optimizations", "-march=native"};
        tk::measure::builder pool({.compilers = {"g++"},
                                   .flags = std::move(flags),
                                   .processes = 1,
                                   .together = static_cast<std::size_t>(state.range(0))});
        const double before = children();
        pool.submit(sources, what.entry, 60);
        for (const auto& s : sources) failed += pool.wait(pool.cache().key(s, what.entry)).failed ? 1 : 0;
        spent += children() - before;
    }
    const auto built = static_cast<double>(state.iterations()) * static_cast<double>(sources.size());
    state.counters["cpu_ms_each"] = 1e3 * spent / built;
    state.counters["failed"] = failed / built;
}

void convolution(benchmark::State& state)
{
    builds(state, at::conv2d_x86_template(tk::kernels::square_conv2d(128, 28, 128, 3, 1, 1)));
}

void pointwise(benchmark::State& state)
{
    builds(state, at::pointwise_x86_template(tk::kernels::square_conv2d(64, 56, 128, 1, 2, 0)));
}

void dense(benchmark::State& state) { builds(state, at::dense_pack_x86_template({.m = 128, .n = 768, .k = 768})); }

void batched(benchmark::State& state)
{
    builds(state, at::batched_gemm_x86_template({.batch = 12, .m = 128, .n = 128, .k = 64}));
}

void cases(benchmark::internal::Benchmark* b)
{
    b->ArgNames({"together", "lean"})->Args({1, 0})->Args({16, 0})->Args({16, 1});
    b->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();
}

BENCHMARK(convolution)->Name("measure/build_convolution")->Apply(cases);
BENCHMARK(pointwise)->Name("measure/build_pointwise")->Apply(cases);
BENCHMARK(dense)->Name("measure/build_dense")->Apply(cases);
BENCHMARK(batched)->Name("measure/build_batched_gemm")->Apply(cases);

}  // namespace
