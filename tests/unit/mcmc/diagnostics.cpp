// SPDX-License-Identifier: MIT
#include "tunekit/mcmc/diagnostics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"

namespace mcmc = tunekit::mcmc;
using tunekit::random::philox;

namespace {

/// x_t = 0.9 x_{t-1} + U(0, 1): its autocorrelation time is (1 + 0.9) / (1 - 0.9) = 19.
mcmc::chain autoregression(std::size_t n, std::size_t walkers, std::uint64_t seed)
{
    philox gen{seed};
    mcmc::chain out{.walkers = walkers, .dimensions = 1, .thin_by = 1, .steps = n, .positions = std::vector<double>(n * walkers),
                    .log_prob = std::vector<double>(n * walkers), .accepted = std::vector<std::uint64_t>(walkers)};
    for (std::size_t k = 0; k < walkers; ++k) {
        double x = 5;
        for (std::size_t t = 0; t < n; ++t) out.positions[t * walkers + k] = x = 0.9 * x + tunekit::random::uniform_01(gen);
    }
    return out;
}

}  // namespace

TEST_CASE("the autocorrelation function by Fourier transform equals its definition")
{
    philox gen{1};
    std::vector<double> x(77);
    double mean = 0;
    for (double& v : x) mean += (v = tunekit::random::uniform_01(gen)) / 77;
    const auto rho = mcmc::autocorrelation_function(x);
    double variance = 0;
    for (const double v : x) variance += (v - mean) * (v - mean);
    for (std::size_t lag = 0; lag < x.size(); ++lag) {
        double sum = 0;
        for (std::size_t t = 0; t + lag < x.size(); ++t) sum += (x[t] - mean) * (x[t + lag] - mean);
        CHECK(rho[lag] == doctest::Approx(sum / variance).epsilon(1e-10));
    }
    CHECK(mcmc::autocorrelation_function(std::vector<double>(9, 0.1)).empty());
    CHECK(mcmc::autocorrelation_function({}).empty());
}

TEST_CASE("an autoregression of time 19 is measured within 20 %: 100 000 steps, 8 standard errors")
{
    const auto one = mcmc::autocorrelation_times(autoregression(100000, 1, 2))[0];
    CHECK(std::abs(one.time - 19) < 0.2 * 19);
    CHECK(one.reliable);
    CHECK(one.window >= 5 * one.time - 1);
    const auto chain = autoregression(12500, 8, 3);
    const auto many = mcmc::autocorrelation_times(chain)[0];
    CHECK(std::abs(many.time - 19) < 0.2 * 19);
    CHECK(mcmc::effective_samples(chain) == doctest::Approx(100000 / many.time));
}

TEST_CASE("100 steps of it are too few, and say so")
{
    CHECK_FALSE(mcmc::autocorrelation_times(autoregression(100, 1, 4))[0].reliable);
}

TEST_CASE("white noise has time 1 within 5 %: 100 000 draws, 6 standard errors")
{
    philox gen{5};
    std::vector<double> x(100000);
    for (double& v : x) v = tunekit::random::uniform_01(gen);
    CHECK(std::abs(mcmc::integrated_time(x.size(), 1, [&](std::size_t t, std::size_t) { return x[t]; }).time - 1) < 0.05);
}

TEST_CASE("a thinned chain counts its thinning, and a series that never moves is unreliable")
{
    const auto chain = autoregression(100000, 1, 6);
    const auto thin = mcmc::kept(chain, 0, 5);
    CHECK(mcmc::autocorrelation_times(thin)[0].time == doctest::Approx(mcmc::autocorrelation_times(chain)[0].time).epsilon(0.15));
    mcmc::chain still = mcmc::kept(chain, 99000);
    still.positions.assign(still.positions.size(), 0.3);
    CHECK(std::isinf(mcmc::autocorrelation_times(still)[0].time));
    CHECK_FALSE(mcmc::autocorrelation_times(still)[0].reliable);
    CHECK(mcmc::effective_samples(still) == 0);
}

TEST_CASE("acceptance is proposals taken over steps made")
{
    mcmc::chain all = autoregression(100, 2, 7);
    all.accepted = {25, 75};
    CHECK(mcmc::acceptance(all) == std::vector<double>{0.25, 0.75});
    CHECK(mcmc::mean_acceptance(all) == 0.5);
}
