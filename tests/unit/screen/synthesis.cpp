// SPDX-License-Identifier: MIT
#include "tunekit/screen/synthesis.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/screen/adaptive_sampling.hpp"

namespace tk = tunekit;
namespace screen = tk::screen;
using support::grid_space;
using tk::explore::scored_candidate;
using philox = tk::random::philox;

TEST_CASE("the modes of the members come first, then those of all candidates")
{
    // Rows (a, b) of a 4 x 4 grid: index a + 4 b.
    const grid_space space({4, 4});
    const std::vector<scored_candidate> pool{{1 + 4 * 2, 5}, {1 + 4 * 3, 4}, {2 + 4 * 3, 3},
                                             {0 + 4 * 0, 2}, {0 + 4 * 1, 1}, {0 + 4 * 0, 0}};
    const std::vector<std::uint32_t> members{0, 1, 2};
    philox gen(1);
    tk::space::index_set visited, chosen;
    const screen::synthesis s;
    CHECK(s.make(space, members, pool, visited, chosen, gen) == 1 + 4 * 3);  // a: 1, 1, 2; b: 2, 3, 3
    visited.insert(1 + 4 * 3);
    CHECK(s.make(space, members, pool, visited, chosen, gen) ==
          0 + 4 * 0);  // a: 0 three times; b: 0 twice and 3 twice, the lower
    chosen.insert(0);
    const auto drawn = s.make(space, members, pool, visited, chosen, gen);
    REQUIRE(drawn);
    CHECK(*drawn % 4 <= 2);  // values that occur
    CHECK_FALSE(visited.contains(*drawn));
    CHECK_FALSE(chosen.contains(*drawn));
}

TEST_CASE("a mode that is no member of the space is passed over; the best candidate is the last resort")
{
    const grid_space space({3, 3}, [](std::span<const std::uint16_t> x) { return x[0] != x[1]; });
    std::vector<tk::index> which;
    const std::vector<std::vector<std::uint16_t>> rows{{0, 1}, {1, 0}, {0, 2}, {2, 0}};
    for (const auto& r : rows) which.push_back(*space.index_of_ordinals(r));
    std::vector<scored_candidate> pool;
    for (const auto i : which) pool.push_back({i, 0});
    philox gen(1);
    tk::space::index_set visited;
    visited.insert(which[0]);
    const std::vector<std::uint32_t> members{0, 1, 2, 3};
    CHECK(screen::synthesis{.tries = 0}.make(space, members, pool, visited, {}, gen) == which[1]);  // modes: (0, 0)
    for (const auto i : which) visited.insert(i);
    CHECK_FALSE(screen::synthesis{.tries = 0}.make(space, members, pool, visited, {}, gen));
}

TEST_CASE("synthesis ends, and never returns what was visited, on every subset of spaces of 1, 2 and 8 points")
{
    for (const auto& cards : {std::vector<std::uint16_t>{1}, {2}, {2, 2, 2}}) {
        const grid_space space(cards);
        const auto n = static_cast<unsigned>(space.size());
        std::vector<scored_candidate> pool;
        std::vector<std::uint32_t> members;
        for (std::uint32_t i = 0; i < n; ++i) {
            pool.push_back({i, -1.0 * i});
            members.push_back(i);
        }
        for (unsigned mask = 0; mask < 1U << n; ++mask) {
            philox gen(mask);
            tk::space::index_set visited;
            for (unsigned i = 0; i < n; ++i)
                if (mask >> i & 1) visited.insert(i);
            const auto made = screen::synthesis{}.make(space, members, pool, visited, {}, gen);
            CHECK(made.has_value() == (visited.size() < n));
            if (made) CHECK_FALSE(visited.contains(*made));
            const auto chosen = screen::adaptive_sampling{}.select(space, pool, visited, 8, gen);
            for (const auto i : chosen) CHECK_FALSE(visited.contains(i));
            CHECK(chosen.size() == n - visited.size());
        }
    }
}
