// SPDX-License-Identifier: MIT
// Belief updates: least squares, a 10 x 500 chain, 200 samples, mean, sd and expected improvement, for 1 and for 18 operators.
#include "tunekit/curve/belief.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "ensemble_data.hpp"
#include "tunekit/mcmc/diagnostics.hpp"

namespace curve = tunekit::curve;
namespace mcmc = tunekit::mcmc;

namespace {

struct operator_data {
    std::vector<double> x, y;
    double best = 0, truth = 0;

    explicit operator_data(std::size_t k)
    {
        const double d = static_cast<double>(k), a = 0.6 + 0.05 * d, b = 2.5 + 0.1 * d, c = -(0.8 + 0.05 * d);
        const auto f = [&](double at) { return a / (1 + std::pow(at / std::exp(b), c)); };
        for (std::size_t i = 0; i < 260; ++i) {
            x.push_back(static_cast<double>(i + 1));
            y.push_back(f(x.back()) + 0.03 * bench::normal(200 + k, i));
            best = y.back() > best ? y.back() : best;
        }
        truth = f(1000);
    }
};

struct updated {
    double mean = 0, sd = 0, expected_improvement = 0, effective = 0;
};

/// The work as the peer does it: noise known, the box of the item, walkers theta + 0.01 N.
updated update(const operator_data& data, std::size_t k, bool diagnose)
{
    const curve::box_of<curve::log_power> box{{{0, 3}, {-2, 8}, {-6, 0}}};
    const curve::observations points(data.x, data.y);
    const auto fit = curve::fit<curve::log_power>(points, box);
    const curve::log_posterior<curve::log_power> density(points, {.box = box, .known_noise = 0.03});
    const mcmc::ensemble sampler{mcmc::stretch{}};
    auto state = sampler.start(density, bench::walkers(fit.parameters, 1e-2, 300 + k, 10), 3);
    bench::splitmix gen{k};
    const mcmc::chain chain = sampler.run(state, density, 500, gen);
    std::vector<double> at;
    const mcmc::chain kept = mcmc::kept(chain, 200);
    for (std::size_t i = 0; i < kept.samples(); i += 15) {
        const auto p = kept.sample(i);
        at.push_back(curve::value<curve::log_power>({p[0], p[1], p[2]}, 1000));
    }
    updated out{.mean = tunekit::stats::mean(at), .sd = std::sqrt(tunekit::stats::variance(at))};
    out.expected_improvement = tunekit::stats::expected_excess({out.mean, out.sd}, data.best);
    if (diagnose) out.effective = mcmc::effective_samples(kept).samples;
    return out;
}

void run(benchmark::State& runs, std::size_t operators)
{
    std::vector<operator_data> data;
    for (std::size_t k = 0; k < operators; ++k) data.emplace_back(k);
    updated last;
    for (auto _ : runs)
        for (std::size_t k = 0; k < operators; ++k) benchmark::DoNotOptimize(last = update(data[k], k, false));
    double worst = 0;
    for (std::size_t k = 0; k < operators; ++k) {
        last = update(data[k], k, true);
        worst = std::max(worst, std::abs(last.mean - data[k].truth) / last.sd);
    }
    runs.counters["max_error_sd"] = worst;
    runs.counters["effective_per_s"] = benchmark::Counter(last.effective * static_cast<double>(operators),
                                                          benchmark::Counter::kIsIterationInvariantRate);
}

void update_1(benchmark::State& runs) { run(runs, 1); }
void update_18(benchmark::State& runs) { run(runs, 18); }
BENCHMARK(update_1)->Name("belief/update_1")->Unit(benchmark::kMillisecond);
BENCHMARK(update_18)->Name("belief/update_18")->Unit(benchmark::kMillisecond);

/// What a schedule pays for one arm: the whole belief, with its own noise, segments and bound, over curves of n best values.
void predict(benchmark::State& runs)
{
    const auto n = static_cast<std::size_t>(runs.range(0));
    std::vector<double> best;
    double top = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double f = 0.8 / (1 + std::exp(-1.2 * (std::log(static_cast<double>(i + 1)) - 3)));
        best.push_back(top = std::max(top, f * (0.7 + 0.3 * bench::u01(5, i))));
    }
    const curve::belief<> whole{{.jump = std::numeric_limits<double>::infinity()}};
    curve::belief<>::explanation found;
    for (auto _ : runs) {
        bench::splitmix gen{1};
        benchmark::DoNotOptimize(found = whole.explain(best, static_cast<double>(n) + 20, 1, gen));
    }
    runs.counters["acceptance"] = found.acceptance;
}
BENCHMARK(predict)->Name("belief/predict")->Arg(40)->Arg(260)->Arg(512)->Unit(benchmark::kMillisecond);

}  // namespace
