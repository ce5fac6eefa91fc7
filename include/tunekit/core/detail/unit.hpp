// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A power of two to divide by, so that squares of very large and very small numbers are numbers.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

namespace tunekit::core::detail {

/// The largest magnitude among `x`; 0 for none. A NaN does not count.
[[nodiscard]] constexpr double largest_magnitude(std::span<const double> x)
{
    double out = 0;
    for (const double v : x) out = (std::max)(out, v < 0 ? -v : v);
    return out;
}

/// The unit of numbers up to `largest`: a power of two by which they are divided before they are squared and summed. It
/// is 1 where that is not needed, within 2^-300 and 2^300, and where `largest` is 0 or infinite.
[[nodiscard]] constexpr double unit_of(double largest)
{
    if (!(largest > 0 && largest <= (std::numeric_limits<double>::max)())) return 1;
    if (largest > 0x1p-300 && largest < 0x1p300) return 1;
    // the number without its fraction; of subnormal ones the smallest normal number
    const std::uint64_t power = std::bit_cast<std::uint64_t>(largest) & 0x7ff0000000000000U;
    return (std::max)(std::bit_cast<double>(power), (std::numeric_limits<double>::min)());
}

}  // namespace tunekit::core::detail
