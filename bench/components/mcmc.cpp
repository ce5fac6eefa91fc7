// SPDX-License-Identifier: MIT
// Ensemble MCMC: the curve posterior, a correlated Gaussian and Rosenbrock's density, each beside a sampler written plainly for it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "ensemble_data.hpp"
#include "tunekit/curve/families/log_power.hpp"
#include "tunekit/curve/posterior.hpp"
#include "tunekit/mcmc/diagnostics.hpp"
#include "tunekit/mcmc/ensemble.hpp"

namespace curve = tunekit::curve;
namespace mcmc = tunekit::mcmc;

namespace {

/// What one writes for one target: no sets, no checks, no options; a density per point, everything from <cmath>.
template <class F>
std::vector<double> plain(const F& log_density, std::vector<double> x, std::size_t d, std::size_t steps)
{
    bench::splitmix gen;
    const std::size_t w = x.size() / d, half = w / 2;
    std::vector<double> lp(w), q(d), all;
    std::vector<std::size_t> order(w);
    all.reserve(steps * x.size());
    const auto uniform = [&] { return static_cast<double>(gen() >> 11) * 0x1p-53; };
    for (std::size_t k = 0; k < w; ++k) lp[k] = log_density(std::span<const double>(&x[k * d], d));
    for (std::size_t t = 0; t < steps; ++t) {
        for (std::size_t k = 0; k < w; ++k) order[k] = k;
        for (std::size_t k = w - 1; k > 0; --k) std::swap(order[k], order[gen() % (k + 1)]);
        for (std::size_t set = 0; set < 2; ++set)
            for (std::size_t i = 0; i < half; ++i) {
                const std::size_t k = order[set * half + i], j = order[(1 - set) * half + gen() % half];
                const double root = uniform() + 1, z = root * root / 2;
                for (std::size_t c = 0; c < d; ++c) q[c] = x[j * d + c] + z * (x[k * d + c] - x[j * d + c]);
                const double there = log_density(std::span<const double>(q));
                if (std::log(1 - uniform()) < (static_cast<double>(d) - 1) * std::log(z) + there - lp[k]) {
                    std::copy(q.begin(), q.end(), x.begin() + static_cast<std::ptrdiff_t>(k * d));
                    lp[k] = there;
                }
            }
        all.insert(all.end(), x.begin(), x.end());
    }
    return all;
}

// ---- the log-power posterior of 260 points ------------------------------------------------------------------------------

struct curve_data {
    std::vector<double> x, y;
    curve_data()
    {
        for (std::size_t i = 0; i < 260; ++i) {
            x.push_back(static_cast<double>(i + 1));
            y.push_back(1 / (1 + std::pow(x.back() / std::exp(3.0), -1.2)) + 0.03 * bench::normal(11, i));
        }
    }
};

/// The density as one writes it for one point.
struct plain_curve {
    std::vector<double> y = curve_data{}.y;
    double operator()(std::span<const double> p) const
    {
        const double a = p[0], b = p[1], c = p[2], scale = std::exp(b);
        if (!(0 < a && a < 3 && -2 < b && b < 8 && -6 < c && c < 0)) return -std::numeric_limits<double>::infinity();
        double sum = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double r = (y[i] - a / (1 + std::pow(static_cast<double>(i + 1) / scale, c))) / 0.03;
            sum += r * r;
        }
        return -0.5 * sum;
    }
};

const std::array<double, 3> curve_centre{1.0, 3.0, -1.2};

void describe(benchmark::State& runs, const mcmc::chain& chain, std::size_t burn_in)
{
    const mcmc::chain after = mcmc::kept(chain, burn_in);
    runs.counters["acceptance"] = mcmc::mean_acceptance(chain);
    double sum = 0;
    for (const mcmc::autocorrelation& one : mcmc::autocorrelation_times(after)) sum += one.time;
    runs.counters["tau"] = sum / static_cast<double>(chain.dimensions);
    runs.counters["mean_0"] = [&] {
        double mean = 0;
        for (std::size_t i = 0; i < after.samples(); ++i)
            mean += after.sample(i)[0] / static_cast<double>(after.samples());
        return mean;
    }();
}

