// SPDX-License-Identifier: MIT
#include "tunekit/kernels/covering.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "packages/kernels/table/kernel_table.hpp"
#include "tunekit/kernels/conv2d/family.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/space/any_space.hpp"

namespace kernels = tunekit::kernels;

TEST_CASE("a run begins with the list for the vectors that its table was compiled for, here and at x86-64-v3")
{
    const auto& table = kernel_table();
    const auto begins = [&](std::string_view kernel, const tunekit::space::any_space& space) {
        const auto found = kernels::covering(kernel, table.lanes, space, 0);
        const bool recorded =
            std::any_of(std::begin(kernels::detail::covering_lists), std::end(kernels::detail::covering_lists),
                        [&](const auto& l) { return l.kernel == kernel && l.lanes == table.lanes; });
        if (!recorded) {
            CHECK(found.empty());
            return;
        }
        CHECK(found.size() >= 3);  // two may meet in one configuration, or not fit the shape
        const auto names = space.names();
        const auto vl = static_cast<std::size_t>(std::find(names.begin(), names.end(), "vl") - names.begin());
        REQUIRE(vl < names.size());
        int widest = 0;
        for (const tunekit::index i : found) widest = (std::max)(widest, std::stoi(space.texts(i)[vl]));
        CHECK(widest == table.lanes);
    };
    begins("gemm", tunekit::space::any_space(kernels::gemm_space({.m = 4096, .n = 4096, .k = 4096}, table)));
    begins("conv2d", tunekit::space::any_space(kernels::conv2d_family_space(table)));
}
