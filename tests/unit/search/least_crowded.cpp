// SPDX-License-Identifier: MIT
#include "tunekit/search/detail/least_crowded.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using support::grid_space;
using philox = tk::random::philox;
using tk::search::detail::least_crowded;

namespace {

tk::search::detail::used_values used_by(const grid_space& space, const std::vector<tk::index>& some)
{
    tk::search::detail::used_values out;
    out.add(space, some);
    return out;
}

}  // namespace

TEST_CASE("the least crowded draw is the one farthest from what is there, in every parameter")
{
    const grid_space line({9});
    tk::space::unvisited taken;
    philox gen(1);
    // One before, at 4: reach is the whole range, 8 steps; 0 and 8 have the same room, others less.
    const std::vector<tk::index> middle{4};
    const auto end = least_crowded(line, used_by(line, middle), 1000, taken, gen);
    REQUIRE(end);
    CHECK((*end == 0 || *end == 8));
    // At both ends: reach is two thirds of the range, and crowds add up to half in the middle third.
    const std::vector<tk::index> ends{0, 8};
    const auto between = least_crowded(line, used_by(line, ends), 1000, taken, gen);
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
    CHECK(least_crowded(line, {}, 1000, taken, gen) == tk::index{1});
    taken.take(1);
    CHECK_FALSE(least_crowded(line, {}, 1000, taken, gen));
    CHECK_FALSE(least_crowded(none, {}, 1000, taken, gen));
}

TEST_CASE("parameters of one value say nothing, and equal draws go to the earliest")
{
    const grid_space space({1, 5});
    const tk::space::unvisited taken;
    philox a(7), b(7);
    const auto drawn = space.sample(64, a);
    CHECK(least_crowded(space, {}, 64, taken, b) == drawn.front());
    CHECK(a == b);
}

TEST_CASE("as many configurations as values use every value of each parameter once, where draws abound")
{
    const grid_space space({8, 8});
    tk::space::unvisited taken;
    philox gen(3);
    std::vector<tk::index> chosen;
    for (int k = 0; k < 3; ++k) {
        const auto i = least_crowded(space, used_by(space, chosen), 4000, taken, gen);
        REQUIRE(i);
        taken.take(*i);
        chosen.push_back(*i);
    }
    for (const std::size_t radix : {std::size_t{1}, std::size_t{8}})
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < a; ++b) CHECK(chosen[a] / radix % 8 != chosen[b] / radix % 8);
}

TEST_CASE("the same by the formula, every used configuration in turn")
{
    // Up to 200 before, in parameters of 2, 5 and 40 values: with few each reaches over several ordinals, with many over none.
    const support::grid_space space({2, 5, 40});
    tk::random::philox gen(7);
    for (const std::size_t n : {0U, 1U, 3U, 9U, 10U, 77U, 78U, 200U}) {
        CAPTURE(n);
        const std::vector<tk::index> before = space.sample(n, gen);
        tk::space::unvisited taken;
        tk::random::philox a = gen, b = gen;
        const auto draws = space.sample(50, a);
        std::vector<std::uint16_t> rows(150), known(3 * n);
        space.ordinals(draws, rows);
        space.ordinals(before, known);
        const double reach = 2 / static_cast<double>(n + 1);
        double most = -1;
        std::optional<tk::index> want;
        for (std::size_t k = 0; k < draws.size(); ++k) {
            double room = 0;
            for (std::size_t j = 0; j < 3; ++j) {
                double crowd = 0;
                for (std::size_t m = 0; m < n; ++m) {
                    const double apart = std::abs(static_cast<double>(rows[3 * k + j]) - known[3 * m + j]);
                    crowd += (std::max)(0.0, 1 - apart / (reach * (space.cardinalities()[j] - 1.0)));
                }
                room += 1 / (1 + crowd);
            }
            if (room > most) want = draws[k];
            most = (std::max)(most, room);
        }
        CHECK(least_crowded(space, used_by(space, before), 50, taken, b) == want);
    }
}

TEST_CASE("values used are counted alike in every order and portion")
{
    const grid_space space({2, 5, 40});
    philox gen(3);
    std::vector<tk::index> some = space.sample(60, gen);
    const auto whole = used_by(space, some);
    tk::search::detail::used_values singly;
    std::reverse(some.begin(), some.end());
    for (const tk::index i : some) singly.add(space, std::span(&i, 1));
    CHECK(singly == whole);
}
