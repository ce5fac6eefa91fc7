// SPDX-License-Identifier: MIT
#include "tunekit/space/carried.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tunekit/space/any_space.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/space/split.hpp"

namespace tk = tunekit;
using tk::space::matched_parameters;
using tk::space::matched_values;
using texts = std::vector<std::string>;

TEST_CASE("a value matches its equal, else the nearest by log2, else nothing")
{
    const matched_values sizes({"1", "4", "16", "64"});
    CHECK(sizes.match("16") == std::uint16_t{2});
    CHECK(sizes.match("24") == std::uint16_t{2});  // log2 4.58: 0.58 from 16, 1.42 from 64
    CHECK(sizes.match("33") == std::uint16_t{3});  // nearer to 16 by difference, to 64 by ratio
    CHECK(sizes.match("1e6") == std::uint16_t{3});
    CHECK(sizes.match("0.001") == std::uint16_t{0});
    CHECK(sizes.match("8") == std::uint16_t{1});  // half way: the first
    for (const char* none : {"0", "-4", "wide", "", "inf", "nan", "4 4", "16x", " 16"}) CHECK(!sizes.match(none));

    const matched_values words({"direct", "winograd", "0"});
    CHECK(words.match("winograd") == std::uint16_t{1});
    CHECK(words.match("0") == std::uint16_t{2});
    CHECK(!words.match("8"));
    CHECK(!matched_values({"", "2"}).match(""));
}

TEST_CASE("texts of several numbers match entry by entry")
{
    const matched_values split({"1 1 64", "2 8 4", "64 1 1"});
    CHECK(split.match("2 8 8") == std::uint16_t{1});
    CHECK(split.match("32 2 2") == std::uint16_t{2});
    CHECK(!split.match("8 8"));
}

TEST_CASE("a configuration is carried by names, and what does not match is that of another one")
{
    namespace sp = tk::space;
    const sp::product small(sp::parameter<"tile">({1, 2, 4}), sp::parameter<"form">({"rows", "columns"}),
                            sp::integers<"unroll">(1, 3));
    const matched_parameters there(small);
    const auto of = [&](int tile, const char* form, int unroll) {
        return small.of(tk::value<"tile">(tile), tk::value<"form">(form), tk::value<"unroll">(unroll));
    };
    const tk::index mine = *small.index_of(of(2, "rows", 3));

    auto c = there.carry(small, texts{"lanes", "form", "tile"}, texts{"8", "columns", "64"}, mine);
    REQUIRE(c);
    CHECK(small.at(*c) == of(4, "columns", 3));

    c = there.carry(small, texts{"tile", "form"}, texts{"1", "diagonals"}, mine);
    REQUIRE(c);
    CHECK(small.at(*c) == of(1, "rows", 3));  // no such form here

    CHECK(!there.carry(small, texts{"tile", "form"}, texts{"1", "rows"}, std::nullopt));  // whence the rest?
    CHECK(there.carry(small, texts{"tile", "form", "unroll"}, texts{"1", "rows", "2"}, std::nullopt));
    CHECK(!there.carry(small, texts{"lanes"}, texts{"8"}, mine));
    CHECK(!there.carry(small, texts{"form"}, texts{"diagonals"}, mine));  // a name in common, and nothing of it
    CHECK(there.shares(texts{"lanes", "unroll"}));
    CHECK(!there.shares(texts{"lanes"}));
}

TEST_CASE("what breaks a constraint is not a configuration, and a space carries into itself what it has")
{
    namespace sp = tk::space;
    const sp::any_space bound = sp::product(sp::powers_of_two<"x">(1, 64), sp::powers_of_two<"y">(1, 64),
                                            sp::where<"x", "y">([](int x, int y) { return x * y <= 64; }));
    const matched_parameters there(bound);
    CHECK(!there.carry(bound, texts{"x", "y"}, texts{"16", "16"}, tk::index{0}));
    for (tk::index i = 0; i < bound.size(); ++i)
        CHECK(there.carry(bound, bound.names(), bound.texts(i), std::nullopt) == i);
}

TEST_CASE("splits of other extents are carried, and a space too large to list is drawn from")
{
    namespace sp = tk::space;
    const sp::any_space b = sp::product(sp::split<"tile">(128, 3));
    const matched_parameters there(b);
    const auto c = there.carry(b, texts{"tile"}, texts{"4 8 2"}, std::nullopt);  // of 64
    REQUIRE(c);
    const std::string got = b.texts(*c).front();
    CHECK_MESSAGE((got == "8 8 2" || got == "4 16 2" || got == "4 8 4"), got);  // one entry, by a factor of 2

    const sp::any_space large =
        sp::product(sp::integers<"a">(1, 1000), sp::integers<"b">(1, 1000), sp::integers<"c">(1, 1000));
    const matched_parameters far(large);
    const auto at = far.carry(large, texts{"a", "b", "c"}, texts{"777", "1", "5000"}, std::nullopt);
    REQUIRE(at);
    CHECK(large.texts(*at) == texts{"777", "1", "1000"});
}
