// SPDX-License-Identifier: MIT
#include "tunekit/space/value.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tunekit/space/product.hpp"
#include "tunekit/space/value_product.hpp"

namespace tk = tunekit;
using namespace std::string_literals;

TEST_CASE("a product makes a configuration of named values, in any order, and says which parameter is wrong")
{
    const tk::space::product space{
        tk::space::powers_of_two<"rows">(std::size_t{1}, std::size_t{64}), tk::space::parameter<"columns">({1, 8}),
        tk::space::parameter<"layout">({"plain", "blocked"}), tk::space::parameter<"scale">({0.5, 2.0}),
        tk::space::where<"rows", "columns">(
            [](std::size_t r, int c) { return r * static_cast<std::size_t>(c) <= 256; })};
    const auto c =
        space.of(tk::value<"layout">("blocked"), tk::value<"scale">(2), tk::value<"rows">(32), tk::value<"columns">(8));
    CHECK(tk::get<"rows">(c) == 32);
    CHECK(tk::get<"columns">(c) == 8);
    CHECK(tk::get<"layout">(c) == "blocked");
    CHECK(tk::get<"scale">(c) == 2.0);
    CHECK(space.at(space.index_of(c).value()) == c);

    const auto with = [&](auto rows, auto columns, const char* layout) {
        return space.of(tk::value<"rows">(rows), tk::value<"columns">(columns), tk::value<"layout">(layout),
                        tk::value<"scale">(0.5));
    };
    CHECK_THROWS_WITH_AS((void)with(33, 8, "plain"),
                         "tunekit: space: of: parameter 'rows' does not have the value 33, want one of its list",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)with(-1, 8, "plain"),
                         "tunekit: space: of: parameter 'rows' does not have the value -1, want one of its list",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)with(32, 8.5, "plain"),
                         "tunekit: space: of: parameter 'columns' does not have the value 8.5, want one of its list",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)with(32, 1e30, "plain"),
                         "tunekit: space: of: parameter 'columns' does not have the value 1e+30, want one of its list",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)with(1, 1, "tiled"),
                         "tunekit: space: of: parameter 'layout' does not have the value tiled, want one of its list",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)with(64, 8, "plain"),
                         "tunekit: space: of: rows = 64, columns = 8, layout = plain, scale = 0.5 breaks a constraint, "
                         "want a configuration of the space",
                         std::invalid_argument);
}

TEST_CASE("a value product makes a configuration by names at run time, and says which parameter is wrong")
{
    const tk::space::value_product flags({{"opt", {"-O2"s, "-O3"s}}, {"unroll", {false, true}}, {"align", {16, 32}}},
                                         {"opt == '-O3' or not unroll"});
    const auto c = flags.of({{"align", 16}, {"unroll", true}, {"opt", "-O3"}});
    CHECK(flags.texts(flags.index_of(c).value()) == std::vector<std::string>{"-O3", "true", "16"});
    CHECK(flags.at(flags.index_of(c).value()) == c);
    const auto refused = [&](const std::vector<std::pair<std::string, tk::space::value>>& values, const char* why) {
        CHECK_THROWS_WITH_AS((void)flags.of(values), why, std::invalid_argument);
    };
    refused({{"opt", "-O3"}, {"unroll", true}}, "tunekit: space: of: parameter 'align' has no value, want one of each");
    refused({{"opt", "-O3"}, {"opt", "-O2"}}, "tunekit: space: of: parameter 'opt' has two values, want one of each");
    refused({{"rows", 3}}, "tunekit: space: of: no parameter is called 'rows', want one of opt, unroll, align");
    refused({{"allign", 16}}, "tunekit: space: of: no parameter is called 'allign', want align");
    refused({{"align", 17}}, "tunekit: space: of: parameter 'align' does not have the value 17, want one of 16, 32");
    refused({{"opt", "-O2"}, {"unroll", true}, {"align", 16}},
            "tunekit: space: of: opt = -O2, unroll = true, align = 16 breaks a constraint, want a configuration of the "
            "space");
}
