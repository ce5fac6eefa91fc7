// SPDX-License-Identifier: MIT
#include "tunekit/search/detail/least_crowded.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using support::grid_space;
using philox = tk::random::philox;

TEST_CASE("the least crowded draw is the one farthest from what is there, in every parameter")
{
    const grid_space line({9});
    tk::space::unvisited taken;
    philox gen(1);
    // One before, at 4: reach is the whole range, 8 steps; 0 and 8 have the same room, others less.
    const std::vector<tk::index> middle{4};
    const auto end = tk::search::detail::least_crowded(line, middle, 1000, taken, gen);
    REQUIRE(end);
    CHECK((*end == 0 || *end == 8));
    // At both ends: reach is two thirds of the range, and crowds add up to half in the middle third.
    const std::vector<tk::index> ends{0, 8};
    const auto between = tk::search::detail::least_crowded(line, ends, 1000, taken, gen);
    REQUIRE(between);
    CHECK((*between >= 3 && *between <= 5));
}

TEST_CASE("nothing is drawn twice, and nothing where all of the draws are taken or there are none")
{
    const grid_space line({3}), none({0});
    tk::space::unvisited taken;
    philox gen(1);
    taken.take(0);
    taken.take(2);
    CHECK(tk::search::detail::least_crowded(line, {}, 1000, taken, gen) == tk::index{1});
    taken.take(1);
    CHECK_FALSE(tk::search::detail::least_crowded(line, {}, 1000, taken, gen));
    CHECK_FALSE(tk::search::detail::least_crowded(none, {}, 1000, taken, gen));
}

TEST_CASE("parameters of one value say nothing, and equal draws go to the earliest")
{
    const grid_space space({1, 5});
    const tk::space::unvisited taken;
    philox a(7), b(7);
    const auto drawn = space.sample(64, a);
    CHECK(tk::search::detail::least_crowded(space, {}, 64, taken, b) == drawn.front());
    CHECK(a == b);
}

TEST_CASE("as many configurations as values use every value of each parameter once, where draws abound")
{
    const grid_space space({8, 8});
    tk::space::unvisited taken;
    philox gen(3);
    std::vector<tk::index> chosen;
    for (int k = 0; k < 3; ++k) {
        const auto i = tk::search::detail::least_crowded(space, chosen, 4000, taken, gen);
        REQUIRE(i);
        taken.take(*i);
        chosen.push_back(*i);
    }
    for (const std::size_t radix : {std::size_t{1}, std::size_t{8}})
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < a; ++b) CHECK(chosen[a] / radix % 8 != chosen[b] / radix % 8);
}
