// SPDX-License-Identifier: MIT
#include "tunekit/mcmc/detail/draws.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "statistics.hpp"
#include "tunekit/mcmc/stretch.hpp"
#include "tunekit/random/philox.hpp"

namespace mcmc = tunekit::mcmc;
using tunekit::random::philox;

TEST_CASE(
    "pick: index and fraction are uniform and independent: 5 x 4 cells of 100 000 draws, chi-squared, p(false alarm) < "
    "1e-6")
{
    philox gen{1};
    std::vector<double> cell(20);
    for (int i = 0; i < 100000; ++i) {
        const auto drawn = mcmc::detail::pick(5, gen);
        REQUIRE(drawn.index < 5);
        REQUIRE(drawn.fraction < 1);
        cell[drawn.index * 4 + static_cast<std::size_t>(drawn.fraction * 4)] += 1;
    }
    double chi = 0;
    for (const double n : cell) chi += (n - 5000) * (n - 5000) / 5000;
    CHECK(chi < 63.7);  // the 1 - 1e-6 quantile of 19 degrees of freedom is 63.66
}

TEST_CASE(
    "shuffle_front draws every arrangement of 3 out of 5 equally often: 60 000 draws, chi-squared, p(false alarm) < "
    "1e-6")
{
    philox gen{2};
    std::map<std::uint32_t, double> seen;
    for (int i = 0; i < 60000; ++i) {
        std::vector<std::uint32_t> order(5);
        std::iota(order.begin(), order.end(), 0U);
        mcmc::detail::shuffle_front(order, 3, gen);
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
    mcmc::detail::shuffle_front(order, 0, gen);
    CHECK(gen == same);
    mcmc::detail::shuffle_front(order, 1000, gen);
    std::sort(order.begin(), order.end());
    for (std::uint32_t k = 0; k < 1000; ++k) REQUIRE(order[k] == k);
}

TEST_CASE(
    "stretch draws z by p(z) ~ 1 / sqrt(z): 100 000 draws, Kolmogorov-Smirnov and mean 7/6, p(false alarm) < 1e-6")
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
        CHECK(factor == 1);  // z^(D - 1)
    }
    const auto cdf = [](double x) { return (std::sqrt(x) - std::sqrt(0.5)) / (std::sqrt(2.0) - std::sqrt(0.5)); };
    CHECK(cdf(1) == doctest::Approx(std::sqrt(2.0) - 1));
    CHECK(kolmogorov_smirnov(z, cdf) < 2.7 / std::sqrt(1e5));
    CHECK(std::abs(mean(z) - 7.0 / 6) < 5 * 0.43 / std::sqrt(1e5));  // sd of z is 0.4260
}

TEST_CASE("stretch gives z^(D - 1), or its logarithm where that could leave the range of double")
{
    const std::vector<double> positions{1, 1, 1, 1, 1, 0, 0, 0, 0, 0};
    const std::vector<std::uint32_t> order{0, 1};
    const mcmc::view walkers(positions, 5, order, 2, 0, 0);
    std::vector<double> q(5);
    for (const double scale : {2.0, 1e30}) {
        philox gen{6};
        const mcmc::stretch move{.scale = scale};
        CHECK(move.gives_factors(5) == (scale == 2));
        double factor = 0;
        for (int i = 0; i < 100; ++i) {
            move.propose(walkers, mcmc::proposals(q.data(), 5, 1), std::span(&factor, 1), gen);
            const double z = q[0];
            CHECK(q == std::vector<double>(5, z));
            CHECK((scale == 2 ? std::log(factor) : factor) == doctest::Approx(4 * std::log(z)).epsilon(1e-12));
        }
    }
}

TEST_CASE("split_pairs divides any number in two, each by a fair bit: 40 000 draws of 8, p(false alarm) < 1e-4")
{
    philox gen{7};
    for (const std::size_t n : {1U, 2U, 3U, 7U, 16U, 129U, 300U})
        for (std::uint64_t turn = 0; turn < 5; ++turn) {
            std::vector<std::uint32_t> order(n);
            mcmc::detail::split_pairs(order, turn, gen);
            std::sort(order.begin(), order.end());
            for (std::uint32_t k = 0; k < n; ++k) REQUIRE(order[k] == k);
        }
    std::vector<double> first(8), apart(64);
    std::vector<std::uint32_t> order(8);
    for (std::uint64_t turn = 0; turn < 40000; ++turn) {
        mcmc::detail::split_pairs(order, turn, gen);
        std::vector<int> set(8, 1);
        for (std::size_t i = 0; i < 4; ++i) set[order[i]] = 0;
        for (std::size_t a = 0; a < 8; ++a) {
            first[a] += set[a] == 0;
            for (std::size_t b = 0; b < 8; ++b) apart[a * 8 + b] += set[a] != set[b];
        }
    }
    for (std::size_t a = 0; a < 8; ++a) {
        CHECK(std::abs(first[a] - 20000) < 500);  // 5 standard deviations
        for (std::size_t b = 0; b < a; ++b)       // partners in one turn of four where they are of different halves
            CHECK(std::abs(apart[a * 8 + b] - (a / 4 == b / 4 ? 20000 : 25000)) < 500);
    }
}

TEST_CASE("split_pairs: of an odd number all are left over in turn, on the first, larger side")
{
    philox gen{8};
    std::vector<int> left(7);
    std::vector<std::uint32_t> order(7);
    for (std::uint64_t turn = 0; turn < 7; ++turn) {
        mcmc::detail::split_pairs(order, turn, gen);
        ++left[order[3]];
    }
    CHECK(left == std::vector<int>(7, 1));
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

TEST_CASE("picks are pick one after another: any number of them, and where draws are rejected")
{
    struct rising {  // 0, step, 2 step, ...: draws below 2^64 mod n are rejected
        using result_type = std::uint64_t;
        std::uint64_t next, step;
        static constexpr result_type(min)() { return 0; }
        static constexpr result_type(max)() { return ~result_type{0}; }
        result_type operator()() { return std::exchange(next, next + step); }
    };
    std::size_t rejected = 0;
    for (const std::uint64_t n : {1ULL, 2ULL, 3ULL, 16ULL, 1000003ULL, 0xffffffffULL})
        for (const rising start : {rising{0, 1}, rising{1, 0x9E3779B97F4A7C15}, rising{~0ULL - 3, 1}})
            for (const std::size_t m : {0U, 1U, 7U, 8U, 9U, 16U, 31U, 32U}) {
                rising one = start, many = start;
                std::vector<std::uint32_t> index(m);
                std::vector<double> fraction(m);
                mcmc::detail::picks(n, index, fraction, many);
                for (std::size_t i = 0; i < m; ++i) {
                    const auto want = mcmc::detail::pick(n, one);
                    CHECK(index[i] == want.index);
                    CHECK(fraction[i] == want.fraction);
                }
                CHECK(many.next == one.next);
                rejected += one.next != start.next + m * start.step ? 1 : 0;
            }
    CHECK(rejected > 0);
}
