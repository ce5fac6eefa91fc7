// SPDX-License-Identifier: MIT
#pragma once

// The data of the sampler's and the belief's work items: SplitMix64 on a counter, Box and Muller's cosine branch.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace bench {

inline std::uint64_t bits(std::uint64_t seed, std::uint64_t i)
{
    std::uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

inline double u01(std::uint64_t seed, std::uint64_t i) { return static_cast<double>(bits(seed, i) >> 11) * 0x1p-53; }

inline double normal(std::uint64_t seed, std::uint64_t i)
{
    return std::sqrt(-2 * std::log1p(-u01(seed, 2 * i))) * std::cos(2 * std::numbers::pi * u01(seed, 2 * i + 1));
}

/// SplitMix64 as an engine: cheap enough that a sampler's own work is what is seen.
struct splitmix {
    using result_type = std::uint64_t;
    static constexpr result_type(min)() { return 0; }
    static constexpr result_type(max)() { return ~result_type{0}; }
    result_type operator()() { return bits(seed, next++); }
    std::uint64_t seed = 1, next = 0;
};

/// `walkers` points around `centre`, walker by walker.
inline std::vector<double> walkers(std::span<const double> centre, double sd, std::uint64_t seed, std::size_t n)
{
    std::vector<double> out(n * centre.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = centre[i % centre.size()] + sd * normal(seed, i);
    return out;
}

}  // namespace bench
