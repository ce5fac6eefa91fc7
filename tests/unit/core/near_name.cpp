// SPDX-License-Identifier: MIT
#include "tunekit/core/text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using tunekit::core::near_name;
using tunekit::core::wanted_name;

TEST_CASE("near_name: the one with the fewest letters of difference, at most two and less than half")
{
    const std::vector<std::string> known{"tile", "mode", "unroll", "a"};
    for (const char* const near : {"tille", "til", "Tile", "tiles", "tile", "title"})
        CHECK(near_name(near, known) == "tile");
    CHECK(near_name("modes", known) == "mode");
    CHECK(near_name("unrolling", known).empty());  // three letters more
    CHECK(near_name("unrol", known) == "unroll");
    CHECK(near_name("b", known).empty());   // nothing of it is left
    CHECK(near_name("mo", known).empty());  // half of it
    CHECK(near_name("", known).empty());
    CHECK(near_name("tile", {}).empty());
    CHECK(near_name(std::string(10'000'000, 'x'), known).empty());
    CHECK(near_name("tiled", std::vector<std::string>{"tilers", "tiles"}) == "tiles");
}

TEST_CASE("wanted_name: the near one, or a list that stays short")
{
    CHECK(wanted_name("tille", std::vector<std::string>{"tile", "mode"}) == "tile");
    CHECK(wanted_name("q", std::vector<std::string>{"tile", "mode"}) == "one of tile, mode");
    CHECK(wanted_name("q", std::vector<std::string>(100, std::string(1000, 'x'))).size() < 2000);
}
