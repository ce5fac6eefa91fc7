// SPDX-License-Identifier: MIT
#include "tunekit/stats/quantile.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tunekit/random/fill.hpp"
#include "tunekit/random/philox.hpp"

namespace tkr = tunekit::random;
namespace stats = tunekit::stats;

TEST_CASE("quantiles of type 7: known answers")
{
    const std::vector<double> x{4, 1, 3, 2};
    CHECK(stats::quantile(x, 0) == 1);
    CHECK(stats::quantile(x, 0.25) == 1.75);
    CHECK(stats::quantile(x, 0.5) == 2.5);
    CHECK(stats::quantile(x, 0.9) == doctest::Approx(3.7));
    CHECK(stats::quantile(x, 1) == 4);
    CHECK(stats::quantile({7}, 0.3) == 7);
}

TEST_CASE("quantile agrees with quantile_of_sorted, ties and infinities included")
{
    const double inf = std::numeric_limits<double>::infinity();
    tkr::philox gen(1);
    for (std::size_t n = 1; n < 30; ++n) {
        std::vector<double> x(n);
        for (auto& v : x) v = static_cast<double>(tkr::uniform_index(6, gen));
        if (n > 9) x[3] = inf;
        std::vector<double> sorted = x;
        std::sort(sorted.begin(), sorted.end());
        for (const double p : {0.0, 0.1, 0.25, 1.0 / 3, 0.5, 0.75, 0.9, 1.0}) {
            CHECK(stats::quantile(x, p) == stats::quantile_of_sorted(sorted, p));
        }
    }
}

TEST_CASE("median: the middle, or half way between the middle two; mad: the same of the deviations")
{
    CHECK(stats::median({5, 1, 3}) == 3);
    CHECK(stats::median({5, 1, 3, 4}) == 3.5);
    CHECK(stats::median_absolute_deviation({1, 1, 2, 2, 4, 6, 9}) == 1);
    CHECK(stats::median_absolute_deviation({3}) == 0);
}

TEST_CASE("what has no quantile is refused, in release builds too")
{
    using namespace tunekit::stats;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS((void)median({}), "tunekit: stats::quantile: no values, want one at least",
                         std::invalid_argument);
    CHECK_THROWS_AS((void)quantile({}, 0.5), std::invalid_argument);
    for (const double p : {-0.5, 2.0, nan}) {
        CHECK_THROWS_WITH_AS((void)quantile({1, 2, 3}, p),
                             "tunekit: stats::quantile: p is outside [0, 1], want a share", std::invalid_argument);
        CHECK_THROWS_AS((void)quantile_of_sorted(std::vector<double>{1, 2}, p), std::invalid_argument);
    }
}
