// SPDX-License-Identifier: MIT
#include "tunekit/mcmc/r_hat.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace mcmc = tunekit::mcmc;

namespace {

/// n values of a 64-bit congruential generator, in [0, 1): the same in any language.
std::vector<double> uniforms(std::uint64_t seed, std::size_t n)
{
    std::vector<double> out(n);
    for (double& x : out) {
        seed = 6364136223846793005U * seed + 1442695040888963407U;
        x = static_cast<double>(seed >> 11) * 0x1p-53;
    }
    return out;
}

struct sequences {
    std::vector<std::vector<double>> rows;
    sequences(std::size_t many, std::size_t n, double shift)
    {
        for (std::size_t k = 0; k < many; ++k) {
            rows.push_back(uniforms(k + 1, n));
            for (double& x : rows.back()) x += shift * static_cast<double>(k);
        }
    }
    template <class F>
    sequences& each(const F& f)
    {
        for (auto& row : rows)
            for (double& x : row) x = f(x);
        return *this;
    }
    [[nodiscard]] double r_hat() const
    {
        return mcmc::r_hat(rows[0].size(), rows.size(), [this](std::size_t t, std::size_t k) { return rows[k][t]; });
    }
};

}  // namespace

// arviz.rhat(x, method="rank") of ArviZ 0.23.4 on the same numbers.
TEST_CASE("R-hat equals ArviZ's: agreeing, shifted, of odd length, of ties and of other spreads")
{
    CHECK(sequences(4, 50, 0).r_hat() == doctest::Approx(1.0064039716723243).epsilon(1e-12));
    CHECK(sequences(4, 50, 0.1).r_hat() == doctest::Approx(1.1121412687825565).epsilon(1e-12));
    CHECK(sequences(3, 51, 0.5).r_hat() == doctest::Approx(1.8130472283695342).epsilon(1e-12));
    CHECK(sequences(2, 40, 0.3).each([](double x) { return std::exp(5 * x); }).r_hat() ==
          doctest::Approx(1.108967334455951).epsilon(1e-12));
    CHECK(sequences(4, 50, 0).each([](double x) { return std::nearbyint(4 * x) / 4; }).r_hat() ==
          doctest::Approx(1.011818720168134).epsilon(1e-12));
    sequences spread(4, 60, 0);
    for (double& x : spread.rows[3]) x = (x - 0.5) * 4 + 0.5;
    CHECK(spread.r_hat() == doctest::Approx(1.3189900084538753).epsilon(1e-12));
}

TEST_CASE("R-hat of what says nothing is not a number")
{
    CHECK(std::isnan(mcmc::r_hat(3, 2, [](std::size_t t, std::size_t) { return static_cast<double>(t); })));
    CHECK(std::isnan(mcmc::r_hat(9, 0, [](std::size_t, std::size_t) { return 1.0; })));
    CHECK(std::isnan(mcmc::r_hat(9, 2, [](std::size_t, std::size_t) { return 1.0; })));
    CHECK(mcmc::r_hat({}).empty());
    CHECK(std::isinf(mcmc::r_hat(9, 2, [](std::size_t, std::size_t k) { return static_cast<double>(k); })));
}

TEST_CASE("R-hat of runs compares all their walkers, and wants runs of one shape")
{
    const auto run = [](std::uint64_t seed, std::size_t steps) {
        mcmc::chain out{.walkers = 2,
                        .dimensions = 2,
                        .thin_by = 1,
                        .steps = steps,
                        .positions = {},
                        .log_prob = {},
                        .accepted = {0, 0}};
        out.positions = uniforms(seed, steps * 4);
        out.log_prob.assign(steps * 2, 0.0);
        return out;
    };
    std::vector<mcmc::chain> runs{run(1, 40), run(2, 40)};
    const auto both = mcmc::r_hat(runs);
    REQUIRE(both.size() == 2);
    CHECK(both[1] == mcmc::r_hat(40, 4, [&](std::size_t t, std::size_t k) { return runs[k / 2].at(t, k % 2)[1]; }));
    runs.push_back(run(3, 39));
    CHECK_THROWS_WITH_AS((void)mcmc::r_hat(runs), doctest::Contains("run 2 has 39 steps of 2 dimensions, run 0 has 40"),
                         std::invalid_argument);
}
