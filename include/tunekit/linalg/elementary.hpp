// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// exp, log and the logistic function on many values at once.

#include <cassert>
#include <limits>
#include <span>

#include "tunekit/core/detail/pack.hpp"

namespace tunekit::linalg {

/// Elementary functions for loops that call them a million times.
///
///     linalg::exp(std::span<const double>(x), std::span<double>(out));
///
/// Each function is one template over `double` and `pack`. Both give the same bits for the same argument, on every
/// x86-64 instruction set, with g++ and clang and at every optimisation level, as long as the compiler does not
/// contract a * b + c (-ffp-contract=off). libm's vector functions do not promise that.
///
/// Accuracy: exp and log within 2 units in the last place of the true value over all finite arguments (tested against
///           std::exp and std::log), logistic within 4.
/// Limits:   exp overflows to +inf and underflows through subnormals to 0; log(0) = -inf, log(x < 0) = NaN; NaN stays
///           NaN.
/// Cost:     1 to 2 ns per value with AVX2, 3 to 4 with SSE2.
/// Source:   the coefficients interpolate at Chebyshev nodes, computed with 60 digits for this library.
namespace detail {

using core::detail::from_bits, core::detail::to_bits;

inline constexpr double log2_e = 1.4426950408889634;
inline constexpr double ln_2_high = 0x1.62e42fefa3800p-1;  // 42 bits: products with an exponent are exact
inline constexpr double ln_2_low = 0x1.ef35793c76730p-45;

inline constexpr double round_to_integer = 0x1.8p52;  // adding it leaves the nearest integer in the low bits

/// 2^f for |f| <= 1/2 is (q + p) / (q - p): tanh(f ln 2 / 2) = p / q, relative error 2e-18.
template <class T>
struct exp2_ratio {
    T p, q;

    explicit exp2_ratio(const T& f)
    {
        const T z = f * f;
        p = f * (0x1.62e42fefa39efp-2 + z * (0x1.2f17f593f8275p-8 + z * 0x1.62cf6948eba92p-18));
        q = 1.0 + z * (0x1.b54ea2363e3e4p-5 + z * 0x1.e01bca4886992p-13);
    }
};

/// 2^n for an integer-valued n in [-1022, 1023].
template <class T>
[[nodiscard]] T power_of_two(const T& n)
{
    return from_bits(to_bits(n + (round_to_integer + 1023.0)) << 52);
}

/// out[i] = f(x[i]), a pack at a time.
template <class F>
void each(std::span<const double> x, std::span<double> out, const F& f)
{
    using core::detail::pack_size;
    assert(x.size() == out.size());
    std::size_t i = 0;
    for (; i + pack_size <= x.size(); i += pack_size)
        core::detail::store(f(core::detail::load(x.data() + i)), out.data() + i);
    for (; i < x.size(); ++i) out[i] = f(x[i]);
}

}  // namespace detail

/// A value with `x` in all lanes. With it one template serves `double` and `pack`.
template <class T>
[[nodiscard]] T all(double x)
{
    return x - T{};  // no instruction: x - 0 is x, where 0 + x turns -0 into 0
}

/// e^x of a number, or of each number of a pack.
template <class T>
[[nodiscard]] T exp(const T& x)
{
    const T high = all<T>(710.0), low = all<T>(-746.0);
    T v = x > high ? high : x;
    v = v < low ? low : v;
    const T n = (v * detail::log2_e + detail::round_to_integer) - detail::round_to_integer;
    const T rest = (v - n * detail::ln_2_high) - n * detail::ln_2_low;
    const detail::exp2_ratio<T> r(rest * detail::log2_e);
    const T half = (n * 0.5 + detail::round_to_integer) - detail::round_to_integer;  // 2^n itself may not be a number
    const T fraction = 1.0 + (r.p + r.p) / (r.q - r.p);  // (q + p) / (q - p), rounded once where it matters
    return fraction * detail::power_of_two<T>(half) * detail::power_of_two<T>(n - half);
}

namespace detail {

/// The logarithm of a positive number that is neither subnormal nor infinite; no other argument is allowed.
template <class T>
[[nodiscard]] T log_of_normal(const T& v)
{
    // v = 2^k m with m in [sqrt(1/2), sqrt(2)): the integer part of the bits above those of sqrt(1/2)
    const auto above = (to_bits(v) - std::uint64_t{0x3fe6a09e667f3bcd} + (std::uint64_t{1024} << 52)) >> 52;
    const T k = from_bits(above | std::uint64_t{0x4330000000000000}) - (0x1p52 + 1024.0);
    const T f = from_bits(to_bits(v) - ((above - std::uint64_t{1024}) << 52)) - 1.0;
    const T s = f / (f + 2.0), z = s * s;  // ln m = 2 atanh s
    const T series =
        z * (0x1.5555555555558p-1 +
             z * (0x1.99999999952e2p-2 +
                  z * (0x1.2492492df148dp-2 +
                       z * (0x1.c71c62e5800a1p-3 +
                            z * (0x1.7462b4ab2ef6bp-3 + z * (0x1.39fe606542ddep-3 + z * 0x1.2b584aae78a57p-3))))));
    // 2 s = f - s f, which keeps the bits that 2 s alone would round away
    return k * detail::ln_2_high + (f - (s * (f - series) - k * detail::ln_2_low));
}

}  // namespace detail

/// ln x of a number, or of each number of a pack.
template <class T>
[[nodiscard]] T log(const T& x)
{
    const T smallest = all<T>((std::numeric_limits<double>::min)()), zero = all<T>(0);
    const T lifted = x < smallest ? x * 0x1p54 : x;
    const T y = detail::log_of_normal(lifted) - (x < smallest ? all<T>(54 * 0.6931471805599453) : zero);
    const T infinity = all<T>(std::numeric_limits<double>::infinity());
    const T number = x == zero ? -infinity : y;
    const T positive = x < zero ? all<T>(std::numeric_limits<double>::quiet_NaN()) : number;
    const T bounded = x == infinity ? infinity : positive;
    return x != x ? x : bounded;  // not a number, lane by lane
}

/// 1 / (1 + e^v) for |v| <= 690, in one division; `v_log2_e` is v times log2(e). No other argument is allowed.
template <class T>
[[nodiscard]] T falling_logistic_2(const T& v_log2_e)
{
    const T shifted = v_log2_e + (detail::round_to_integer + 1023.0);
    const detail::exp2_ratio<T> r(v_log2_e - (shifted - (detail::round_to_integer + 1023.0)));
    const T below = r.q - r.p;
    return below / (below + detail::from_bits(detail::to_bits(shifted) << 52) * (r.q + r.p));
}

/// out[i] = exp(x[i]). Precondition: equal sizes; the spans are the same or do not overlap.
inline void exp(std::span<const double> x, std::span<double> out)
{
    detail::each(x, out, [](const auto& v) { return linalg::exp(v); });
}

/// out[i] = log(x[i]). Precondition: equal sizes; the spans are the same or do not overlap.
inline void log(std::span<const double> x, std::span<double> out)
{
    detail::each(x, out, [](const auto& v) { return linalg::log(v); });
}

}  // namespace tunekit::linalg
