// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How pairs of bfloat16 and fours of bytes become sums: by the machine's dot-product instructions, or by plain code
/// that computes the same.

#if defined(__AVX512BF16__) || defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

#include "tunekit/kernels/detail/tile.hpp"

namespace tunekit::kernels::detail {

/// The group of a row's elements that one lane multiplies, as the 32 bits that they are.
template <class T>
[[gnu::always_inline]] inline std::int32_t read_group(const T* x)
{
    std::int32_t bits;
    std::memcpy(&bits, x, sizeof(bits));
    return bits;
}

/// Subnormal numbers become 0 with their sign.
template <class Bits>
[[gnu::always_inline]] inline void flush_bits(Bits& v)
{
    const auto normal = (v & 0x7f800000U) != 0U;
    v &= reinterpret_cast<Bits>(normal) | 0x80000000U;
}

/// One of the two products of a pair, added: y = fma(w, x, y), each of them flushed. `w` and `x` are floats' bits.
template <int VL>
[[gnu::always_inline]] inline void add_bf16(typename vector_of<VL>::type& y,
                                            const typename vector_of<VL, std::uint32_t>::type& w,
                                            const typename vector_of<VL, std::uint32_t>::type& x)
{
    using bits = typename vector_of<VL, std::uint32_t>::type;
    bits wb = w, xb = x, yb;
    std::memcpy(&yb, &y, sizeof(yb));
    flush_bits(wb);
    flush_bits(xb);
    flush_bits(yb);
    typename vector_of<VL>::type wf, xf, yf;
    std::memcpy(&wf, &wb, sizeof(wf));
    std::memcpy(&xf, &xb, sizeof(xf));
    std::memcpy(&yf, &yb, sizeof(yf));
    for (int l = 0; l < VL; ++l) yf[l] = __builtin_fmaf(wf[l], xf[l], yf[l]);
    std::memcpy(&yb, &yf, sizeof(yb));
    flush_bits(yb);
    std::memcpy(&y, &yb, sizeof(y));
}

template <int VL, machine M>
struct arithmetic<formats::bf16, VL, M> {
    using sums = typename vector_of<VL>::type;
    using weights = typename vector_of<VL, std::int32_t>::type;
    using input = std::int32_t;

    [[gnu::always_inline]] static input read(const bfloat16* x) { return read_group(x); }
    [[gnu::always_inline]] static void add(sums& y, const weights& w, input x) { add(y, w, x - weights{}); }
    [[gnu::always_inline]] static void add(sums& y, const weights& w, const weights& x)
    {
#if defined(__AVX512BF16__)
        if constexpr (VL == 16 && M.bf16_lanes >= 16) {
            y = reinterpret_cast<sums>(_mm512_dpbf16_ps(reinterpret_cast<__m512>(y), reinterpret_cast<__m512bh>(x),
                                                        reinterpret_cast<__m512bh>(w)));
            return;
        }
#endif
        using bits = typename vector_of<VL, std::uint32_t>::type;
        bits wb, xb;
        std::memcpy(&wb, &w, sizeof(wb));
        std::memcpy(&xb, &x, sizeof(xb));
        add_bf16<VL>(y, wb & 0xffff0000U, xb & 0xffff0000U);
        add_bf16<VL>(y, wb << 16, xb << 16);
    }
};

template <int VL, machine M>
struct arithmetic<formats::u8s8, VL, M> {
    using sums = typename vector_of<VL, std::int32_t>::type;
    using weights = sums;
    using input = std::int32_t;

    [[gnu::always_inline]] static input read(const std::uint8_t* x) { return read_group(x); }
    [[gnu::always_inline]] static void add(sums& y, const weights& w, input x) { add(y, w, x - weights{}); }
    [[gnu::always_inline]] static void add(sums& y, const weights& w, const weights& x)
    {
#if defined(__AVX512VNNI__)
        if constexpr (VL == 16 && M.u8s8_lanes >= 16) {
            y = reinterpret_cast<sums>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(y), reinterpret_cast<__m512i>(x),
                                                           reinterpret_cast<__m512i>(w)));
            return;
        }
#endif
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
        if constexpr (VL == 8 && M.u8s8_lanes >= 8) {
            y = reinterpret_cast<sums>(_mm256_dpbusd_epi32(reinterpret_cast<__m256i>(y), reinterpret_cast<__m256i>(x),
                                                           reinterpret_cast<__m256i>(w)));
            return;
        }
#elif defined(__AVXVNNI__)
        if constexpr (VL == 8 && M.u8s8_lanes >= 8) {
            y = reinterpret_cast<sums>(_mm256_dpbusd_avx_epi32(
                reinterpret_cast<__m256i>(y), reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(w)));
            return;
        }
#endif
        using bits = typename vector_of<VL, std::uint32_t>::type;  // sums wrap around
        bits sum;
        std::memcpy(&sum, &y, sizeof(sum));
        for (int i = 0; i < 4; ++i) {
            const sums left = (x >> (8 * i)) & 0xff, right = (w << (24 - 8 * i)) >> 24, product = left * right;
            bits p;
            std::memcpy(&p, &product, sizeof(p));
            sum += p;
        }
        std::memcpy(&y, &sum, sizeof(y));
    }
};

}  // namespace tunekit::kernels::detail