template <class F>
void run_ours(benchmark::State& runs, const F& density, const std::vector<double>& from, std::size_t d,
              std::size_t steps, std::size_t burn_in)
{
    mcmc::chain chain;
    for (auto _ : runs) {
        chain = {};  // its memory is that of the next chain
        bench::splitmix gen;
        const mcmc::ensemble sampler{mcmc::stretch{}};
        mcmc::state s = sampler.start(density, from, d);
        chain = sampler.run(s, density, steps, gen);
        benchmark::DoNotOptimize(chain.positions.data());
    }
    describe(runs, chain, burn_in);
}

template <class F>
void run_plain(benchmark::State& runs, const F& density, const std::vector<double>& from, std::size_t d,
               std::size_t steps)
{
    for (auto _ : runs) benchmark::DoNotOptimize(plain(density, from, d, steps));
}

void curve_10x500(benchmark::State& runs)
{
    const curve_data data;
    const curve::log_posterior<curve::log_power> density(curve::observations(data.x, data.y),
                                                         {.box = {{{0, 3}, {-2, 8}, {-6, 0}}}, .known_noise = 0.03});
    run_ours(runs, density, bench::walkers(curve_centre, 1e-2, 12, 10), 3, 500, 200);
}
void curve_10x500_generic(benchmark::State& runs)
{
    run_ours(runs, plain_curve{}, bench::walkers(curve_centre, 1e-2, 12, 10), 3, 500, 200);
}
void curve_10x500_plain(benchmark::State& runs)
{
    run_plain(runs, plain_curve{}, bench::walkers(curve_centre, 1e-2, 12, 10), 3, 500);
}
BENCHMARK(curve_10x500)->Name("mcmc/curve_10x500")->Unit(benchmark::kMillisecond);
BENCHMARK(curve_10x500_generic)->Name("mcmc/curve_10x500_generic")->Unit(benchmark::kMillisecond);
BENCHMARK(curve_10x500_plain)->Name("mcmc/curve_10x500_plain_cpp")->Unit(benchmark::kMillisecond);

// ---- a 5-d Gaussian, S_ij = s_i s_j 0.9^|i-j|; the density is the full quadratic form, as if its inverse were not tridiagonal ----

struct gauss5 {
    std::array<double, 25> precision{};
    gauss5()
    {
        // the inverse of 0.9^|i-j| is tridiagonal: 1, 1 + r^2, ..., 1 on the diagonal, -r beside it, over 1 - r^2
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t j = 0; j < 5; ++j) {
                const double r = 0.9;
                double v = 0;
                if (i == j) v = i == 0 || i == 4 ? 1 : 1 + r * r;
                else if (i + 1 == j || j + 1 == i) v = -r;
                precision[i * 5 + j] = v / (1 - r * r) / (static_cast<double>(i + 1) * static_cast<double>(j + 1));
            }
    }
    double operator()(std::span<const double> x) const
    {
        double sum = 0;
        for (std::size_t i = 0; i < 5; ++i) {
            double row = 0;
            for (std::size_t j = 0; j < 5; ++j) row += precision[i * 5 + j] * x[j];
            sum += x[i] * row;
        }
        return -0.5 * sum;
    }
};

struct gauss5_batched : gauss5 {
    void operator()(const mcmc::points& xs, std::span<double> out) const
    {
        const double *x0 = xs[0].data(), *x1 = xs[1].data(), *x2 = xs[2].data(), *x3 = xs[3].data(), *x4 = xs[4].data();
        const auto& p = precision;
        for (std::size_t k = 0; k < out.size(); ++k) {
            const double a = x0[k], b = x1[k], c = x2[k], d = x3[k], e = x4[k];
            const double diagonal =
                p[0] * (a * a) + p[6] * (b * b) + p[12] * (c * c) + p[18] * (d * d) + p[24] * (e * e);
            const double beside = a * (p[1] * b + p[2] * c + p[3] * d + p[4] * e) +
                                  b * (p[7] * c + p[8] * d + p[9] * e) + c * (p[13] * d + p[14] * e) + d * (p[19] * e);
            out[k] = -0.5 * diagonal - beside;
        }
    }
};

const std::array<double, 5> gauss_centre{};

