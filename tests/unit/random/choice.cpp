// SPDX-License-Identifier: MIT
#include "tunekit/random/choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tunekit/random/philox.hpp"

namespace tkr = tunekit::random;

TEST_CASE("choose follows the weights: chi-squared of 4 cells, p(false alarm) < 1e-6")
{
    tkr::philox gen(1);
    const std::array<double, 6> weights{0, 1, 0, 2, 5, 0};
    std::array<double, 6> seen{};
    const int n = 80000;
    for (int i = 0; i < n; ++i) ++seen[tkr::choose(weights, gen)];
    CHECK(seen[0] + seen[2] + seen[5] == 0);
    double statistic = 0;
    for (const std::size_t i : {1U, 3U, 4U}) {
        const double expected = n * weights[i] / 8;
        statistic += (seen[i] - expected) * (seen[i] - expected) / expected;
    }
    CHECK(statistic < 27.7);  // 2 degrees of freedom
}

TEST_CASE("choose of one possibility is that one")
{
    tkr::philox gen(2);
    for (int i = 0; i < 100; ++i) CHECK(tkr::choose(std::array{0.0, 1e-300, 0.0}, gen) == 1);
}

TEST_CASE("shuffle gives all orders of 4 alike: chi-squared of 24 cells, p(false alarm) < 1e-6")
{
    tkr::philox gen(3);
    std::array<double, 256> seen{};
    const int n = 48000;
    for (int i = 0; i < n; ++i) {
        std::vector<unsigned> items{0, 1, 2, 3};
        tkr::shuffle(items, gen);
        ++seen[items[0] + 4 * items[1] + 16 * items[2] + 64 * items[3]];
    }
    double statistic = 0;
    int orders = 0;
    for (const double s : seen) {
        if (s == 0) continue;
        ++orders;
        statistic += (s - n / 24.0) * (s - n / 24.0) / (n / 24.0);
    }
    CHECK(orders == 24);
    CHECK(statistic < 74);  // 23 degrees of freedom: 73.0
}

TEST_CASE("shuffle of none and of one draws nothing")
{
    tkr::philox gen(4);
    const tkr::philox before = gen;
    std::vector<int> none, one{7};
    tkr::shuffle(none, gen);
    tkr::shuffle(one, gen);
    CHECK((gen == before));
    CHECK(one == std::vector<int>{7});
}

TEST_CASE("partial_shuffle keeps the members and begins as the full shuffle does")
{
    tkr::philox a(5), b(5);
    std::vector<int> part{0, 1, 2, 3, 4, 5, 6, 7}, all = part;
    tkr::partial_shuffle(std::span<int>(part), 3, a);
    tkr::shuffle(all, b);
    CHECK(std::equal(part.begin(), part.begin() + 3, all.begin()));
    std::sort(part.begin(), part.end());
    CHECK(part == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("sample_without_replacement gives distinct members, dense and sparse")
{
    tkr::philox gen(6);
    for (const std::uint64_t n : {0ULL, 1ULL, 5ULL, 100ULL, 1000000ULL, 1ULL << 63}) {
        for (const std::size_t k : {0U, 1U, 2U, 5U, 30U, 100U}) {
            if (k > n) continue;
            auto got = tkr::sample_without_replacement(n, k, gen);
            REQUIRE(got.size() == k);
            std::sort(got.begin(), got.end());
            CHECK(std::adjacent_find(got.begin(), got.end()) == got.end());
            CHECK((got.empty() || got.back() < n));
        }
    }
}

TEST_CASE("sample_without_replacement gives all pairs of 12 alike: chi-squared of 132 cells, p(false alarm) < 1e-6")
{
    tkr::philox gen(7);
    std::array<double, 144> seen{};
    const int n = 132000;
    for (int i = 0; i < n; ++i) {  // 2 of 12: the sparse path
        const auto got = tkr::sample_without_replacement(12, 2, gen);
        ++seen[got[0] * 12 + got[1]];
    }
    double statistic = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (i / 12 == i % 12) {
            CHECK(seen[i] == 0);
        } else {
            statistic += (seen[i] - n / 132.0) * (seen[i] - n / 132.0) / (n / 132.0);
        }
    }
    CHECK(statistic < 224);  // 131 degrees of freedom: 223 at 1e-6
}

TEST_CASE("a choice from nothing, or by weights that are none, is refused in release builds too")
{
    tkr::philox gen(1);
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (const std::vector<double>& weights :
         {std::vector<double>{}, {0, 0, 0}, {-1, 1, -1}, {1, nan, 1}, {inf, 1, inf}, {1e308, 1e308}})
        CHECK_THROWS_AS((void)tkr::choose(weights, gen), std::invalid_argument);
    CHECK_THROWS_AS((void)tkr::choose_where(3, [](std::size_t) { return false; }, gen), std::invalid_argument);
    CHECK_THROWS_AS((void)tkr::sample_without_replacement(3, 5, gen), std::invalid_argument);
    std::vector<int> items(3);
    CHECK_THROWS_AS(tkr::partial_shuffle(std::span<int>(items), 4, gen), std::invalid_argument);
}
