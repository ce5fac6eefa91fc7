// SPDX-License-Identifier: MIT
#include "tunekit/dispatch/merge.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "packages/dispatch/tests/unit/fixtures.hpp"

namespace dispatch = tunekit::dispatch;

TEST_CASE("what contributors contradict each other in is left out, whatever their order; the rest is of all")
{
    std::vector<dispatch::results> from(3, fixtures::empty_gemm());
    from[0].add(fixtures::row(1, 1, 0, 1e-3));
    from[0].add(fixtures::row(1, 1, 1, 5e-3));
    from[1].add(fixtures::row(1, 1, 0, 3e-3));  // three times as long: one of them is no time of this
    from[1].add(fixtures::row(2, 1, 0, 2e-3, "other box"));
    from[2].add(fixtures::row(1, 1, 0, 1.7e-3));  // contradicts neither
    from[2].add(fixtures::row(1, 1, 1, 4e-3));
    from[2].rows[0].within = {1e-4, 1e-2};
    from.push_back(fixtures::empty_gemm());
    from[3].add(fixtures::row(1, 1, 0, 9e-3));
    from[3].rows[0].at_least = true;  // cut short: it contradicts nobody, so it is not said
    std::vector<std::size_t> order{0, 1, 2, 3};
    do {
        std::vector<dispatch::results> turned;
        for (const std::size_t k : order) turned.push_back(from[k]);
        const auto both = dispatch::merge_all(turned);
        REQUIRE(both.left_out.size() == 1);
        CHECK(both.left_out.front() ==
              "gemm at m=1 n=1 on box: configuration 0 took 1000.000000 us and 3000.000000 us");
        REQUIRE(both.all.rows.size() == 2);
        CHECK(both.all.rows[0].candidate == 1);
        CHECK(both.all.rows[0].seconds == 4e-3);  // the faster of two that agree
        CHECK(both.all.rows[1].device == "other box");
        CHECK(both.all.devices.size() == 2);
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("a device of which nothing is left is not named; other kernels are not merged; nothing is not a result")
{
    auto one = fixtures::empty_gemm(), two = one;
    one.add(fixtures::row(1, 1, 0, 1e-3));
    two.add(fixtures::row(1, 1, 0, 9e-3));
    CHECK(dispatch::merge_all(std::vector{one, two}).all.devices.empty());
    CHECK(dispatch::merge_all(std::vector{one, one}).all == one);
    two.kernel = "conv";
    CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::merge_all(std::vector{one, two})),
                         doctest::Contains("the kernel is \"conv\", here \"gemm\""), tunekit::error);
    CHECK_THROWS_AS(static_cast<void>(dispatch::merge_all({})), std::invalid_argument);
}
