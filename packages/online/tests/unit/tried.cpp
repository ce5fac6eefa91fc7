// SPDX-License-Identifier: MIT
#include "tunekit/online/detail/tried.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <vector>

#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using tk::online::detail::tried;

namespace {

struct sized {
    tk::index n;
    [[nodiscard]] tk::index size() const { return n; }
};

}  // namespace

TEST_CASE("tried: a set like any other, whatever the order")
{
    const sized space{200};
    tk::random::philox gen(5);
    tried t;
    std::set<tk::index> reference;
    for (int k = 0; k < 600; ++k) {
        const auto i = tk::random::uniform_index(space.n, gen);
        CHECK(t.take(i, space) == reference.insert(i).second);
        CHECK(t.size() == reference.size());
    }
}

TEST_CASE("tried: draws give each that is left once, and then nothing")
{
    for (const tk::index n : {1U, 2U, 17U, 300U}) {
        const sized space{n};
        tk::random::philox gen(n);
        tried t;
        std::set<tk::index> seen;
        for (tk::index i = 0; i < n; i += 3) {
            t.take(i, space);
            seen.insert(i);
        }
        while (const auto i = t.draw(space, gen)) {
            CHECK(*i < n);
            CHECK(seen.insert(*i).second);
        }
        CHECK(seen.size() == n);
    }
}

TEST_CASE("tried: a draw is uniform among what is left")
{
    // Null hypothesis: each of the 6 that are left is drawn with probability 1/6. Chi-square with 5 degrees of freedom; the bound is
    // exceeded with probability 1e-6.
    const sized space{10};
    tried some;
    for (const tk::index i : {0U, 4U, 5U, 9U}) some.take(i, space);
    tk::random::philox gen(11);
    std::vector<double> count(10);
    constexpr int draws = 6000;
    for (int k = 0; k < draws; ++k) {
        tried t = some;
        ++count[t.draw(space, gen).value()];
    }
    double chi = 0;
    for (const std::size_t i : {1U, 2U, 3U, 6U, 7U, 8U}) chi += (count[i] - 1000) * (count[i] - 1000) / 1000;
    CHECK(count[0] + count[4] + count[5] + count[9] == 0);
    CHECK(chi < 35.9);
}

TEST_CASE("tried: spaces of more than 2^32 configurations")
{
    const sized space{tk::index{1} << 50};
    tk::random::philox gen(2);
    tried t;
    for (tk::index k = 0; k < 1000; ++k) CHECK(t.take(k << 33, space));
    for (tk::index k = 0; k < 1000; ++k) CHECK(!t.take(k << 33, space));
    std::set<tk::index> drawn;
    for (int k = 0; k < 1000; ++k) CHECK(drawn.insert(t.draw(space, gen).value()).second);
    CHECK(*drawn.rbegin() > tk::index{1} << 40);
}
