// SPDX-License-Identifier: MIT
#include "tunekit/search/random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/grid.hpp"

namespace tk = tunekit;
using tk::random::philox;

TEST_CASE("grid proposes the indices in order")
{
    const support::grid_space space({3, 2});
    philox gen(1);
    auto state = tk::search::grid{}.start(space);
    CHECK(tk::search::grid{}.propose(state, space, 4, gen) == std::vector<tk::index>{0, 1, 2, 3});
    CHECK(tk::search::grid{}.propose(state, space, 4, gen) == std::vector<tk::index>{4, 5});
    CHECK(tk::search::grid{}.propose(state, space, 4, gen).empty());
}

// 24 orders of 4 configurations, 24 000 runs: chi-squared with 23 degrees of freedom exceeds 76.0 with probability 1.4e-7.
TEST_CASE("random proposes every order of a space equally often: chi-squared, false alarm < 1e-6")
{
    const support::grid_space space({2, 2});
    std::array<int, 256> seen{};
    for (std::uint64_t seed = 0; seed < 24000; ++seed) {
        philox gen(seed);
        auto state = tk::search::random{}.start(space);
        std::size_t order = 0;
        for (int k = 0; k < 4; ++k) order = 4 * order + tk::search::random{}.propose(state, space, 1, gen).at(0);
        ++seen[order];
    }
    double chi = 0;
    int kinds = 0;
    for (const int n : seen) {
        if (n == 0) continue;
        ++kinds;
        chi += (n - 1000.0) * (n - 1000.0) / 1000.0;
    }
    CHECK(kinds == 24);
    CHECK(chi < 76.0);
}

// The listed part: which of 100 configurations comes last, 20 000 runs. 99 degrees of freedom, 184 with probability 4e-7.
TEST_CASE("the last configuration drawn from the list is uniform: chi-squared, false alarm < 1e-6")
{
    const support::grid_space space({10, 10});
    std::array<int, 100> last{};
    for (std::uint64_t seed = 0; seed < 20000; ++seed) {
        philox gen(seed);
        auto state = tk::search::random{}.start(space);
        const auto all = tk::search::random{}.propose(state, space, 1000, gen);
        REQUIRE(all.size() == 100);
        ++last[static_cast<std::size_t>(all.back())];
    }
    double chi = 0;
    for (const int n : last) chi += (n - 200.0) * (n - 200.0) / 200.0;
    CHECK(chi < 184.0);
}

TEST_CASE("what is taken by name is never drawn, before the rest is listed and after")
{
    const support::grid_space space({50});
    philox gen(5);
    tk::space::unvisited rest;
    CHECK(rest.take(7));
    CHECK_FALSE(rest.take(7));
    for (int k = 0; k < 46; ++k) CHECK(rest.draw(space, gen).value() != 7);
    std::vector<tk::index> left;
    for (tk::index i = 0; i < 50; ++i)
        if (!rest.contains(i)) left.push_back(i);
    REQUIRE(left.size() == 3);
    CHECK(rest.take(left[1]));
    const auto a = rest.draw(space, gen).value();
    const auto b = rest.draw(space, gen).value();
    CHECK(a + b == left[0] + left[2]);
    CHECK_FALSE(rest.draw(space, gen));
    CHECK(rest.taken() == 50);
}