void gauss5_32x5000(benchmark::State& runs)
{
    run_ours(runs, gauss5{}, bench::walkers(gauss_centre, 0.1, 13, 32), 5, 5000, 500);
}
void gauss5_32x5000_batched(benchmark::State& runs)
{
    run_ours(runs, gauss5_batched{}, bench::walkers(gauss_centre, 0.1, 13, 32), 5, 5000, 500);
}
void gauss5_32x5000_plain(benchmark::State& runs)
{
    run_plain(runs, gauss5{}, bench::walkers(gauss_centre, 0.1, 13, 32), 5, 5000);
}
BENCHMARK(gauss5_32x5000)->Name("mcmc/gauss5_32x5000")->Unit(benchmark::kMillisecond);
BENCHMARK(gauss5_32x5000_batched)->Name("mcmc/gauss5_32x5000_batched")->Unit(benchmark::kMillisecond);
BENCHMARK(gauss5_32x5000_plain)->Name("mcmc/gauss5_32x5000_plain_cpp")->Unit(benchmark::kMillisecond);

// ---- Rosenbrock's density -------------------------------------------------------------------------------------------------

struct rosenbrock {
    double operator()(std::span<const double> x) const
    {
        const double bend = x[1] - x[0] * x[0], off = 1 - x[0];
        return -(100 * bend * bend + off * off) / 20;
    }
};

struct rosenbrock_batched {
    void operator()(const mcmc::points& xs, std::span<double> out) const
    {
        const double *x = xs[0].data(), *y = xs[1].data();
        for (std::size_t k = 0; k < out.size(); ++k) {
            const double bend = y[k] - x[k] * x[k], off = 1 - x[k];
            out[k] = -(100 * bend * bend + off * off) / 20;
        }
    }
};

const std::array<double, 2> rosenbrock_centre{1.0, 1.0};

void rosenbrock_100x1000(benchmark::State& runs)
{
    run_ours(runs, rosenbrock{}, bench::walkers(rosenbrock_centre, 0.1, 14, 100), 2, 1000, 300);
}
void rosenbrock_100x1000_batched(benchmark::State& runs)
{
    run_ours(runs, rosenbrock_batched{}, bench::walkers(rosenbrock_centre, 0.1, 14, 100), 2, 1000, 300);
}
void rosenbrock_100x1000_plain(benchmark::State& runs)
{
    run_plain(runs, rosenbrock{}, bench::walkers(rosenbrock_centre, 0.1, 14, 100), 2, 1000);
}
BENCHMARK(rosenbrock_100x1000)->Name("mcmc/rosenbrock_100x1000")->Unit(benchmark::kMillisecond);
BENCHMARK(rosenbrock_100x1000_batched)->Name("mcmc/rosenbrock_100x1000_batched")->Unit(benchmark::kMillisecond);
BENCHMARK(rosenbrock_100x1000_plain)->Name("mcmc/rosenbrock_100x1000_plain_cpp")->Unit(benchmark::kMillisecond);

// ---- what a chain is worth: 60 walkers, 40,000 steps, 10 coordinates that remember 65 steps ----------------------------------

void effective_60x40000x10(benchmark::State& runs)
{
    const std::size_t steps = 40000, walkers = 60, dimensions = 10, row = walkers * dimensions;
    mcmc::chain chain{.walkers = walkers,
                      .dimensions = dimensions,
                      .thin_by = 1,
                      .steps = steps,
                      .positions = std::vector<double>(steps * row),
                      .log_prob = std::vector<double>(steps * walkers),
                      .accepted = std::vector<std::uint64_t>(walkers)};
    bench::splitmix gen;
    std::vector<double> x(row);
    for (std::size_t i = 0; i < chain.positions.size(); ++i) {
        double& at = x[i % row];
        chain.positions[i] = at = 0.97 * at + static_cast<double>(gen() >> 11) * 0x1p-53 - 0.5;
    }
    mcmc::effective_size worth;
    for (auto _ : runs) worth = mcmc::effective_samples(chain);
    runs.counters["effective"] = worth.samples;
}
BENCHMARK(effective_60x40000x10)->Name("mcmc/effective_60x40000x10")->Unit(benchmark::kMillisecond);

}  // namespace
