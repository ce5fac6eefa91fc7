// SPDX-License-Identifier: MIT
#include "tunekit/space/dynamic_product.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace sp = tunekit::space;

static_assert(sp::search_space<sp::dynamic_product, tk::random::philox>);
static_assert(sp::typed<sp::dynamic_product>);

TEST_CASE("a dynamic product is the product of the same parts: indices, values, texts, features, fingerprint")
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
    const sp::dynamic_product named({{"x", xs}, {"y", {8, 4, 2, 1}}, {"one", {5}}, {"z", zs}},
                                    {"x % y == 0", "z <= x + one - 5"});

    REQUIRE(named.size() == typed.size());
    CHECK(named.fingerprint() == typed.fingerprint());
    std::size_t wrong = 0;
    for (tk::index i = 0; i < typed.size(); ++i) {
        const auto c = typed.at(i);
        const std::vector<std::int64_t> d{tk::get<"x">(c), tk::get<"y">(c), tk::get<"one">(c), tk::get<"z">(c)};
        wrong += named.at(i) != d || named.index_of(d) != i || named.texts(i) != typed.texts(i);
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

TEST_CASE("sizes of run-time spaces are those of their filtered products")
{
    // The parameters of a tiled 2D convolution as they are written in tuning scripts.
    const std::vector<sp::dynamic_parameter> parameters{{"block_x", {1, 2, 4, 8, 16, 32, 64, 128}},
                                                        {"block_y", {1, 2, 4, 8, 16}},
                                                        {"tile", {1, 2, 3, 4}},
                                                        {"pad", {0, 1}},
                                                        {"shared", {0, 1}}};
    const sp::dynamic_product space(
        parameters,
        {"32 <= block_x * block_y <= 1024", "pad == 0 or block_x % 32 != 0",
         "shared == 0 or (block_x * tile + 14) * (block_y * tile + 14) < 12 * 1024", "not pad or shared != 0"});
    tk::index expected = 0;
    for (const auto x : parameters[0].values)
        for (const auto y : parameters[1].values)
            for (const auto t : parameters[2].values)
                for (const auto pad : parameters[3].values)
                    for (const auto shared : parameters[4].values)
                        expected += 32 <= x * y && x * y <= 1024 && (pad == 0 || x % 32 != 0) &&
                                    (shared == 0 || (x * t + 14) * (y * t + 14) < 12 * 1024) &&
                                    (pad == 0 || shared != 0);
    CHECK(space.size() == expected);
}

#define CHECK_REFUSED(parameters, constraints, message)                                              \
    CHECK_THROWS_WITH_AS((sp::dynamic_product(parameters, constraints)), "tunekit: space: " message, \
                         std::invalid_argument)

TEST_CASE("what makes no space is refused by name")
{
    using parameters = std::vector<sp::dynamic_parameter>;
    using texts = std::vector<std::string>;
    CHECK_REFUSED(parameters{}, texts{}, "has no parameters, want at least one");
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
