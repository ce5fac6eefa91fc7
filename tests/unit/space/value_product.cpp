// SPDX-License-Identifier: MIT
#include "tunekit/space/value_product.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/space/dynamic_product.hpp"

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

TEST_CASE("a value product of integers is the dynamic product of the same parameters")
{
    const sp::value_product of_values(
        {{"x", integers(1, 16)}, {"y", {std::int64_t{8}, std::int64_t{4}, std::int64_t{1}}}}, {"x % y == 0"});
    std::vector<std::int64_t> xs;
    for (std::int64_t v = 1; v <= 16; ++v) xs.push_back(v);
    const sp::dynamic_product of_integers({{"x", xs}, {"y", {8, 4, 1}}}, {"x % y == 0"});
    REQUIRE(of_values.size() == of_integers.size());
    CHECK(of_values.fingerprint() == of_integers.fingerprint());
    for (tk::index i = 0; i < of_values.size(); ++i) {
        CHECK(of_values.texts(i) == of_integers.texts(i));
        CHECK(of_values.index_of(of_values.at(i)) == i);
        CHECK(of_values.index_of_texts(of_values.texts(i)) == i);
        std::vector<float> f(2), g(2);
        of_values.features({&i, 1}, f, sp::encoding::values);
        of_integers.features({&i, 1}, g, sp::encoding::values);
        CHECK(f == g);
    }
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
