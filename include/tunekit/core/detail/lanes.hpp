// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Short vectors: a few numbers that are computed on at once.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tunekit/core/config.hpp"

namespace tunekit::core::detail {

// The widest vectors that g++ and clang lower to whole instructions under the flags of this translation unit. What is
// computed with them is the same, lane by lane, at every width.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
/// The size of a short vector, in bytes.
inline constexpr std::size_t lane_bytes = 64;
#elif defined(__AVX2__)
/// The size of a short vector, in bytes.
inline constexpr std::size_t lane_bytes = 32;
#else
/// The size of a short vector, in bytes.
inline constexpr std::size_t lane_bytes = 16;
#endif

template <class T>
struct lanes_of {
    using type __attribute__((vector_size(lane_bytes))) = T;
};

/// A vector of as many `T` as a register holds. Arithmetic, comparisons and `?:` work on each lane. Pass it by
/// reference: passed by value, its calling convention would depend on compiler flags.
template <class T>
using lanes = typename lanes_of<T>::type;

/// The number of lanes in such a vector.
template <class T>
inline constexpr std::size_t lane_count = lane_bytes / sizeof(T);

/// Reads lanes from memory that need not be aligned.
template <class Lanes, class T>
void load(Lanes& to, const T* from)
{
    struct [[gnu::packed, gnu::may_alias]] anywhere {
        Lanes lanes;
    };
    to = reinterpret_cast<const anywhere*>(from)->lanes;  // no std::memcpy, which g++ 12 divides into halves
}

/// Writes lanes to memory that need not be aligned.
template <class Lanes, class T>
void store(T* to, const Lanes& from)
{
    std::memcpy(to, &from, sizeof from);
}

/// The square root of each lane, float or double, as the machine rounds it. One instruction: a loop over std::sqrt is
/// not, because that may set errno.
template <class Lanes>
[[gnu::always_inline]] inline void sqrt(Lanes& x)
{
#if defined(__x86_64__) && !defined(__clang__)
    constexpr bool floats = std::is_same_v<Lanes, lanes<float>>;
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
    if constexpr (floats) x = __builtin_ia32_sqrtps512_mask(x, x, -1, 4);  // all lanes; 4: rounds as is set
    else x = __builtin_ia32_sqrtpd512_mask(x, x, -1, 4);
#elif defined(__AVX2__)
    if constexpr (floats) x = __builtin_ia32_sqrtps256(x);
    else x = __builtin_ia32_sqrtpd256(x);
#else
    if constexpr (floats) x = __builtin_ia32_sqrtps(x);
    else x = __builtin_ia32_sqrtpd(x);
#endif
#else
    for (std::size_t i = 0; i < sizeof x / sizeof x[0]; ++i) x[i] = std::sqrt(x[i]);
#endif
}

/// Writes the lanes at the places `At`, counted through `a` and on through `b`, to `out`, which may be one of them.
template <std::size_t... At, class Lanes>
[[gnu::always_inline]] inline void shuffle(const Lanes& a, const Lanes& b, Lanes& out)
{
#if defined(__CUDACC__)  // whose front end counts the places of an expanded __builtin_shufflevector as one
    constexpr std::size_t n = sizeof...(At);
    const Lanes chosen = {(At < n ? a[At % n] : b[At % n])...};
    out = chosen;
#else
    out = __builtin_shufflevector(a, b, At...);
#endif
}

/// out[i] = table[at[i] % Entries], a power of two and no less than the lanes.
template <std::size_t Entries>
[[gnu::always_inline]] inline void look_up(const float* table, const lanes<std::uint32_t>& at, lanes<float>& out)
{
#if defined(__x86_64__) && !defined(__clang__) && defined(__AVX2__)
    if constexpr (Entries == lane_count<float>) {
        load(out, table);
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
        out = __builtin_ia32_permvarsf512_mask(out, reinterpret_cast<lanes<int>>(at), out, 0xffff);
#else
        out = __builtin_ia32_permvarsf256(out, reinterpret_cast<lanes<int>>(at));
#endif
        return;
    }
#endif
    for (std::size_t i = 0; i < lane_count<float>; ++i) out[i] = table[at[i] % Entries];
}

}  // namespace tunekit::core::detail
