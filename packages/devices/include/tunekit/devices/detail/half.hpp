// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Numbers of half precision and of bfloat16, as devices have them and processors' compilers need not.

#include <bit>
#include <cstdint>

namespace tunekit::measure::detail {

/// The bits of the number of half precision (IEEE 754 binary16) that is nearest to `x`; among two the even one. Beyond
/// the largest, 65504, it is infinity.
[[nodiscard]] constexpr std::uint16_t half_of(float x) noexcept
{
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t sign = bits >> 16 & 0x8000U, exponent = bits >> 23 & 0xffU;
    const std::uint32_t fraction = (bits & 0x7fffffU) | (exponent != 0 ? 0x800000U : 0);
    if (exponent == 255) return static_cast<std::uint16_t>(sign | 0x7c00U | ((bits & 0x7fffffU) != 0 ? 0x200U : 0));
    if (exponent > 142) return static_cast<std::uint16_t>(sign | 0x7c00U);
    if (exponent < 102) return static_cast<std::uint16_t>(sign);  // less than half of the least above 0
    const bool normal = exponent > 112;
    const std::uint32_t shift = normal ? 13 : 126 - exponent;
    std::uint32_t out = normal ? ((exponent - 112) << 10) + (fraction >> 13) - 0x400U : fraction >> shift;
    const std::uint32_t rest = fraction & ((1U << shift) - 1), middle = 1U << (shift - 1);
    out += rest > middle || (rest == middle && (out & 1U) != 0) ? 1 : 0;  // may carry into the exponent, as it should
    return static_cast<std::uint16_t>(sign | out);
}

/// The value of a number of half precision, exactly.
[[nodiscard]] constexpr float float_of(std::uint16_t half) noexcept
{
    const std::uint32_t sign = (half & 0x8000U) << 16, exponent = half >> 10 & 31U, fraction = half & 0x3ffU;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float small = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -small : small;
}

/// The bits of the bfloat16 that is nearest to a finite `x`; among two the even one.
[[nodiscard]] constexpr std::uint16_t bfloat16_of(float x) noexcept
{
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

/// The value of a bfloat16, the upper half of a float.
[[nodiscard]] constexpr float float_of_bfloat16(std::uint16_t half) noexcept
{
    return std::bit_cast<float>(std::uint32_t{half} << 16);
}

}  // namespace tunekit::measure::detail
