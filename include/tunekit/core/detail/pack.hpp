// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Packs of doubles that are computed on at once, and sums in a fixed order.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tunekit/core/detail/lanes.hpp"

namespace tunekit::core::detail {

/// A few doubles that are computed on at once: as wide as one register, so that no value is passed in memory. g++ and
/// clang vectorise none of these loops by themselves at -O2, hence the explicit type.
using pack = lanes<double>;
/// The bits of a pack.
using pack_bits = lanes<std::uint64_t>;
/// Numbers in a pack.
inline constexpr std::size_t pack_size = lane_count<double>;

/// Values per block. Sums use this many lanes on every machine, so the width of a register changes no bit of a result.
inline constexpr std::size_t block_size = 8;

/// `n` rounded up to whole blocks.
[[nodiscard]] constexpr std::size_t whole_blocks(std::size_t n)
{
    return (n + block_size - 1) / block_size * block_size;
}

/// Reads a pack from memory that need not be aligned.
[[nodiscard]] inline pack load(const double* from)
{
    pack x;
    std::memcpy(&x, from, sizeof x);
    return x;
}

/// Writes a pack to memory that need not be aligned.
inline void store(const pack& x, double* to) { std::memcpy(to, &x, sizeof x); }

/// The pack of at(0), at(1), ...: for numbers that do not lie side by side. They reach the register without passing
/// memory, where a pack read after numbers written one by one has to wait for the last of them.
template <class F>
[[nodiscard]] pack collect(const F& at)
{
    return [&]<std::size_t... Lane>(std::index_sequence<Lane...>) {
        return pack{at(Lane)...};
    }(std::make_index_sequence<pack_size>());
}

/// The bits of a number, or of each number of a pack.
[[nodiscard]] inline std::uint64_t to_bits(double x) { return std::bit_cast<std::uint64_t>(x); }
[[nodiscard]] inline pack_bits to_bits(pack x) { return reinterpret_cast<pack_bits>(x); }
/// The number of these bits, or the pack of them.
[[nodiscard]] inline double from_bits(std::uint64_t x) { return std::bit_cast<double>(x); }
[[nodiscard]] inline pack from_bits(pack_bits x) { return reinterpret_cast<pack>(x); }

/// A sum in `block_size` lanes. Lane j adds the values at positions j, j + 8, ...; `total` adds the lanes in one fixed
/// order. The sum has the same bits for every register width, compiler and optimisation level.
class lane_sum {
public:
    /// Adds the values at positions [part * pack_size, (part + 1) * pack_size) of a block.
    void add(std::size_t part, const pack& x) { lanes_[part] += x; }

    /// The sum of all lanes.
    [[nodiscard]] double total() const
    {
        double lane[block_size];
        for (std::size_t part = 0; part < block_size / pack_size; ++part) store(lanes_[part], lane + part * pack_size);
        return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
    }

private:
    pack lanes_[block_size / pack_size] = {};
};

}  // namespace tunekit::core::detail
