// SPDX-License-Identifier: MIT
#include "tunekit/online/widening.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using support::grid_space;
using tk::online::widening;

namespace {

struct driven {
    grid_space space;
    widening strategy{};
    widening::state state = strategy.start(space);
    tk::random::philox gen{3};

    void tell(tk::index i, double cost)
    {
        const tk::measure::measurement m{.cost = cost, .runs = 1};
        strategy.observe(state, space, {&i, 1}, {&m, 1}, gen);
    }
    void fail(tk::index i)
    {
        const tk::measure::measurement m{.failed = tk::measure::failure{}};
        strategy.observe(state, space, {&i, 1}, {&m, 1}, gen);
    }
    std::vector<int> row(tk::index i) const
    {
        std::vector<std::uint16_t> r(space.dimensions());
        space.ordinals({&i, 1}, r);
        return {r.begin(), r.end()};
    }
    int apart(tk::index a, tk::index b) const
    {
        int n = 0;
        for (std::size_t j = 0; j < space.dimensions(); ++j) n += std::abs(row(a)[j] - row(b)[j]);
        return n;
    }
    int differ(tk::index a, tk::index b) const
    {
        int n = 0;
        for (std::size_t j = 0; j < space.dimensions(); ++j) n += row(a)[j] != row(b)[j];
        return n;
    }
};

}  // namespace

TEST_CASE("widening: next values first, then one parameter, then two, then anything")
{
    driven d{.space = grid_space({9, 9, 9})};
    const tk::index centre = 4 + 9 * 4 + 81 * 4;
    d.tell(centre, 1);
    for (int k = 0; k < 6; ++k) {
        const auto i = d.strategy.propose(d.state, d.space, 1, d.gen).at(0);
        CHECK(d.apart(i, centre) == 1);
        d.tell(i, 2);
    }
    int last = 1, ones = 0;
    for (int k = 0; k < 60; ++k) {
        const auto i = d.strategy.propose(d.state, d.space, 1, d.gen).at(0);
        const int n = d.differ(i, centre);
        CHECK(n >= (last <= 2 ? last : 1));
        ones += n == 1;
        last = n;
        d.tell(i, 2);
    }
    CHECK(ones >= 12);  // of 18 that differ in one parameter and are no next values
}

TEST_CASE("widening: an improvement is the centre, and its step is tried once more")
{
    driven d{.space = grid_space({9, 9})};
    d.tell(4 + 9 * 4, 3);
    d.tell(5 + 9 * 4, 2);
    CHECK(d.state.centre == 5 + 9 * 4);
    CHECK(d.strategy.propose(d.state, d.space, 1, d.gen).at(0) == 6 + 9 * 4);
}

TEST_CASE("widening: failures are no centres, and nothing is proposed twice until the space is exhausted")
{
    driven d{.space = grid_space({4, 5, 3})};
    d.tell(0, 1);
    std::set<tk::index> seen{0};
    for (;;) {
        const auto batch = d.strategy.propose(d.state, d.space, 3, d.gen);
        if (batch.empty()) break;
        for (const auto i : batch) {
            CHECK(seen.insert(i).second);
            d.fail(i);
        }
    }
    CHECK(seen.size() == 60);
    CHECK(d.state.centre == tk::index{0});
}

TEST_CASE("widening: a valley is walked down by small steps")
{
    driven d{.space = grid_space({30, 30})};
    const auto cost = [&](tk::index i) {
        const auto r = d.row(i);
        return 1 + std::abs(r[0] - 25) + std::abs(r[1] - 20);
    };
    d.tell(0, cost(0));
    int n = 0;
    while (d.state.cost > 1 && n < 200) {
        const auto i = d.strategy.propose(d.state, d.space, 1, d.gen).at(0);
        CHECK(d.apart(i, *d.state.centre) <= 2);  // the same step once more is one of two where two were taken at once
        d.tell(i, cost(i));
        ++n;
    }
    CHECK(d.state.cost == 1);
    CHECK(n < 120);  // 45 steps down; a third of them in the wrong direction and more
}

TEST_CASE("widening: attempts of 0 are refused")
{
    CHECK_THROWS_AS((void)widening{.attempts = 0}.start(grid_space({2})), std::invalid_argument);
}
