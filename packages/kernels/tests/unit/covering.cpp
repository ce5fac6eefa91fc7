// SPDX-License-Identifier: MIT
#include "tunekit/kernels/covering.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/space/value_product.hpp"

namespace kernels = tunekit::kernels;
using tunekit::space::value_product;

TEST_CASE("a kernel has one list for a width of vectors; each of its configurations has a value for each parameter")
{
    CHECK(std::size(kernels::detail::covering_lists) >= 2);
    for (const auto& l : kernels::detail::covering_lists) {
        CHECK(std::count_if(std::begin(kernels::detail::covering_lists), std::end(kernels::detail::covering_lists),
                            [&](const auto& o) { return o.kernel == l.kernel && o.lanes == l.lanes; }) == 1);
        const auto names = tunekit::io::words(l.parameters);
        const auto vl = std::find(names.begin(), names.end(), "vl") - names.begin();
        CHECK((l.configurations.size() >= 4 && l.configurations.size() <= 8));
        for (const auto one : l.configurations) {
            const auto values = tunekit::io::words(one);
            REQUIRE(values.size() == names.size());
            CHECK(std::stoi(std::string(values[static_cast<std::size_t>(vl)])) <= l.lanes);
        }
    }
}

TEST_CASE("a list is carried into a space by names and nearest values, for its vectors alone")
{
    const value_product space({{"mr", {1, 2, 4, 6}}, {"vl", {8, 16}}, {"kc", {64, 256}}, {"mine", {1, 2}}},
                              {"mr * kc < 1000"});
    const tunekit::index otherwise = *space.index_of({1, 8, 64, 2});
    const auto found = kernels::covering("gemm", 16, space, otherwise);
    // mr 14, 1, 8, 10 and kc 3072, 256, 768, 1536: with a kc of 256 an mr of 6 is too much
    REQUIRE(found.size() == 1);
    CHECK(space.at(found[0]) == value_product::config{1, 16, 256, 2});
    for (const tunekit::index i : kernels::covering("gemm", 8, space, otherwise)) CHECK(space.texts(i)[1] == "8");
    CHECK(kernels::covering("gemm", 8, space, otherwise) != found);
    CHECK(kernels::covering("gemm", 4, space, otherwise).empty());  // no recording of SSE2 or Neon
    CHECK(kernels::covering("depthwise", 16, space, otherwise).empty());
}
