// SPDX-License-Identifier: MIT
#include "tunekit/search/detail/climb.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using support::grid_space;
using tk::random::philox;

namespace {

/// The higher the nearer to (7, 2, 5).
std::vector<double> heights(const grid_space& space, const std::vector<tk::index>& some)
{
    std::vector<double> out;
    std::vector<std::uint16_t> x(3);
    for (const tk::index i : some) {
        space.ordinals(std::span(&i, 1), x);
        const auto square = [](double v) { return v * v; };
        out.push_back(-square(x[0] - 7.0) - square(x[1] - 2.0) - square(x[2] - 5.0));
    }
    return out;
}

struct climbed {
    std::vector<tk::index> listed;
    std::vector<double> values;
    std::vector<std::size_t> asked;  ///< how many in each round

    climbed(const grid_space& space, std::vector<tk::index> from, const tk::space::unvisited& proposed,
            std::size_t width, std::size_t rounds, std::uint64_t seed)
        : listed(std::move(from)), values(heights(space, listed))
    {
        philox gen(seed);
        tk::search::detail::climb(
            space, listed, values, proposed, width, rounds,
            [&](const std::vector<tk::index>& some) {
                asked.push_back(some.size());
                return heights(space, some);
            },
            gen);
    }
};

}  // namespace

TEST_CASE("a climb reaches the top of a hill one parameter at a time, and stops where its best were looked around")
{
    const grid_space space({10, 10, 10});
    const tk::space::unvisited none;
    const climbed up(space, {0, 999}, none, 1, 100, 1);
    const auto top = std::max_element(up.values.begin(), up.values.end());
    CHECK(*top == 0);
    CHECK(up.values == heights(space, up.listed));
    CHECK(std::set<tk::index>(up.listed.begin(), up.listed.end()).size() == up.listed.size());
    // One step per parameter that is wrong, and one round around the top: 27 neighbours each, of which some are known.
    CHECK(up.asked.size() == 4);
    CHECK(up.asked[0] == 27);
    const tk::index best = up.listed[static_cast<std::size_t>(top - up.values.begin())];
    for (const tk::index i : space.neighbours_of(best, tk::space::neighbourhood::any_value))
        CHECK(std::count(up.listed.begin(), up.listed.end(), i) == 1);
    CHECK(climbed(space, {0, 999}, none, 1, 100, 1).listed == up.listed);
}

TEST_CASE("a climb of no rounds adds nothing, of one round the neighbours of its width's best")
{
    const grid_space space({10, 10, 10});
    const tk::space::unvisited none;
    CHECK(climbed(space, {0, 999}, none, 1, 0, 1).listed == std::vector<tk::index>{0, 999});
    CHECK(climbed(space, {0, 999}, none, 2, 1, 1).listed.size() == 2 + 27 + 27);
    CHECK(climbed(space, {}, none, 2, 5, 1).listed.empty());
}

TEST_CASE("a climb neither judges what was proposed nor starts from it")
{
    const grid_space space({10, 10, 10});
    const std::vector<tk::index> start{555, 111};  // the first is higher
    tk::space::unvisited proposed;
    proposed.take(555);
    for (const tk::index i : space.neighbours_of(111, tk::space::neighbourhood::any_value))
        if (i % 2 == 0) proposed.take(i);
    const climbed up(space, start, proposed, 1, 1, 1);
    for (std::size_t k = 2; k < up.listed.size(); ++k) {
        CHECK_FALSE(proposed.contains(up.listed[k]));
        const auto around = space.neighbours_of(111, tk::space::neighbourhood::any_value);
        CHECK(std::count(around.begin(), around.end(), up.listed[k]) == 1);
    }
    CHECK(up.listed.size() > 10);
}
