// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Short vectors for walking many rows at once. Lane-wise comparisons, choices and additions only, so that every
/// width gives the same results.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tunekit::surrogate::detail {

// The widest vectors that g++ and clang lower to whole instructions under the flags of this translation unit.
#if defined(__AVX2__)
inline constexpr std::size_t lane_bytes = 32;
#else
inline constexpr std::size_t lane_bytes = 16;
#endif

using float_lanes = float __attribute__((vector_size(lane_bytes)));
using byte_lanes = std::int8_t __attribute__((vector_size(lane_bytes)));
inline constexpr std::size_t floats = lane_bytes / sizeof(float);
inline constexpr std::size_t bytes = lane_bytes;

// By reference: a vector passed by value would change the calling convention with the flags.
template <class Lanes, class T>
inline void load(Lanes& to, const T* from)
{
    std::memcpy(&to, from, sizeof to);
}

template <class Lanes, class T>
inline void store(T* to, const Lanes& from)
{
    std::memcpy(to, &from, sizeof from);
}

}  // namespace tunekit::surrogate::detail
