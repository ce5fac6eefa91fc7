// SPDX-License-Identifier: MIT
// Parameter kinds: how many values, in which order, how they are written and numbered, and what is refused.
#include "tunekit/space/parameter.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tunekit/space/permutation.hpp"
#include "tunekit/space/split.hpp"

namespace sp = tunekit::space;
using sp::split_policy;

namespace {

enum class colour { red, green };

struct tile {
    int x = 0, y = 0;
    friend bool operator==(const tile&, const tile&) = default;  // no order: looked up one by one
};

std::string to_text(const tile& t) { return std::to_string(t.x) + "x" + std::to_string(t.y); }

template <class P>
auto list(const P& parameter)
{
    return std::vector<typename P::value_type>(parameter.values.begin(), parameter.values.end());
}

std::size_t ways(int n, int parts, split_policy policy)
{
    return sp::split<"t">(n, parts, {.policy = policy}).values.size();
}

}  // namespace

TEST_CASE("value lists take any regular type that has a text")
{
    CHECK(sp::parameter<"a">({1.5, 0.1}).about.texts == std::vector<std::string>{"1.5", "0.1"});
    CHECK(sp::parameter<"a">({"direct", "winograd"}).about.texts == std::vector<std::string>{"direct", "winograd"});
    CHECK(sp::parameter<"a">({colour::green, colour::red}).about.texts == std::vector<std::string>{"1", "0"});
    CHECK(sp::parameter<"a">({tile{4, 8}, tile{1, 2}}).about.texts == std::vector<std::string>{"4x8", "1x2"});
    CHECK(sp::parameter<"a">({'x', 'y'}).about.texts == std::vector<std::string>{"x", "y"});
    CHECK(sp::parameter<"a">(std::vector<long>{-3, 5}).about.texts == std::vector<std::string>{"-3", "5"});
    CHECK(sp::boolean<"a">().about.texts == std::vector<std::string>{"false", "true"});
}

TEST_CASE("a value is found by equality, in ordered types and in others")
{
    const auto numbers = sp::parameter<"a">({5, -1, 3}).values;
    CHECK(numbers.find(-1) == 1);
    CHECK(numbers.find(3) == 2);
    CHECK_FALSE(numbers.find(4).has_value());
    const auto tiles = sp::parameter<"a">({tile{4, 8}, tile{1, 2}}).values;
    CHECK(tiles.find({1, 2}) == 1);
    CHECK_FALSE(tiles.find({1, 3}).has_value());
}

TEST_CASE("numbers of values: as they are, entry by entry, or the ordinal")
{
    CHECK(sp::parameter<"a">({4, -2}).about.numbers == std::vector<float>{4, -2});
    CHECK(sp::parameter<"a">({"p", "q"}).about.numbers == std::vector<float>{0, 1});
    const auto pairs = sp::parameter<"a">({std::array{1, 2}, std::array{8, 4}}).about;
    CHECK(pairs.columns == 2);
    CHECK(pairs.numbers == std::vector<float>{1, 2, 8, 4});
}

TEST_CASE("ranges, powers of two and divisors")
{
    CHECK(list(sp::integers<"a">(-1, 2)) == std::vector<int>{-1, 0, 1, 2});
    CHECK(list(sp::integers<"a">(1, 10, 4)) == std::vector<int>{1, 5, 9});
    CHECK(list(sp::integers<"a">(2147483646, 2147483647)) == std::vector<int>{2147483646, 2147483647});
    CHECK(list(sp::powers_of_two<"a">(16, 128)) == std::vector<int>{16, 32, 64, 128});
    CHECK(list(sp::powers_of_two<"a">(3, 9)) == std::vector<int>{4, 8});
    CHECK(list(sp::powers_of_two<"a">(1 << 29, 2147483647)) == std::vector<int>{1 << 29, 1 << 30});
    CHECK(list(sp::divisors<"a">(12)) == std::vector<int>{1, 2, 3, 4, 6, 12});
    CHECK(list(sp::divisors<"a">(36)) == std::vector<int>{1, 2, 3, 4, 6, 9, 12, 18, 36});
    CHECK(list(sp::divisors<"a">(512, 256)) == std::vector<int>{1, 2, 4, 8, 16, 32, 64, 128, 256});
}

