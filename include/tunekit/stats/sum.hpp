// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Sums in one fixed order: the same bits on every compiler, at every optimisation level and vector width.

#include <array>
#include <cstddef>
#include <span>

#include "tunekit/core/config.hpp"

namespace tunekit::stats {

/// The sum term(0) + ... + term(n - 1) over eight lanes. Term i goes to lane i mod 8. At the end lanes are added in
/// pairs.
///
///     const double squares = stats::sum_of(x.size(), [&](std::size_t i) { return x[i] * x[i]; });
///
/// `term` is called once for each i, ascending. An empty sum is 0.
/// Cost: where `term` is a plain expression, as fast as the machine adds vectors. Rounding errors are an eighth of a
/// loop's.
template <class Term>
[[nodiscard]] constexpr double sum_of(std::size_t n, Term&& term)
{
    std::array<double, 8> lane{};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (std::size_t l = 0; l < 8; ++l) lane[l] += term(i + l);
    }
    for (std::size_t l = 0; i + l < n; ++l) lane[l] += term(i + l);
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// The sum of `x`, in the order of `sum_of`.
[[nodiscard]] constexpr double sum(std::span<const double> x)
{
    return sum_of(x.size(), [x](std::size_t i) { return x[i]; });
}

}  // namespace tunekit::stats
