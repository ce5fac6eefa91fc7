// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace support {

/// Numbers in [0, 1) of a 64-bit congruential generator: the same in any language, for problems that other programs
/// solve, too (tests/support/oracles.py).
struct congruential {
    std::uint64_t state;

    double operator()()
    {
        state = 6364136223846793005U * state + 1442695040888963407U;
        return static_cast<double>(state >> 11) * 0x1p-53;
    }

    /// An integer below n.
    std::size_t below(std::size_t n) { return static_cast<std::size_t>((*this)() * static_cast<double>(n)); }
};

}  // namespace support
