// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Operands for kernels.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace programs {

/// n floats, uniform in [-1, 1).
template <tunekit::generator G>
std::vector<float> noise(std::integral auto n, G& gen)
{
    std::vector<float> out(static_cast<std::size_t>(n));
    for (float& x : out) x = static_cast<float>(2 * tunekit::random::uniform_01(gen) - 1);
    return out;
}

/// The same from a stream of its own.
std::vector<float> noise(std::integral auto n, std::uint64_t which)
{
    tunekit::random::philox gen(which);
    return noise(n, gen);
}

}  // namespace programs
