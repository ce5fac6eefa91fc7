// SPDX-License-Identifier: MIT

// Brings your own threads: executors of std::jthread and of OpenMP grow a forest and sample a density.
//
// tunekit starts no threads. Where work can be split, a function takes an executor: anything that calls f(0) ... f(n - 1), in any
// order and on any threads, and returns when all are done. Prints that both give what one thread gives, to the last bit.

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <span>
#include <thread>
#include <vector>

#include "tunekit/core/executor.hpp"
#include "tunekit/mcmc/ensemble.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tk = tunekit;

/// Threads that take the next piece of work when they are done with one. f must not throw: a thread has nobody to tell.
constexpr auto on_threads = [](std::size_t n, const auto& f) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> pool;
    for (unsigned i = 0; i < (std::max)(1U, std::thread::hardware_concurrency()); ++i)
        pool.emplace_back([&] {
            for (std::size_t k = next++; k < n; k = next++) f(k);
        });
};

/// The same by OpenMP, whose threads stay for the next call.
constexpr auto by_openmp = [](std::size_t n, const auto& f) {
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < n; ++i) f(i);
};

constexpr auto log_density = [](std::span<const double> x) {
    double sum = 0;
    for (const double v : x) sum += v * v;
    return -0.5 * sum;
};

/// What a forest of 50 trees predicts, and where 32 walkers went.
template <tk::core::executor Run>
std::vector<double> results(const Run& executor)
{
    tk::random::philox gen{1};
    std::vector<float> x;
    std::vector<double> y;
    for (int i = 0; i < 2000; ++i) {
        const double a = tk::random::normal(gen), b = tk::random::normal(gen);
        x.insert(x.end(), {static_cast<float>(a), static_cast<float>(b)});
        y.push_back(a * b + 0.1 * tk::random::normal(gen));
    }
    const tk::surrogate::random_forest model{.trees = 50};
    auto forest = model.start(2);
    model.fit(forest, tk::surrogate::features(x, 2), y, executor, gen);
    std::vector<tk::stats::prediction> predicted(y.size());
    model.predict(forest, tk::surrogate::features(x, 2), predicted, executor);

    std::vector<double> start(32 * 4);
    for (double& v : start) v = tk::random::normal(gen);
    const tk::mcmc::ensemble sampler{tk::mcmc::stretch{}};
    auto walkers = sampler.start(log_density, start, 4);
    std::vector<double> out = sampler.run(walkers, log_density, 100, executor, gen).positions;
    for (const auto& p : predicted) out.insert(out.end(), {p.mean, p.sd});
    return out;
}

int main()
{
    const auto alone = results(tk::core::serial);
    const bool threads = results(on_threads) == alone, openmp = results(by_openmp) == alone;
    std::printf("%zu numbers of one thread; by std::jthread %s, by OpenMP's %d %s\n", alone.size(),
                threads ? "the same" : "DIFFERENT", omp_get_max_threads(), openmp ? "the same" : "DIFFERENT");
    return threads && openmp ? 0 : 1;
}
