// SPDX-License-Identifier: MIT
#include "tunekit/mcmc/draws.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "statistics.hpp"
#include "tunekit/mcmc/stretch.hpp"
#include "tunekit/random/philox.hpp"

namespace mcmc = tunekit::mcmc;
using tunekit::random::philox;

TEST_CASE("pick: index and fraction are uniform and independent: 5 x 4 cells of 100 000 draws, chi-squared, p(false alarm) < 1e-6")
{
    philox gen{1};
    std::vector<double> cell(20);
    for (int i = 0; i < 100000; ++i) {
        const auto drawn = mcmc::pick(5, gen);
        REQUIRE(drawn.index < 5);
        REQUIRE(drawn.fraction < 1);
        cell[drawn.index * 4 + static_cast<std::size_t>(drawn.fraction * 4)] += 1;
    }
    double chi = 0;
    for (const double n : cell) chi += (n - 5000) * (n - 5000) / 5000;
    CHECK(chi < 63.7);  // the 1 - 1e-6 quantile of 19 degrees of freedom is 63.66
}

TEST_CASE("shuffle_front draws every arrangement of 3 out of 5 equally often: 60 000 draws, chi-squared, p(false alarm) < 1e-6")
{
    philox gen{2};
    std::map<std::uint32_t, double> seen;
    for (int i = 0; i < 60000; ++i) {
        std::vector<std::uint32_t> order(5);
        std::iota(order.begin(), order.end(), 0U);
        mcmc::shuffle_front(order, 3, gen);
        seen[order[0] * 25 + order[1] * 5 + order[2]] += 1;
        std::sort(order.begin(), order.end());
        for (std::uint32_t k = 0; k < 5; ++k) REQUIRE(order[k] == k);
    }
    CHECK(seen.size() == 60);
    double chi = 0;
    for (const auto& [arrangement, n] : seen) chi += (n - 1000) * (n - 1000) / 1000;
    CHECK(chi < 122);  // 59 degrees of freedom: 1 - 1e-6 quantile 121.6
}

TEST_CASE("shuffle_front takes several draws where the ranges' product is large, and none where nothing is asked")
{
    philox gen{3}, same = gen;
    std::vector<std::uint32_t> order(1000);
    std::iota(order.begin(), order.end(), 0U);
    mcmc::shuffle_front(order, 0, gen);
    CHECK(gen == same);
    mcmc::shuffle_front(order, 1000, gen);
    std::sort(order.begin(), order.end());
    for (std::uint32_t k = 0; k < 1000; ++k) REQUIRE(order[k] == k);
}

TEST_CASE("stretch draws z by p(z) ~ 1 / sqrt(z): 100 000 draws, Kolmogorov-Smirnov and mean 7/6, p(false alarm) < 1e-6")
{
    philox gen{4};
    const std::vector<double> positions{1, 0};  // walker 0 at 1 moves by walker 1 at 0: the proposal is z
    const std::vector<std::uint32_t> order{0, 1};
    const mcmc::view walkers(positions, 1, order, 2, 0, 0);
    std::vector<double> z(100000);
    double q = 0, factor = 0;
    for (double& x : z) {
        mcmc::stretch{}.propose(walkers, mcmc::proposals(&q, 1, 1), std::span(&factor, 1), gen);
        x = q;
        CHECK(factor == 0);  // (D - 1) ln z
    }
    const auto cdf = [](double x) { return (std::sqrt(x) - std::sqrt(0.5)) / (std::sqrt(2.0) - std::sqrt(0.5)); };
    CHECK(cdf(1) == doctest::Approx(std::sqrt(2.0) - 1));
    CHECK(kolmogorov_smirnov(z, cdf) < 2.7 / std::sqrt(1e5));
    CHECK(std::abs(mean(z) - 7.0 / 6) < 5 * 0.43 / std::sqrt(1e5));  // sd of z is 0.4260
}

TEST_CASE("the view of a set: its walkers, the others, and the others set by set")
{
    const std::vector<double> positions{10, 11, 12, 13, 14, 15, 16};
    const std::vector<std::uint32_t> order{6, 5, 4, 3, 2, 1, 0};  // sets of 3, 2, 2
    const mcmc::view middle(positions, 1, order, 3, 1, 0);
    CHECK(middle.size() == 2);
    CHECK(middle.walker(0)[0] == 13);
    CHECK(middle.walker(1)[0] == 12);
    CHECK(middle.helpers() == 5);
    std::vector<double> others;
    for (std::size_t j = 0; j < 5; ++j) others.push_back(middle.helper(j)[0]);
    CHECK(others == std::vector<double>{16, 15, 14, 11, 10});
    CHECK(middle.other_begin(0) == 0);
    CHECK(middle.other_begin(1) == 3);
    CHECK(middle.other_begin(2) == 5);
}
