// SPDX-License-Identifier: MIT
#include "tunekit/curve/detail/fallback.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace curve = tunekit::curve;

TEST_CASE("growth goes on at half its pace: stretches of 2 that grew by 25 % and not at all")
{
    const auto f = curve::detail::growth_forecast(std::vector{0.4, 0.4, 0.4, 0.45, 0.5}, 7);
    CHECK(f.basis == curve::basis::fallback);
    CHECK(f.last == 0.5);
    CHECK(f.mean == doctest::Approx(0.5 * (1 + 0.5 * (0.25 + 0) / 2)));
    CHECK(f.sd == doctest::Approx(0.025));
    CHECK(f.expected_improvement > f.mean - f.last);
    CHECK(f.expected_saving == doctest::Approx(1 / 0.5 - 1 / (0.5 + f.expected_improvement)));
    CHECK(f.low == 0.5);  // of a normal, cut at the last value
    CHECK(f.high == doctest::Approx(f.mean + 1.6448536 * 0.025));
}

TEST_CASE("without a stretch there is no growth; zeros before it are none")
{
    CHECK(curve::detail::growth_forecast(std::vector{0.5}, 3).mean == 0.5);
    CHECK(curve::detail::growth_forecast(std::vector{0.0, 0.0, 0.5}, 4).mean == 0.5);
}
