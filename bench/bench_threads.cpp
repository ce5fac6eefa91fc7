// SPDX-License-Identifier: MIT
// Products and direct convolutions on several threads against one, with the default configurations: every division of
// gemm_division_space, and the convolutions R2, R6 and R9 of ResNet-18. Wall time; medians of interleaved rounds, with the
// least and the greatest. Needs as many idle cores as threads. "each its own" is the ceiling: every thread runs the whole
// serial kernel on operands of its own. oneDNN and OpenBLAS run beside them with as many threads.

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/support/begin_honestly.hpp"
#include "bench/support/cpu_peers.hpp"
#include "programs/kernel_table.hpp"
#include "tunekit/kernels/conv2d/blocked_space.hpp"
#include "tunekit/kernels/conv2d/parallel.hpp"
#include "tunekit/kernels/gemm/parallel.hpp"
#include "tunekit/kernels/gemm/space.hpp"

namespace {

namespace tk = tunekit;
using namespace tk::kernels;

/// Threads that wait between runs, spinning: starting them would cost as much as a small product.
class team {
public:
    explicit team(std::size_t n) : begin_(static_cast<std::ptrdiff_t>(n)), end_(static_cast<std::ptrdiff_t>(n))
    {
        stay_on(0);
        for (std::size_t i = 1; i < n; ++i)
            threads_.emplace_back([this, i] {
                stay_on(i);
                for (;;) {
                    begin_.arrive_and_wait();
                    if (!task_) return;
                    if (i < parts_) task_(i);
                    end_.arrive_and_wait();
                }
            });
    }
    team(const team&) = delete;
    team& operator=(const team&) = delete;
    ~team()
    {
        task_ = nullptr;
        if (!threads_.empty()) begin_.arrive_and_wait();
        for (auto& t : threads_) t.join();
    }

    /// The calling thread stays on this processor: two that share one would seem to gain nothing.
    static void stay_on(std::size_t processor)
    {
        cpu_set_t own;
        CPU_ZERO(&own);
        CPU_SET(processor, &own);
        pthread_setaffinity_np(pthread_self(), sizeof own, &own);
    }

    /// Runs task(0) ... task(n - 1), one a thread. Precondition: n is at most the number of threads.
    template <class F>
    void run(std::size_t n, const F& task)
    {
        parts_ = n;
        task_ = std::cref(task);
        if (!threads_.empty()) begin_.arrive_and_wait();
        task(0);
        if (!threads_.empty()) end_.arrive_and_wait();
    }

private:
    std::barrier<> begin_, end_;
    std::function<void(std::size_t)> task_;
    std::size_t parts_ = 0;
    std::vector<std::thread> threads_;
};

struct item {
    std::string name;
    std::function<void()> run;
    double times = 1;  // how often it does the work
    std::vector<double> seconds = {};
};

/// After a pause, in which the waiting threads of other libraries fall asleep: awake they would hold a core.
double paused_seconds_of(const std::function<void()>& run)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    run();
    const auto began = std::chrono::steady_clock::now();
    int runs = 0;
    double spent = 0;
    while (spent < 0.02) {
        run();
        ++runs;
        spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    }
    return spent / runs;
}

/// Measures all items in turn; prints each with its speed-up over the first.
void compare(const std::string& what, std::vector<item>& items, double flops)
{
    constexpr int rounds = 15;
    for (int round = 0; round < rounds; ++round)
        for (auto& i : items) i.seconds.push_back(paused_seconds_of(i.run) / i.times);
    for (auto& i : items) {
        std::vector<double> ratio;
        for (std::size_t k = 0; k < i.seconds.size(); ++k) ratio.push_back(items[0].seconds[k] / i.seconds[k]);
        std::sort(ratio.begin(), ratio.end());
        std::sort(i.seconds.begin(), i.seconds.end());
        std::printf("%-16s %-22s %8.1f GFLOP/s  %5.2f [%.2f, %.2f]\n", what.c_str(), i.name.c_str(),
                    flops / i.seconds[rounds / 2] * 1e-9, ratio[rounds / 2], ratio.front(), ratio.back());
    }
}

