// SPDX-License-Identifier: MIT
// CUDA source built by NVRTC: what a process costs that starts the library, and one forked after it was started.
#include "tunekit/devices/cuda/builder.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "packages/kernels/operators/child.hpp"
#include "tunekit/kernels/autotvm/cuda_source.hpp"
#include "tunekit/random/philox.hpp"

namespace {

namespace tk = tunekit;

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

/// 16 valid configurations of AutoTVM's direct convolution.
std::vector<tk::measure::source> sources()
{
    const auto what = tk::kernels::autotvm::conv2d_cuda_template(tk::kernels::square_conv2d(128, 28, 128, 3, 1, 1));
    tk::random::philox gen(3);
    std::vector<tk::measure::source> out;
    while (out.size() < 16) {
        try {
            out.push_back(what.source_of(what.space.at(what.space.sample(1, gen)[0])));
        } catch (const std::invalid_argument&) {
            continue;
        }
    }
    return out;
}

/// Registered first: a library that this process has started stays so.
void library_each(benchmark::State& state)
{
    const auto all = sources();
    double spent = 0;
    double failed = 0;
    for (auto _ : state) {
        const double before = children();
        for (const auto& s : all) {
            const auto child = programs::in_child("nvrtc", 600, [&s] {
                return tk::measure::detail::nvrtc().compile(s.text, {"--gpu-architecture=sm_80", "--std=c++17"}).good
                           ? 0
                           : 1;
            });
            failed += child.status == 0 ? 0 : 1;
        }
        spent += children() - before;
    }
    state.counters["cpu_ms_each"] = 1e3 * spent / (static_cast<double>(state.iterations()) * 16);
    state.counters["failed"] = failed;
}

void library_once(benchmark::State& state)
{
    const auto all = sources();
    double spent = 0;
    double failed = 0;
    for (auto _ : state) {
        tk::measure::nvrtc_builder pool({.processes = 1});
        const double before = children();
        pool.submit(all, "kernel", 60);
        for (const auto& s : all) failed += pool.wait(pool.cache().key(s, "kernel")).failed ? 1 : 0;
        spent += children() - before;
    }
    state.counters["cpu_ms_each"] = 1e3 * spent / (static_cast<double>(state.iterations()) * 16);
    state.counters["failed"] = failed;
}

/// Without NVRTC there is nothing to time.
template <void (*Item)(benchmark::State&)>
void guarded(benchmark::State& state)
{
    try {
        Item(state);
    } catch (const tk::measure::no_device& e) {
        state.SkipWithError(e.what());
    }
}

BENCHMARK(guarded<library_each>)->Name("measure/build_cuda/library_each")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(guarded<library_once>)->Name("measure/build_cuda/library_once")->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
