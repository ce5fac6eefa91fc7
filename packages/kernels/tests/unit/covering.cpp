// SPDX-License-Identifier: MIT
#include "tunekit/kernels/covering.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tunekit/space/dynamic_product.hpp"

namespace kernels = tunekit::kernels;
using tunekit::space::dynamic_product;

TEST_CASE("every configuration of a list has a value for each parameter, and a kernel has one list")
{
    CHECK(std::size(kernels::covering_lists) >= 2);
    for (const auto& l : kernels::covering_lists) {
        const auto names = tunekit::io::words(l.parameters);
        CHECK(std::find(names.begin(), names.end(), "vl") != names.end());
        CHECK((l.configurations.size() >= 4 && l.configurations.size() <= 8));
        for (const auto one : l.configurations) CHECK(tunekit::io::words(one).size() == names.size());
    }
}

TEST_CASE("a list is carried into a space by names and nearest values, for its vectors alone")
{
    const dynamic_product space({{"mr", {1, 2, 4, 6}}, {"vl", {8, 16}}, {"kc", {64, 256}}, {"mine", {1, 2}}},
                                {"mr * kc < 1000"});
    const tunekit::index otherwise = *space.index_of({1, 8, 64, 2});
    const auto found = kernels::covering("gemm", space, otherwise);
    // mr 14, 1, 8, 10 and kc 3072, 256, 768, 1536: with a kc of 256 an mr of 6 is too much
    REQUIRE(found.size() == 1);
    CHECK(space.at(found[0]) == std::vector<std::int64_t>{1, 16, 256, 2});
    CHECK(kernels::covering("gemm", dynamic_product({{"mr", {1, 2}}, {"vl", {8}}}, {}), 0).empty());
    CHECK(kernels::covering("depthwise", space, otherwise).empty());
}