TEST_CASE("split counts: 256 in 3, 224 in 3 by three policies, 2^25 in 4")
{
    CHECK(ways(256, 3, split_policy::factors) == 45);
    CHECK(ways(256, 3, split_policy::power2) == 45);
    CHECK(ways(256, 3, split_policy::verbose) == 45);
    CHECK(ways(224, 3, split_policy::factors) == 63);
    CHECK(ways(224, 3, split_policy::power2) == 36);
    CHECK(ways(224, 3, split_policy::verbose) == 84);
    CHECK(ways(1 << 25, 4, split_policy::factors) == 3276);
    CHECK(ways(1, 4, split_policy::verbose) == 1);
    CHECK(ways(12, 1, split_policy::factors) == 1);
}

TEST_CASE("factor splits multiply to the loop, others cover it; the innermost size varies slowest")
{
    CHECK(list(sp::split<"t">(4, 3)) ==
          std::vector<std::vector<int>>{{4, 1, 1}, {2, 2, 1}, {1, 4, 1}, {2, 1, 2}, {1, 2, 2}, {1, 1, 4}});
    for (const auto& s : list(sp::split<"t">(360, 4))) CHECK(s[0] * s[1] * s[2] * s[3] == 360);
    for (const auto& s : list(sp::split<"t">(55, 3, {.policy = split_policy::verbose}))) {
        CHECK(s[0] * s[1] * s[2] >= 55);
        CHECK((s[0] - 1) * s[1] * s[2] < 55);
    }
    const auto limited = list(sp::split<"t">(128, 2, {.max_factor = 16}));
    CHECK(limited.size() == 5);
    CHECK(limited.back() == std::vector<int>{8, 16});
}

TEST_CASE("splits are to be had without a parameter")
{
    CHECK(sp::splits("t", 4, 3) == list(sp::split<"t">(4, 3)));
    CHECK(sp::splits("t", 55, 3, {.policy = split_policy::verbose}) ==
          list(sp::split<"t">(55, 3, {.policy = split_policy::verbose})));
    CHECK(sp::splits("t", 1, 1) == std::vector<std::vector<int>>{{1}});
}

TEST_CASE("given splits: a leading -1 is what the others leave")
{
    CHECK(list(sp::split<"t">(100, {{-1, 8}, {25, 4}})) == std::vector<std::vector<int>>{{13, 8}, {25, 4}});
    CHECK(sp::split<"t">(100, {{-1, 8}, {25, 4}}).about.numbers == std::vector<float>{13, 8, 25, 4});
}

TEST_CASE("permutations: all, within positions, given; identity first")
{
    const auto all = sp::permutation<"o">({10, 20, 30, 40});
    CHECK(all.values.size() == 24);
    CHECK(all.values[0] == std::vector<int>{10, 20, 30, 40});
    CHECK(all.values[1] == std::vector<int>{10, 20, 40, 30});
    CHECK(all.about.columns == 4);
    CHECK(std::vector<float>(all.about.numbers.begin() + 4, all.about.numbers.begin() + 8) ==
          std::vector<float>{0, 1, 3, 2});
    const auto within = list(sp::permutation<"o">({"a", "b", "c", "d"}, sp::positions{1, 4}));
    CHECK(within.size() == 6);
    CHECK(std::all_of(within.begin(), within.end(), [](const auto& o) { return o[0] == "a"; }));
    const auto given = list(sp::permutation<"o">({{1, 2, 3}, {3, 2, 1}}));
    CHECK(given == std::vector<std::vector<int>>{{1, 2, 3}, {3, 2, 1}});
}