void products(team& workers, int threads)
{
    const auto on_team = [&](std::size_t n, const auto& task) { workers.run(n, task); };
    for (const gemm_shape& s : {gemm_shape{.m = 1024, .n = 1024, .k = 1024}, gemm_shape{.m = 512, .n = 512, .k = 512},
                                gemm_shape{.m = 128, .n = 3072, .k = 768}, gemm_shape{.m = 128, .n = 768, .k = 3072}}) {
        const auto size = [](int rows, int columns) {
            return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
        };
        std::vector<float> a(size(s.m, s.k), 0.5F), b(size(s.k, s.n), 0.25F), c(size(s.m, s.n));
        const gemm_config config = default_config(s, kernel_table());
        const auto space = gemm_division_space(s, threads);
        std::vector<parallel_gemm> kernels;
        std::vector<item> items;
        kernels.reserve(space.size());
        for (tk::index i = 0; i < space.size(); ++i) {
            kernels.emplace_back(s, config, kernel_table(), gemm_division_of(space.at(i)));
            items.push_back(
                {space.text(i), [&, &kernel = kernels.back()] { kernel.run(a.data(), b.data(), c.data(), on_team); }});
        }
        struct operands {
            gemm_kernel kernel;
            std::vector<float> a, b, c;
        };
        std::vector<operands> own;
        for (int i = 0; i < threads; ++i) own.push_back({gemm_kernel(s, config, kernel_table()), a, b, c});
        items.push_back({"each its own",
                         [&] {
                             workers.run(own.size(), [&](std::size_t i) {
                                 own[i].kernel.run(own[i].a.data(), own[i].b.data(), own[i].c.data());
                             });
                         },
                         static_cast<double>(threads)});
        for (auto& peer : bench::peers_of(s)) items.push_back({peer.name, peer.run});
        compare(std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k), items,
                2.0 * s.m * s.n * s.k);
    }
}

void convolutions(team& workers, int threads)
{
    const auto on_team = [&](std::size_t n, const auto& task) { workers.run(n, task); };
    const auto layer = [](int channels, int side) {
        return conv2d_shape{.ci = channels,
                            .height = side,
                            .width = side,
                            .co = channels,
                            .kernel_h = 3,
                            .kernel_w = 3,
                            .padding_h = 1,
                            .padding_w = 1};
    };
    const std::pair<const char*, conv2d_shape> layers[] = {
        {"R2", layer(64, 56)}, {"R6", layer(128, 28)}, {"R9", layer(256, 14)}};
    for (const auto& [name, s] : layers) {
        const std::vector<float> weights(static_cast<std::size_t>(s.weights()), 0.5F);
        const conv2d_config config = default_config(s, kernel_table());
        const conv2d_kernel whole(s, config, kernel_table(), weights);
        std::vector<float> x(whole.input_size(), 0.25F), y(whole.output_size());
        std::vector<parallel_conv2d> kernels;
        std::vector<item> items;
        for (int parts = 1; parts <= threads; ++parts) kernels.emplace_back(s, config, kernel_table(), weights, parts);
        for (auto& kernel : kernels)
            items.push_back(
                {"parts = " + std::to_string(kernel.parts()), [&] { kernel.run(x.data(), y.data(), on_team); }});
        struct operands {
            conv2d_kernel kernel;
            std::vector<float> x, y;
        };
        std::vector<operands> own;
        for (int i = 0; i < threads; ++i) own.push_back({conv2d_kernel(s, config, kernel_table(), weights), x, y});
        items.push_back({"each its own",
                         [&] {
                             workers.run(own.size(),
                                         [&](std::size_t i) { own[i].kernel.run(own[i].x.data(), own[i].y.data()); });
                         },
                         static_cast<double>(threads)});
        if (auto peer = bench::onednn_convolution("onednn_direct", s, dnnl::algorithm::convolution_direct,
                                                  dnnl::memory::format_tag::any))
            items.push_back({peer->name, peer->run});
        compare(name, items, 2.0 * static_cast<double>(s.macs()));
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
    if (threads < 1 || argc > 2) {
        std::fprintf(stderr, "bench_threads [THREADS]: want a number >= 1\n");
        return 2;
    }
    bench::begin_honestly(argv, threads);
    // The threads of oneDNN begin here, while they may run on any core.
    for (auto& peer : bench::peers_of(gemm_shape{.m = 64, .n = 64, .k = 64})) peer.run();
    team workers(static_cast<std::size_t>(threads));
    products(workers, threads);
    convolutions(workers, threads);
}
