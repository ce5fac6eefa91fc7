// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Pearson's test of a uniform distribution over cells.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace support {

/// Sum of (observed - expected)^2 / expected.
inline double chi_squared(const std::vector<std::uint64_t>& counts)
{
    std::uint64_t n = 0;
    for (const auto c : counts) n += c;
    const double expected = static_cast<double>(n) / static_cast<double>(counts.size());
    double sum = 0;
    for (const auto c : counts) {
        const double d = static_cast<double>(c) - expected;
        sum += d * d / expected;
    }
    return sum;
}

/// The value that chi_squared of `cells` uniform cells exceeds with probability 1e-6, by Wilson and Hilferty's
/// approximation.
inline double chi_squared_limit(std::size_t cells)
{
    const double k = static_cast<double>(cells) - 1;
    const double v = 2 / (9 * k);
    const double root = 1 - v + 4.753424 * std::sqrt(v);  // the normal quantile of 1 - 1e-6
    return k * root * root * root;
}

}  // namespace support
