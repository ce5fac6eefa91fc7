// SPDX-License-Identifier: MIT

// Samples the posterior of a straight line through noisy points with the ensemble sampler, by three kinds of moves.
//
// Prints the mean and standard deviation of slope and intercept, their correlation, and how many independent samples the chain is
// worth.

#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "tunekit/mcmc/diagnostics.hpp"
#include "tunekit/mcmc/differential_evolution.hpp"
#include "tunekit/mcmc/ensemble.hpp"
#include "tunekit/mcmc/mixture.hpp"
#include "tunekit/mcmc/snooker.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"

namespace mcmc = tunekit::mcmc;

struct line_through {
    std::vector<double> x, y;

    double operator()(std::span<const double> p) const  // ln p(m, c | points), noise 0.5, flat prior
    {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += std::pow((y[i] - p[0] * x[i] - p[1]) / 0.5, 2);
        return -0.5 * sum;
    }
};

template <class Move>
void sample(const char* name, const Move& move, const line_through& density)
{
    tunekit::random::philox gen{7};
    const mcmc::ensemble sampler{move};
    auto state = sampler.start(density, mcmc::ball(std::array{1.0, 0.0}, std::array{0.1, 0.1}, 20, gen), 2);
    (void)sampler.run(state, density, 500, gen);  // burn-in: the state moves on, its chain is dropped
    const mcmc::chain chain = sampler.run(state, density, 5000, gen);

    double m = 0, c = 0, mm = 0, cc = 0, mc = 0;
    const auto n = static_cast<double>(chain.samples());
    for (std::size_t i = 0; i < chain.samples(); ++i) {
        const auto p = chain.sample(i);
        m += p[0] / n, c += p[1] / n, mm += p[0] * p[0] / n, cc += p[1] * p[1] / n, mc += p[0] * p[1] / n;
    }
    const double sd_m = std::sqrt(mm - m * m), sd_c = std::sqrt(cc - c * c);
    std::printf(
        "%-26s slope %.3f +- %.3f  intercept %.2f +- %.2f  correlation %.2f  acceptance %.2f  effective %.0f of %zu\n",
        name, m, sd_m, c, sd_c, (mc - m * c) / (sd_m * sd_c), mcmc::mean_acceptance(chain),
        mcmc::effective_samples(chain).samples, chain.samples());
}

int main()
{
    tunekit::random::philox gen{1};
    line_through density;
    for (int i = 0; i < 30; ++i) {
        density.x.push_back(i);
        density.y.push_back(0.8 * i + 2 + 0.5 * tunekit::random::normal(gen));
    }
    sample("stretch", mcmc::stretch{}, density);
    sample("differential evolution", mcmc::differential_evolution{}, density);
    sample("0.8 of it, 0.2 of snooker",
           mcmc::mixture{mcmc::weighted{mcmc::differential_evolution{}, 0.8}, mcmc::weighted{mcmc::snooker{}, 0.2}},
           density);
}
