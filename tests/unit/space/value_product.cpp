// SPDX-License-Identifier: MIT
#include "tunekit/space/value_product.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace sp = tunekit::space;

static_assert(sp::search_space<sp::value_product, tk::random::philox>);
static_assert(sp::typed<sp::value_product>);

namespace {

std::vector<sp::value> integers(std::int64_t first, std::int64_t last)
{
    std::vector<sp::value> out;
    for (std::int64_t v = first; v <= last; ++v) out.emplace_back(v);
    return out;
}

/// How many of all combinations hold, by trying each.
template <class Holds>
tk::index counted(const sp::value_product& all, const Holds& holds)
{
    tk::index n = 0;
    for (tk::index i = 0; i < all.size(); ++i) n += holds(all.at(i)) ? 1U : 0U;
    return n;
}

}  // namespace

TEST_CASE("a value product of integers is the product of the same parts: indices, values, texts, features, fingerprint")
{
    const sp::product typed{
        sp::integers<"x">(1, 16),
        sp::parameter<"y">({8, 4, 2, 1}),
        sp::parameter<"one">({5}),
        sp::integers<"z">(0, 9),
        sp::where<"x", "y">([](int x, int y) { return x % y == 0; }),
        sp::where<"z", "x", "one">([](int z, int x, int one) { return z <= x + one - 5; }),
    };
    std::vector<std::int64_t> xs, zs;
    for (std::int64_t v = 1; v <= 16; ++v) xs.push_back(v);
    for (std::int64_t v = 0; v <= 9; ++v) zs.push_back(v);
    const sp::value_product named({{"x", xs}, {"y", {8, 4, 2, 1}}, {"one", {5}}, {"z", zs}},
                                  {"x % y == 0", "z <= x + one - 5"});

    REQUIRE(named.size() == typed.size());
    CHECK(named.fingerprint() == typed.fingerprint());
    std::size_t wrong = 0;
    for (tk::index i = 0; i < typed.size(); ++i) {
        const auto c = typed.at(i);
        const sp::value_product::config d{tk::get<"x">(c), tk::get<"y">(c), tk::get<"one">(c), tk::get<"z">(c)};
        wrong += named.at(i) != d || named.index_of(d) != i || named.texts(i) != typed.texts(i) ||
                 named.index_of_texts(named.texts(i)) != i;
        std::vector<float> f(4), g(4);
        named.features({&i, 1}, f, sp::encoding::values);
        typed.features({&i, 1}, g, sp::encoding::values);
        wrong += f != g;
    }
    CHECK(wrong == 0);
    CHECK_FALSE(named.index_of({3, 8, 5, 0}).has_value());
    CHECK_FALSE(named.index_of({8, 8, 5}).has_value());
    CHECK_FALSE(named.index_of({8, 7, 5, 0}).has_value());
}

TEST_CASE("the values of a parameter are listed, or a vector of one type")
{
    using namespace std::string_literals;
    const std::vector<int> sizes{16, 32};
    const std::vector<std::string> words{"-O2", "-O3"};
    const std::vector<double> shares{0.5, 1};
    const sp::value_product space({{"n", sizes}, {"opt", words}, {"share", shares}, {"on", {false, true}}}, {});
    const sp::value_product same(
        {{"n", {16, 32}}, {"opt", {"-O2"s, "-O3"s}}, {"share", {0.5, 1.0}}, {"on", {false, true}}}, {});
    CHECK(space.fingerprint() == same.fingerprint());
    CHECK(space.at(1) == sp::value_product::config{32, "-O2"s, 0.5, false});
    CHECK(std::get<std::int64_t>(space.at(1)[0]) == 32);
}

TEST_CASE("words, flags, fractions and orders in constraints are what they say, by trying every combination")
{
    using namespace std::string_literals;
    std::vector<sp::value> orders;
    for (std::vector<std::int64_t> o{0, 1, 2};;) {
        orders.emplace_back(sp::entries{o});
        if (!std::next_permutation(o.begin(), o.end())) break;
    }
    const std::vector<sp::value_parameter> parameters{{"opt", {"-O1"s, "-O2"s, "it's"s}},
                                                      {"unroll", {false, true}},
                                                      {"share", {0.25, 0.5, 1.5}},
                                                      {"n", integers(0, 3)},
                                                      {"p", orders}};
    const sp::value_product all(parameters, {});
    CHECK(all.size() == 3 * 2 * 3 * 4 * 6);
    const auto size = [&](const char* text) { return sp::value_product(parameters, {text}).size(); };
    const auto opt = [](const auto& c) { return std::get<std::string>(c[0]); };
    const auto unroll = [](const auto& c) { return std::get<bool>(c[1]); };
    const auto share = [](const auto& c) { return std::get<double>(c[2]); };
    const auto n = [](const auto& c) { return static_cast<double>(std::get<std::int64_t>(c[3])); };
    const auto p = [](const auto& c) { return std::get<sp::entries>(c[4]).of; };
    CHECK(size("opt == '-O2' or not unroll") ==
          counted(all, [&](const auto& c) { return opt(c) == "-O2" || !unroll(c); }));
    CHECK(size("opt == \"it's\"") == counted(all, [&](const auto& c) { return opt(c) == "it's"; }));
    CHECK(size("n * share < 1.5") == counted(all, [&](const auto& c) { return n(c) * share(c) < 1.5; }));
    CHECK(size("share >= 0.5 and n != opt") == counted(all, [&](const auto& c) { return share(c) >= 0.5; }));
    CHECK(size("p_0 == 2 or p_i0 > p_i1") == counted(all, [&](const auto& c) {
              const auto o = p(c);
              const auto place = [&](std::int64_t e) { return std::find(o.begin(), o.end(), e) - o.begin(); };
              return o[0] == 2 || place(0) > place(1);
          }));
    CHECK(all.texts(0) == std::vector<std::string>{"-O1", "false", "0.25", "0", "(0, 1, 2)"});
    CHECK_FALSE(all.index_of_texts(std::vector<std::string>{"-O9", "false", "0.25", "0", "(0, 1, 2)"}).has_value());
    const tk::index first = 0;
    CHECK(all.neighbours_of(first, sp::neighbourhood::swap).size() == 3);
    CHECK(all.feature_count(sp::encoding::values) == 4 + 3);
}

