// SPDX-License-Identifier: MIT
// The infinitesimal jackknife beside forestci, on 20 problems of 5 to 138 trees over 8 to 38 rows. forestci's calibration
// is left out there: it draws halves of the forest at random, and we have none. Where it multiplies the variance of draws without
// replacement, these problems have none such.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "tests/support/congruential.hpp"
#include "tests/unit/surrogate/forestci.hpp"
#include "tunekit/surrogate/jackknife.hpp"

TEST_CASE("the jackknife equals forestci's variance, uncalibrated, on 20 problems and two points, to rounding")
{
    REQUIRE(std::size(forestci::rows) == 20);
    for (std::size_t p = 0; p < 20; ++p) {
        CAPTURE(p);
        support::congruential u{p + 1};
        const std::size_t trees = 5 + 7 * p, n = 8 + 5 * (p % 7);
        std::vector<std::uint32_t> counts(trees * n);
        for (std::size_t b = 0; b < trees; ++b)
            for (std::size_t draw = 0; draw < n; ++draw) ++counts[b * n + u.below(n)];
        // At the first point trees follow how often they saw row 0, at the second they are noise.
        std::vector<double> centred(2 * trees);
        double mean[2] = {0, 0};
        for (std::size_t b = 0; b < trees; ++b) {
            centred[2 * b] = 10 * counts[b * n] + u();
            centred[2 * b + 1] = 3 * u();
            for (std::size_t r = 0; r < 2; ++r) mean[r] += centred[2 * b + r] / static_cast<double>(trees);
        }
        for (std::size_t i = 0; i < centred.size(); ++i) centred[i] -= mean[i % 2];
        double out[2];
        tunekit::surrogate::jackknife(counts, trees).variances(centred.data(), 2, out);
        // The scale: both are differences of two sums of that size.
        CHECK(out[0] == doctest::Approx(forestci::rows[p].led).epsilon(1e-12).scale(100));
        CHECK(out[1] == doctest::Approx(forestci::rows[p].noise).epsilon(1e-12));
    }
}
