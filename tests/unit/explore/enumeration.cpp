// SPDX-License-Identifier: MIT
#include "tunekit/explore/enumeration.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
namespace explore = tk::explore;
using support::grid_space;
using philox = tk::random::philox;

namespace {

/// Score (7 i) mod 101: a scramble whose order is known.
struct scrambled {
    [[nodiscard]] static double of(tk::index i) { return static_cast<double>(7 * i % 101); }
    [[nodiscard]] double best() const { return 100; }
    void score(std::span<const tk::index> in, std::span<double> out) const
    {
        for (std::size_t k = 0; k < in.size(); ++k) out[k] = of(in[k]);
    }
    void predict(std::span<const tk::index> in, std::span<tk::stats::prediction> out) const
    {
        for (std::size_t k = 0; k < in.size(); ++k) out[k] = {of(in[k]), 0};
    }
};
static_assert(explore::explorer<explore::enumeration, grid_space, scrambled, philox>);
static_assert(explore::lists<explore::enumeration, grid_space, philox>);

}  // namespace

TEST_CASE("enumeration returns exactly the best of a small space outside what was visited")
{
    const grid_space space({5, 5, 4});
    tk::space::index_set visited;
    visited.insert(29);  // 7 * 29 = 2 * 101 + 1
    visited.insert(72);  // 7 * 72 = 4 * 101 + 100: the best
    philox gen(1);
    const explore::enumeration all;
    auto state = all.start(space);
    const auto found = all.explore(state, space, scrambled{}, visited, 10, gen);
    std::vector<double> expected;
    for (tk::index i = 0; i < space.size(); ++i)
        if (!visited.contains(i)) expected.push_back(scrambled::of(i));
    std::sort(expected.rbegin(), expected.rend());
    REQUIRE(found.size() == 10);
    for (std::size_t k = 0; k < found.size(); ++k) {
        CHECK(found[k].score == expected[k]);
        CHECK(found[k].score == found[k].predicted.mean);
        CHECK_FALSE(visited.contains(found[k].candidate));
    }
    philox untouched(1);
    CHECK(gen == untouched);
}

TEST_CASE("enumeration of a space as large as `max_complete` is complete; one more is sampled")
{
    const grid_space space({10, 10});
    philox gen(2);
    const explore::enumeration whole{.max_complete = 100, .sample = 5};
    CHECK(whole.complete(space));
    CHECK(whole.list(space, {}, gen).size() == 100);
    const explore::enumeration part{.max_complete = 99, .sample = 5, .centres = 0};
    CHECK_FALSE(part.complete(space));
    CHECK(part.list(space, {}, gen).size() <= 5);
}

TEST_CASE("a sampled list holds every neighbour of the nearest centres, none of the others by rule, and nothing twice")
{
    const grid_space space({20, 20, 20});
    const explore::enumeration part{.max_complete = 10, .sample = 50, .centres = 2};
    const std::vector<tk::index> centres{17, 4242, 7000};
    philox gen(3);
    const auto listed = part.list(space, centres, gen);
    const std::set<tk::index> members(listed.begin(), listed.end());
    CHECK(members.size() == listed.size());
    CHECK(listed.size() <= 2 * 57 + 50);
    for (const tk::index c : {centres[0], centres[1]})
        for (const tk::index i : space.neighbours_of(c, tk::space::neighbourhood::any_value))
            CHECK(members.count(i) == 1);
    philox again(3);
    CHECK(part.list(space, centres, again) == listed);
}

TEST_CASE("above `max_complete` the explorer goes on around what it found before")
{
    const grid_space space({20, 20, 20});
    const explore::enumeration part{.max_complete = 10, .sample = 50, .centres = 2};
    philox gen(4);
    const tk::space::index_set none;
    auto state = part.start(space);
    const auto first = part.explore(state, space, scrambled{}, none, 5, gen);
    REQUIRE(first.size() == 5);
    CHECK(state.centres == std::vector<tk::index>{first[0].candidate, first[1].candidate});
}

TEST_CASE("enumeration refuses a sample of nothing")
{
    CHECK_THROWS_AS((void)explore::enumeration{.sample = 0}.start(grid_space({3})), std::invalid_argument);
}
