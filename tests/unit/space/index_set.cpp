// SPDX-License-Identifier: MIT
#include "tunekit/space/index_set.hpp"

#include <doctest/doctest.h>

#include <set>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;

TEST_CASE("an index_set agrees with std::set through 20 000 insertions")
{
    tk::space::index_set set;
    std::set<tk::index> known;
    tk::random::philox gen(5);
    std::size_t wrong = 0;
    for (int n = 0; n < 20'000; ++n) {
        const tk::index i = tk::random::uniform_index(n % 2 == 0 ? 10'000 : tk::index{1} << 63, gen);
        wrong += set.contains(i) != known.contains(i);
        wrong += set.insert(i) != known.insert(i).second;
    }
    CHECK(wrong == 0);
    CHECK(set.size() == known.size());
}

TEST_CASE("index_sets are equal as sets, whatever the order of insertion")
{
    tk::space::index_set up, down;
    for (tk::index i = 0; i < 100; ++i) {
        up.insert(i);
        down.insert(99 - i);
    }
    CHECK(up == down);
    down.insert(100);
    CHECK_FALSE(up == down);
}
