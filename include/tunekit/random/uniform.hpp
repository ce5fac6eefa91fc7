// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The two uniform variates: a double in [0, 1), and an integer in [0, n).

#include <cassert>
#include <cstdint>

#include "tunekit/random/generator.hpp"

namespace tunekit::random {

/// A double in [0, 1): one of 2^53 equidistant values. One `bits`.
template <generator G>
[[nodiscard]] constexpr double uniform_01(G& gen)
{
    return static_cast<double>(bits(gen) >> 11) * 0x1p-53;
}

/// An integer in [0, n), unbiased. Precondition: n > 0. One `bits`, rarely more (with probability n / 2^64).
/// Source: Lemire (2019), Fast Random Integer Generation in an Interval, ACM TOMACS 29, algorithm 5.
template <generator G>
[[nodiscard]] constexpr std::uint64_t uniform_index(std::uint64_t n, G& gen)
{
    assert(n > 0);
    __extension__ using wide = unsigned __int128;
    wide m = wide{bits(gen)} * n;
    if (static_cast<std::uint64_t>(m) < n) {
        const std::uint64_t threshold = (0 - n) % n;  // 2^64 mod n: the draws that would favour small results
        while (static_cast<std::uint64_t>(m) < threshold) m = wide{bits(gen)} * n;
    }
    return static_cast<std::uint64_t>(m >> 64);
}

}  // namespace tunekit::random
