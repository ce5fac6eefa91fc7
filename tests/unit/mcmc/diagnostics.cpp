// SPDX-License-Identifier: MIT
#include "tunekit/mcmc/diagnostics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/support/executors.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"

namespace mcmc = tunekit::mcmc;
using tunekit::random::philox;

namespace {

/// x_t = 0.9 x_{t-1} + U(0, 1): its autocorrelation time is (1 + 0.9) / (1 - 0.9) = 19.
mcmc::chain autoregression(std::size_t n, std::size_t walkers, std::uint64_t seed)
{
    philox gen{seed};
    mcmc::chain out{.walkers = walkers,
                    .dimensions = 1,
                    .thin_by = 1,
                    .steps = n,
                    .positions = std::vector<double>(n * walkers),
                    .log_prob = std::vector<double>(n * walkers),
                    .accepted = std::vector<std::uint64_t>(walkers)};
    for (std::size_t k = 0; k < walkers; ++k) {
        double x = 5;
        for (std::size_t t = 0; t < n; ++t)
            out.positions[t * walkers + k] = x = 0.9 * x + tunekit::random::uniform_01(gen);
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
    const auto rho = mcmc::detail::autocorrelation_function(x);
    double variance = 0;
    for (const double v : x) variance += (v - mean) * (v - mean);
    for (std::size_t lag = 0; lag < x.size(); ++lag) {
        double sum = 0;
        for (std::size_t t = 0; t + lag < x.size(); ++t) sum += (x[t] - mean) * (x[t + lag] - mean);
        CHECK(rho[lag] == doctest::Approx(sum / variance).epsilon(1e-10));
    }
    CHECK(mcmc::detail::autocorrelation_function(std::vector<double>(9, 0.1)).empty());
    CHECK(mcmc::detail::autocorrelation_function({}).empty());
}

TEST_CASE("sums of lagged products equal their definition, whatever the block, for one series and for two")
{
    philox gen{11};
    for (const std::size_t n : {1U, 2U, 7U, 8U, 9U, 64U, 77U}) {
        std::vector<double> a(n), b(n);
        for (double& v : a) v = tunekit::random::uniform_01(gen) - 0.5;
        for (double& v : b) v = tunekit::random::uniform_01(gen) - 0.5;
        for (const std::size_t lags : {2U, 4U, 8U, 16U, 128U}) {
            mcmc::detail::lag_sums one(lags), two(lags);
            one.add(a, {});
            two.add(a, b);
            two.add(b, {});
            const auto of_a = one.take(), of_both = two.take();
            for (std::size_t m = 0; m < lags; ++m) {
                double want = 0, want_b = 0;
                for (std::size_t t = 0; t + m < n; ++t) want += a[t] * a[t + m], want_b += b[t] * b[t + m];
                CHECK(std::abs(of_a[m] - want) < 1e-13);
                CHECK(std::abs(of_both[m] - want - 2 * want_b) < 1e-13);
            }
        }
    }
}

TEST_CASE("autocorrelation times equal the definition's, also where the window lies beyond the first lags")
{
    // tau = 19 has its window at 100 of 1024 lags; steps of a slow walk need more than 1024.
    for (const double memory : {0.9, 0.999}) {
        const std::size_t n = 6000, walkers = 3;
        philox gen{12};
        std::vector<std::vector<double>> x(walkers, std::vector<double>(n));
        for (auto& row : x) {
            double at = 0;
            for (double& v : row) v = at = memory * at + tunekit::random::uniform_01(gen) - 0.5;
        }
        double tau = -1;
        std::size_t window = 0;
        std::vector<double> mean(walkers, 0.0), squares(walkers, 0.0);
        for (std::size_t k = 0; k < walkers; ++k) {
            for (const double v : x[k]) mean[k] += v / static_cast<double>(n);
            for (const double v : x[k]) squares[k] += (v - mean[k]) * (v - mean[k]);
        }
        for (std::size_t m = 0; m < n; ++m) {
            for (std::size_t k = 0; k < walkers; ++k) {
                double sum = 0;
                for (std::size_t t = 0; t + m < n; ++t) sum += (x[k][t] - mean[k]) * (x[k][t + m] - mean[k]);
                tau += 2 * sum / squares[k] / static_cast<double>(walkers);
            }
            window = m;
            if (static_cast<double>(m) >= 5 * tau) break;
        }
        CHECK((memory < 0.99) == (window < 1024));
        const auto got =
            mcmc::detail::integrated_time(n, walkers, [&](std::size_t t, std::size_t k) { return x[k][t]; });
        CHECK(got.time == doctest::Approx(tau).epsilon(1e-12));
        CHECK(got.window == window);
    }
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
    CHECK(mcmc::effective_samples(chain).samples == doctest::Approx(100000 / many.time));
    CHECK(mcmc::effective_samples(chain).reliable);
}

TEST_CASE("100 steps of it are too few, and say so")
{
    CHECK_FALSE(mcmc::autocorrelation_times(autoregression(100, 1, 4))[0].reliable);
    CHECK_FALSE(mcmc::effective_samples(autoregression(100, 1, 4)).reliable);
}

TEST_CASE("white noise has time 1 within 5 %: 100 000 draws, 6 standard errors")
{
    philox gen{5};
    std::vector<double> x(100000);
    for (double& v : x) v = tunekit::random::uniform_01(gen);
    CHECK(std::abs(mcmc::detail::integrated_time(x.size(), 1, [&](std::size_t t, std::size_t) { return x[t]; }).time -
                   1) < 0.05);
}

TEST_CASE("a thinned chain counts its thinning, and a series that never moves is unreliable")
{
    const auto chain = autoregression(100000, 1, 6);
    const auto thin = mcmc::kept(chain, 0, 5);
    CHECK(mcmc::autocorrelation_times(thin)[0].time ==
          doctest::Approx(mcmc::autocorrelation_times(chain)[0].time).epsilon(0.15));
    mcmc::chain still = mcmc::kept(chain, 99000);
    still.positions.assign(still.positions.size(), 0.3);
    CHECK(std::isinf(mcmc::autocorrelation_times(still)[0].time));
    CHECK_FALSE(mcmc::autocorrelation_times(still)[0].reliable);
    CHECK(mcmc::effective_samples(still) == mcmc::effective_size{});
}

TEST_CASE("diagnostics by another executor are the same, by threads too")
{
    mcmc::chain all = autoregression(3000, 4, 8);
    all.walkers = 2;
    all.dimensions = 2;
    all.log_prob.resize(6000);
    all.accepted.resize(2);
    std::vector<std::size_t> asked;
    const auto backwards = [&](std::size_t n, auto&& f) {
        for (std::size_t i = n; i-- > 0;) {
            asked.push_back(i);
            f(i);
        }
    };
    CHECK(mcmc::effective_samples(all, backwards) == mcmc::effective_samples(all));
    CHECK(asked == std::vector<std::size_t>{1, 0});
    CHECK(mcmc::autocorrelation_times(all, support::on_threads) == mcmc::autocorrelation_times(all));
}

TEST_CASE("acceptance is proposals taken over steps made")
{
    mcmc::chain all = autoregression(100, 2, 7);
    all.accepted = {25, 75};
    CHECK(mcmc::acceptance(all) == std::vector<double>{0.25, 0.75});
    CHECK(mcmc::mean_acceptance(all) == 0.5);
}
