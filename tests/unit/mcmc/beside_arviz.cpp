// SPDX-License-Identifier: MIT
// R-hat and effective samples beside ArviZ, on 20 problems: chains that agree or not, of different memory, tails and ties.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "tests/support/congruential.hpp"
#include "tests/unit/mcmc/arviz.hpp"
#include "tunekit/mcmc/diagnostics.hpp"
#include "tunekit/mcmc/r_hat.hpp"

namespace mcmc = tunekit::mcmc;
using rows = std::vector<std::vector<double>>;

namespace {

/// What `oracles.py arviz` makes: x_t = keep x_{t-1} + u, shifted by chain; then heavy-tailed, of few values, or one of
/// them wider.
rows sequences(std::size_t p)
{
    constexpr double keep[] = {0.0, 0.5, 0.8, 0.95};
    rows out(2 + p % 4);
    for (std::size_t chain = 0; chain < out.size(); ++chain) {
        support::congruential u{100 * p + chain + 1};
        double x = 0;
        for (std::size_t t = 0; t < 60 + 37 * p; ++t) {
            x = keep[p / 4 % 4] * x + u();
            double y = x + 0.1 * static_cast<double>(p % 3) * static_cast<double>(chain);
            if (p % 5 == 1) y = y * y * y;
            if (p % 5 == 2 && p < 4) y = std::nearbyint(4 * y) / 4;
            if (p % 5 == 3 && chain == 0) y *= 3;
            out[chain].push_back(y);
        }
    }
    return out;
}

double mean(const std::vector<double>& x)
{
    double sum = 0;
    for (const double v : x) sum += v;
    return sum / static_cast<double>(x.size());
}

/// ArviZ's effective sample size, from our autocorrelations. It differs from `effective_samples` on purpose: it sums
/// pairs of lags while they are positive and falling (Geyer) instead of up to a window (Sokal), and chains of different
/// means count as few samples, where the walkers of one ensemble are taken to have one mean. So this is a check of the
/// autocorrelations; `effective_samples` has its own below.
double geyer(const rows& x)
{
    const std::size_t chains = x.size(), n = x[0].size();
    const auto m = static_cast<double>(chains), length = static_cast<double>(n);
    std::vector<double> covariance(n), means;  // of each lag, over chains
    for (const auto& chain : x) {
        means.push_back(mean(chain));
        double variance = 0;
        for (const double v : chain) variance += (v - means.back()) * (v - means.back()) / length;
        const auto rho = mcmc::detail::autocorrelation_function(chain);
        for (std::size_t t = 0; t < n; ++t) covariance[t] += variance * rho[t] / m;
    }
    const double within = covariance[0] * length / (length - 1), grand = mean(means);
    double all = covariance[0];
    for (const double v : means) all += (v - grand) * (v - grand) / (m - 1);
    const auto rho = [&](std::size_t t) { return t == 0 ? 1 : 1 - (within - covariance[t]) / all; };
    double tau = -1, least = 0;
    for (std::size_t t = 0;; t += 2) {  // pairs of lags t and t + 1
        double pair = rho(t) + rho(t + 1);
        if (t > 0 && (pair <= 0 || t + 4 >= n)) {  // of the last pair the first half
            tau += pair < 0 ? (std::max)(rho(t), 0.0) : rho(t);
            break;
        }
        pair = t == 0 ? pair : (std::min)(pair, least);
        least = pair;
        tau += 2 * pair;
    }
    return m * length / (std::max)(tau, 1 / std::log10(m * length));
}

}  // namespace

TEST_CASE("R-hat equals ArviZ's on 20 problems, to rounding")
{
    REQUIRE(std::size(arviz::rows) == 20);
    for (std::size_t p = 0; p < 20; ++p) {
        CAPTURE(p);
        const rows x = sequences(p);
        CHECK(mcmc::r_hat(x[0].size(), x.size(), [&](std::size_t t, std::size_t k) { return x[k][t]; }) ==
              doctest::Approx(arviz::rows[p].r_hat).epsilon(1e-11));
    }
}

TEST_CASE("autocorrelations give ArviZ's effective sample size on 20 problems, to rounding")
{
    for (std::size_t p = 0; p < 20; ++p) {
        CAPTURE(p);
        CHECK(geyer(sequences(p)) == doctest::Approx(arviz::rows[p].ess).epsilon(1e-10));
    }
}

/// Of chains of one mean and spread: there the two are estimates of one number, by different windows.
TEST_CASE("effective samples of chains that agree are within 10 % of ArviZ's, on 20 problems")
{
    for (std::size_t p = 0; p < 20; ++p) {
        CAPTURE(p);
        const double keep = 0.045 * static_cast<double>(p);
        mcmc::chain all{.walkers = 8,
                        .dimensions = 1,
                        .thin_by = 1,
                        .steps = 2000,
                        .positions = std::vector<double>(16000),
                        .log_prob = std::vector<double>(16000),
                        .accepted = std::vector<std::uint64_t>(8)};
        for (std::size_t chain = 0; chain < 8; ++chain) {
            support::congruential u{1000 * p + chain + 1};
            double x = 0.5 / (1 - keep);
            for (std::size_t t = 0; t < 2000; ++t) all.positions[8 * t + chain] = x = keep * x + u();
        }
        const auto size = mcmc::effective_samples(all);
        CHECK(size.reliable);
        CHECK(size.samples / arviz::rows[p].ess_agreeing == doctest::Approx(1).epsilon(0.1));
    }
}
