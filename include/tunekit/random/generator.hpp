// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The concept of a random bit generator, 64 bits from one, and one that repeats draws already made.

#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tunekit/core/config.hpp"

namespace tunekit {

/// A uniform random bit generator: unsigned results, every value of [min, max] equally likely. Every engine of std and
/// Boost.Random fits. tunekit never seeds, copies or keeps a caller's generator.
template <class G>
concept generator = std::unsigned_integral<std::invoke_result_t<G&>> && requires {
    { (G::min)() } -> std::same_as<std::invoke_result_t<G&>>;
    { (G::max)() } -> std::same_as<std::invoke_result_t<G&>>;
};

namespace random {

/// 64 independent fair bits from `gen`: one draw of a 64-bit engine, two of a 32-bit one (high half first). An engine
/// of another range gives the whole bits of its range's width at a time, by rejection.
/// Precondition: max - min is at least 1.
template <generator G>
[[nodiscard]] constexpr std::uint64_t bits(G& gen)
{
    // No constants: in Boost 1.74 min and max are not constexpr. Every compiler folds them.
    const auto low = static_cast<std::uint64_t>((G::min)());
    const auto span = static_cast<std::uint64_t>((G::max)()) - low;  // number of values - 1
    if (span == ~std::uint64_t{0}) return static_cast<std::uint64_t>(gen());
    if (span == 0xffffffffU) {
        const std::uint64_t high = static_cast<std::uint64_t>(gen()) - low;
        return high << 32 | (static_cast<std::uint64_t>(gen()) - low);
    }
    const int width = std::bit_width(span / 2 + span % 2) % 64;  // 2^width <= number of values
    std::uint64_t out = 0;
    for (int have = 0; have < 64; have += width) {
        std::uint64_t x = 0;
        do x = static_cast<std::uint64_t>(gen()) - low;
        while (x >> width);
        out = out << width | x;
    }
    return out;
}

/// Draws already made, then those of `gen`: a generator of 64 bits.
template <generator G>
struct drawn_first {
    using result_type = std::uint64_t;     ///< the type of a draw
    std::span<const std::uint64_t> drawn;  ///< what comes first
    G& gen;                                ///< what comes then

    /// the least draw
    static constexpr result_type(min)() { return 0; }
    /// the greatest draw
    static constexpr result_type(max)() { return ~result_type{0}; }

    /// The next draw.
    constexpr result_type operator()()
    {
        if (drawn.empty()) return bits(gen);
        const result_type x = drawn.front();
        drawn = drawn.subspan(1);
        return x;
    }
};

}  // namespace random
}  // namespace tunekit
