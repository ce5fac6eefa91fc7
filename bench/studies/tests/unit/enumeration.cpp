// SPDX-License-Identifier: MIT
#include "bench/studies/support/enumeration.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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
static_assert(explore::explorer<programs::enumeration, grid_space, scrambled, philox>);

}  // namespace

TEST_CASE("enumeration returns exactly the best of a small space outside what was visited")
{
    const grid_space space({5, 5, 4});
    tk::space::index_set visited;
    visited.insert(29);  // 7 * 29 = 2 * 101 + 1
    visited.insert(72);  // 7 * 72 = 4 * 101 + 100: the best
    philox gen(1);
    const programs::enumeration all;
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
