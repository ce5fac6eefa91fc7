// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What tunekit asks of a source of random bits.

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "tunekit/core/config.hpp"

namespace tunekit {

/// A uniform random bit generator: unsigned results, every value of [min, max] equally likely.
/// Every engine of std and Boost.Random fits. tunekit never seeds, copies or keeps one of its callers'.
template <class G>
concept generator = std::unsigned_integral<std::invoke_result_t<G&>> && requires {
    { (G::min)() } -> std::same_as<std::invoke_result_t<G&>>;
    { (G::max)() } -> std::same_as<std::invoke_result_t<G&>>;
    requires (G::min)() < (G::max)();
};

namespace random {

/// 64 independent fair bits from `gen`. One draw of a 64-bit engine, two of a 32-bit one (high half first);
/// an engine of another range is drawn from, 1 bit below its range's width at a time, by rejection.
template <generator G>
[[nodiscard]] constexpr std::uint64_t bits(G& gen)
{
    constexpr auto low = static_cast<std::uint64_t>((G::min)());
    constexpr auto span = static_cast<std::uint64_t>((G::max)()) - low;  // number of values - 1
    if constexpr (span == ~std::uint64_t{0}) {
        return static_cast<std::uint64_t>(gen());
    } else if constexpr (span == 0xffffffffU) {
        const std::uint64_t high = static_cast<std::uint64_t>(gen()) - low;
        return high << 32 | (static_cast<std::uint64_t>(gen()) - low);
    } else {
        constexpr unsigned width = [] {  // the most bits that every 2^width <= span + 1 values can give
            unsigned w = 0;
            while (w < 63 && (std::uint64_t{2} << w) - 1 <= span) ++w;
            return w;
        }();
        std::uint64_t out = 0;
        for (unsigned have = 0; have < 64; have += width) {
            std::uint64_t x;
            do x = static_cast<std::uint64_t>(gen()) - low;
            while (x >> width);
            out = out << width | x;
        }
        return out;
    }
}

}  // namespace random
}  // namespace tunekit
