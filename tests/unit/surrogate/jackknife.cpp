// SPDX-License-Identifier: MIT
#include "tunekit/surrogate/jackknife.hpp"

#include <doctest/doctest.h>

#include <array>
#include <stdexcept>

namespace tk = tunekit;
using tk::surrogate::jackknife;

static_assert(std::regular<jackknife>);

TEST_CASE("the jackknife of 4 trees over 3 rows, by hand")
{
    // rows (1,2,0,1), (1,0,2,0), (1,1,1,2) over the trees; here one line per tree
    constexpr std::array<std::uint32_t, 12> counts{1, 1, 1, 2, 0, 1, 0, 2, 1, 1, 0, 2};
    const jackknife ij(counts, 4);
    CHECK(ij.variance(std::array<double, 4>{-20, -20, 10, 30}) ==
          doctest::Approx(-42.1875).epsilon(1e-14));  // 112.5 less the bias
    CHECK(ij.variance(std::array<double, 4>{-20, 30, -20, 10}) ==
          doctest::Approx(232.8125).epsilon(1e-14));  // 387.5 less the bias
}

TEST_CASE("many points at once are the points one by one")
{
    constexpr std::array<std::uint32_t, 14> counts{1, 1, 2, 0, 1, 1, 3, 0, 0, 2, 1, 1, 0, 2};
    const jackknife ij(counts, 7);
    std::array<double, 7 * 3> centred{};
    for (std::size_t i = 0; i < centred.size(); ++i) centred[i] = static_cast<double>(i * i % 11) - 5;
    std::array<double, 3> all{};
    ij.variances(centred.data(), 3, all.data());
    for (std::size_t r = 0; r < 3; ++r) {
        std::array<double, 7> c{};
        for (std::size_t b = 0; b < 7; ++b) c[b] = centred[b * 3 + r];
        CHECK(ij.variance(c) == all[r]);
    }
}

TEST_CASE("counts that are no matrix are refused")
{
    constexpr std::array<std::uint32_t, 5> counts{};
    CHECK_THROWS_AS(jackknife(counts, 2), std::invalid_argument);
    CHECK_THROWS_AS(jackknife(counts, 0), std::invalid_argument);
    CHECK_THROWS_AS(jackknife({}, 1), std::invalid_argument);
}