TEST_CASE("a space of 40 flags has 2^40 configurations, and every one is found again")
{
    std::vector<sp::value_parameter> flags;
    for (int k = 0; k < 40; ++k) flags.push_back({"f" + std::to_string(k), {false, true}});
    const sp::value_product space(flags, {"f0 or not f1"});
    CHECK(space.size() == (tk::index{1} << 38) * 3);
    tk::random::philox gen(1);
    for (const tk::index i : space.sample(200, gen)) CHECK(space.index_of(space.at(i)) == i);
}

TEST_CASE("mistakes of a value product are named")
{
    using namespace std::string_literals;
    CHECK_THROWS_WITH_AS(sp::value_product({{"a", {"x"s, "x"s}}}, {}),
                         "tunekit: space: parameter 'a': value x is there twice, want it once", std::invalid_argument);
    CHECK_THROWS_WITH_AS(sp::value_product({{"a", {"x"s}}}, {"a == 'y'"}),
                         "tunekit: space: constraint 'a == 'y'': column 6: no parameter has the value 'y', want one "
                         "that a parameter has",
                         std::invalid_argument);
    CHECK_THROWS_AS(sp::value_product({{"a", {}}}, {}), std::invalid_argument);
    CHECK_THROWS_AS(sp::value_product({{"a", {true}}, {"a", {true}}}, {}), std::invalid_argument);
    CHECK_THROWS_AS(sp::value_product({{"a", {true}}}, {"not a"}), std::invalid_argument);  // nothing is left
}

TEST_CASE("sizes of run-time spaces are those of their filtered products")
{
    // The parameters of a tiled 2D convolution as they are written in tuning scripts.
    const std::vector<sp::value_parameter> parameters{{"block_x", {1, 2, 4, 8, 16, 32, 64, 128}},
                                                      {"block_y", {1, 2, 4, 8, 16}},
                                                      {"tile", {1, 2, 3, 4}},
                                                      {"pad", {0, 1}},
                                                      {"shared", {0, 1}}};
    const sp::value_product space(
        parameters,
        {"32 <= block_x * block_y <= 1024", "pad == 0 or block_x % 32 != 0",
         "shared == 0 or (block_x * tile + 14) * (block_y * tile + 14) < 12 * 1024", "not pad or shared != 0"});
    tk::index expected = 0;
    for (const int x : {1, 2, 4, 8, 16, 32, 64, 128})
        for (const int y : {1, 2, 4, 8, 16})
            for (const int t : {1, 2, 3, 4})
                for (const int pad : {0, 1})
                    for (const int shared : {0, 1})
                        expected += 32 <= x * y && x * y <= 1024 && (pad == 0 || x % 32 != 0) &&
                                    (shared == 0 || (x * t + 14) * (y * t + 14) < 12 * 1024) &&
                                    (pad == 0 || shared != 0);
    CHECK(space.size() == expected);
}

#define CHECK_REFUSED(parameters, constraints, message)                                            \
    CHECK_THROWS_WITH_AS((sp::value_product(parameters, constraints)), "tunekit: space: " message, \
                         std::invalid_argument)

TEST_CASE("what makes no space is refused by name")
{
    using parameters = std::vector<sp::value_parameter>;
    using texts = std::vector<std::string>;
    CHECK_REFUSED(parameters{}, texts{}, "has no parameters, want at least one");
    parameters many;
    for (int k = 0; k < 16384; ++k) many.push_back({std::to_string(k), {1}});
    CHECK(sp::value_product(many, texts{}).size() == 1);
    many.push_back({"one more", {1}});
    CHECK_REFUSED(many, texts{}, "has 16385 parameters, want at most 16384");
    CHECK_REFUSED((parameters{{"a", {1}}, {"b", {}}}), texts{}, "parameter 'b': has no values, want at least one");
    CHECK_REFUSED((parameters{{"a", {1, 2, 1}}}), texts{}, "parameter 'a': value 1 is there twice, want it once");
    CHECK_REFUSED((parameters{{"a", {1}}, {"a", {2}}}), texts{}, "parameter 'a': is there twice, want distinct names");
    CHECK_REFUSED((parameters{{"a", {1, 2}}}), texts{"a > 0 and"},
                  "constraint 'a > 0 and': column 10: found the end, want a number, the name of a parameter or '('");
    CHECK_REFUSED((parameters{{"a", {1, 2}}, {"b", {1, 2}}}), (texts{"a < b", "a > b"}),
                  "constraints 'a < b' (number 1), 'a > b' (number 2): leave nothing together, want some values that "
                  "fulfil them all");
    CHECK_REFUSED(
        (parameters{{"a", {1, 2}}, {"b", {0, 1}}}), (texts{"a > 0", "a // b > 0"}),
        "constraint 'a // b > 0': column 3: division by zero for some values, want a constraint that excludes "
        "them with 'and' or 'or'");
    CHECK_REFUSED((parameters{{"a", {1, 2}}}), texts{"1 > 2"},
                  "constraint '1 > 2': leaves nothing, want one that some values fulfil");
}
