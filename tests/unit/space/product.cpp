// SPDX-License-Identifier: MIT
#include "tunekit/space/product.hpp"

#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
namespace sp = tunekit::space;

namespace {

enum class axis_name { m, n, k };

std::string to_text(axis_name a)
{
    return a == axis_name::m ? "m" : a == axis_name::n ? "n" : "k";
}

auto design_space(int n)
{
    return sp::product{
        sp::parameter<"mr">({1, 2, 4, 6, 8, 14}),
        sp::parameter<"nv">({1, 2, 3, 4}),
        sp::powers_of_two<"kc">(16, 2048),
        sp::permutation<"order">({axis_name::m, axis_name::n, axis_name::k}),
        sp::split<"tile_n">(n, 3),
        sp::where<"mr", "nv">([](int mr, int nv) { return mr * nv + nv + 1 <= 34; }),
    };
}

using design = decltype(design_space(8));
static_assert(sp::search_space<design, tk::random::philox>);
static_assert(sp::typed<design>);
static_assert(std::regular<design::config>);

}  // namespace

TEST_CASE("a product reads as in the design")
{
    const auto space = design_space(256);
    std::uint64_t tiles = 0;
    for (int mr : {1, 2, 4, 6, 8, 14})
        for (int nv : {1, 2, 3, 4}) tiles += mr * nv + nv + 1 <= 34;
    CHECK(space.size() == tiles * 8 * 6 * 45);
    for (tk::index i = 0; i < space.size(); ++i) {
        const auto p = space.at(i);
        const int mr = tk::get<"mr">(p), nv = tk::get<"nv">(p);
        const std::vector<int>& tile = tk::get<"tile_n">(p);
        REQUIRE(mr * nv + nv + 1 <= 34);
        REQUIRE(tile[0] * tile[1] * tile[2] == 256);
        REQUIRE(space.index_of(p) == i);
    }
    CHECK(space.texts(0) == std::vector<std::string>{"1", "1", "16", "m n k", "256 1 1"});
}
