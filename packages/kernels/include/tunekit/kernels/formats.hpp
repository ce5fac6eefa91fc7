// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Number formats of matrix products: what the elements of A, B and C are.

#include <bit>
#include <cstdint>

namespace tunekit::kernels {

/// A number of 16 bits: the upper half of a float, with 8 bits of precision and the range of a float.
struct bfloat16 {
    std::uint16_t bits = 0;  ///< sign, 8 bits of exponent, 7 of fraction

    /// The number of 16 bits nearest to x, of two equally near ones the one whose last bit is 0. Too large a number
    /// becomes infinite, subnormal ones stay subnormal, and NaN stays NaN (quiet).
    [[nodiscard]] static constexpr bfloat16 nearest(float x) noexcept
    {
        const auto u = std::bit_cast<std::uint32_t>(x);
        if ((u & 0x7fffffffU) > 0x7f800000U) return {static_cast<std::uint16_t>((u >> 16) | 0x40U)};
        return {static_cast<std::uint16_t>((u + 0x7fffU + ((u >> 16) & 1U)) >> 16)};
    }

    /// The same number as a float; exact.
    [[nodiscard]] constexpr operator float() const noexcept
    {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    }

    friend bool operator==(const bfloat16&, const bfloat16&) = default;  ///< of the bits: 0 and -0 differ
};

/// The formats of products. Each names the types of A's, B's and C's elements (`left`, `right`, `sum`) and `group`, the
/// number of steps of k that one instruction multiplies and adds up.
namespace formats {

/// Single precision throughout.
struct fp32 {
    using left = float;                          ///< of A
    using right = float;                         ///< of B
    using sum = float;                           ///< of C
    static constexpr int group = 1;              ///< steps of k of an instruction
    static constexpr const char* name = "fp32";  ///< in messages
};

/// Double precision throughout.
struct fp64 {
    using left = double;                         ///< of A
    using right = double;                        ///< of B
    using sum = double;                          ///< of C
    static constexpr int group = 1;              ///< steps of k of an instruction
    static constexpr const char* name = "fp64";  ///< in messages
};

/// Operands of 16 bits, sums in single precision.
///
/// One step adds a pair of products to a sum c: fma(a0, b0, fma(a1, b1, c)), the second of the pair first. Each of the
/// two is rounded to nearest even, and subnormal operands, sums and results count as 0 with their sign. That is what
/// the instruction vdpbf16ps does, whatever the rounding mode, and what plain code does where it is missing.
struct bf16 {
    using left = bfloat16;                       ///< of A
    using right = bfloat16;                      ///< of B
    using sum = float;                           ///< of C
    static constexpr int group = 2;              ///< steps of k of an instruction
    static constexpr const char* name = "bf16";  ///< in messages
};

/// Bytes without a sign by bytes with one, sums of 32 bits. Exact while a sum fits: up to k = 65793 whatever the
/// operands. A larger sum wraps around modulo 2^32, as with the instruction vpdpbusd.
struct u8s8 {
    using left = std::uint8_t;                   ///< of A
    using right = std::int8_t;                   ///< of B
    using sum = std::int32_t;                    ///< of C
    static constexpr int group = 4;              ///< steps of k of an instruction
    static constexpr const char* name = "u8s8";  ///< in messages
};

}  // namespace formats

}  // namespace tunekit::kernels