TEST_CASE("trades of a permutation lead to the value with two entries exchanged, or nowhere")
{
    const auto all = sp::permutation<"o">({1, 2, 3, 4});
    REQUIRE(all.about.pairs == 6);
    for (std::size_t v = 0; v < 24; ++v) {
        std::set<std::uint16_t> targets;
        for (std::size_t p = 0; p < 6; ++p) {
            const std::uint16_t to = all.about.swapped[v * 6 + p];
            targets.insert(to);
            int moved = 0;
            for (std::size_t i = 0; i < 4; ++i) moved += all.values[v][i] != all.values[to][i];
            CHECK(moved == 2);
            CHECK(all.about.swapped[to * 6u + p] == v);
        }
        CHECK(targets.size() == 6);
    }
    const auto given = sp::permutation<"o">({{1, 2, 3}, {2, 1, 3}, {3, 1, 2}});
    CHECK(given.about.swapped == std::vector<std::uint16_t>{1, 0, 0, 0, 2, 1, 2, 1, 2});
}

TEST_CASE("annotations have at most one vec")
{
    using sp::note;
    const auto a = sp::annotation<"n">(2, {note::none, note::unroll, note::vectorise});
    CHECK(a.values.size() == 8);
    CHECK(a.about.texts == std::vector<std::string>{"none none", "none unroll", "none vec", "unroll none",
                                                    "unroll unroll", "unroll vec", "vec none", "vec unroll"});
    CHECK(a.about.columns == 22);
    CHECK(std::count(a.about.numbers.begin(), a.about.numbers.end(), 1.0F) == 16);
}

#define CHECK_REFUSED(made, message) \
    CHECK_THROWS_WITH_AS((void)(made), "tunekit: space: parameter 'p': " message, std::invalid_argument)

TEST_CASE("what is not a list of values is refused by the parameter's name")
{
    CHECK_REFUSED(sp::parameter<"p">(std::vector<int>{}), "has no values, want at least one");
    CHECK_REFUSED(sp::parameter<"p">({1, 2, 1}), "value 1 is there twice, want it once");
    CHECK_REFUSED(sp::parameter<"p">({tile{1, 2}, tile{1, 2}}), "value 1x2 is there twice, want it once");
    CHECK_REFUSED(sp::powers_of_two<"p">(5, 7), "has no values, want at least one");
    CHECK_REFUSED(sp::integers<"p">(3, 2), "has no values, want at least one");
    CHECK_REFUSED(sp::integers<"p">(0, 65535), "has 65536 values, want at most 65535");
    CHECK_REFUSED(sp::integers<"p">(0, 5, 0), "step is 0, want at least 1");
    CHECK_REFUSED(sp::divisors<"p">(0), "divisors of 0, want a number >= 1");
    CHECK_REFUSED(sp::splits("p", 0, 2), "split of 0, want a length >= 1");
    CHECK_REFUSED(sp::split<"p">(0, 2), "split of 0, want a length >= 1");
    CHECK_REFUSED(sp::split<"p">(4, 0), "split into 0 parts, want at least 1");
    CHECK_REFUSED(sp::split<"p">(1 << 30, 8), "has 65536 values, want at most 65535");
    CHECK_REFUSED(sp::split<"p">(8, {{2, 0}}), "size 0 in a split, want >= 1");
    CHECK_REFUSED(sp::permutation<"p">({1, 2, 3, 4, 5, 6, 7, 8, 9}), "has too many values, want at most 65535");
    CHECK_REFUSED(sp::permutation<"p">({1, 2, 2}), "value 1 2 2 is there twice, want it once");
    CHECK_REFUSED(sp::permutation<"p">({1, 2, 3}, sp::positions{2, 4}),
                  "positions [2, 4), want them within the 3 entries");
    CHECK_REFUSED(sp::permutation<"p">({{1, 2}, {2, 3}}), "'2 3' is not an order of '1 2'");
    CHECK_REFUSED(sp::annotation<"p">(0, {sp::note::none}), "annotation of 0 loops, want at least 1");
    CHECK_REFUSED(sp::annotation<"p">(1, {}), "has no values, want at least one");
}
