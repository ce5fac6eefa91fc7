// SPDX-License-Identifier: MIT
#include "tunekit/kernels/formats.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

TEST_CASE("bfloat16 has known bits")
{
    CHECK(bfloat16::nearest(1.0F).bits == 0x3f80);
    CHECK(bfloat16::nearest(-2.0F).bits == 0xc000);
    CHECK(bfloat16::nearest(-0.0F).bits == 0x8000);
    CHECK(bfloat16::nearest(1.0F + 0x1p-8F).bits == 0x3f80);                     // a tie: 1 is even
    CHECK(bfloat16::nearest(1.0F + 0x3p-8F).bits == 0x3f82);                     // a tie: the one above is even
    CHECK(bfloat16::nearest(1.0F + 0x1p-8F + 0x1p-20F).bits == 0x3f81);          // more than half
    CHECK(bfloat16::nearest(std::numeric_limits<float>::max()).bits == 0x7f80);  // infinity is nearer
    CHECK(bfloat16::nearest(-std::numeric_limits<float>::infinity()).bits == 0xff80);
    CHECK(bfloat16::nearest(0x1p-133F).bits == 0x0001);  // the least subnormal one
    CHECK(bfloat16::nearest(0x1p-134F).bits == 0x0000);  // a tie with 0
    const bfloat16 nan =
        bfloat16::nearest(std::bit_cast<float>(0x7f800001U));  // whose upper half alone would be infinite
    CHECK(std::isnan(float(nan)));
    CHECK(nan.bits == 0x7fc0);
    static_assert(float(bfloat16{0x4049}) == 3.140625F);
}

TEST_CASE("every bfloat16 survives the way to float and back")
{
    int wrong = 0;
    for (std::uint32_t i = 0; i < 65536; ++i) {
        const bfloat16 x{static_cast<std::uint16_t>(i)};
        if (std::isnan(float(x))) wrong += !std::isnan(float(bfloat16::nearest(float(x))));
        else wrong += !(bfloat16::nearest(float(x)) == x);
    }
    CHECK(wrong == 0);
}

TEST_CASE("a float becomes the nearest bfloat16, of two the even one")
{
    tk::random::philox gen(5);
    int wrong = 0;
    for (int i = 0; i < 200'000; ++i) {
        auto bits = static_cast<std::uint32_t>(gen());
        if (i % 3 == 0) bits = (bits & 0xffff0000U) | 0x8000U;  // ties
        const auto x = std::bit_cast<float>(bits);
        if (!(std::fabs(x) < 0x1.fep127F)) continue;
        const std::uint32_t cut = bits >> 16;
        const auto below = static_cast<double>(float(bfloat16{static_cast<std::uint16_t>(cut)})),
                   above = static_cast<double>(float(bfloat16{static_cast<std::uint16_t>(cut + 1)}));  // away from 0
        const double down = std::fabs(static_cast<double>(x) - below), up = std::fabs(above - static_cast<double>(x));
        const std::uint32_t want = down < up || (down == up && cut % 2 == 0) ? cut : cut + 1;
        wrong += bfloat16::nearest(x).bits != want;
    }
    CHECK(wrong == 0);
}
