// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The singular values of a tall matrix, for condition numbers.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/detail/unit.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit::linalg {

/// The singular values of an n x d matrix, n >= d, given column by column, largest first.
///
/// It rotates pairs of columns until all are orthogonal. Their lengths are the singular values. Small ones are as
/// accurate, relative to the largest, as the number format allows. A condition number of 1e8 needs that, and the Gram
/// matrix cannot give it.
///
/// Entries may have any scale. All values are NaN where an entry is NaN or infinite.
///
/// Cost:       O(n d^2) per sweep, at most 60 sweeps, commonly 6.
/// Source:     Hestenes (1958), Inversion of Matrices by Biorthogonalization, J. SIAM 6, 51-90.
/// Departures: none. Sums are in a fixed order, so that the width of a register does not decide whether an ensemble is
///             accepted.
[[nodiscard]] inline std::vector<double> singular_values(std::vector<double> columns, std::size_t n)
{
    require(n > 0 && columns.size() % n == 0 && columns.size() / n <= n,
            "singular_values: fewer rows than columns, want n >= d");
    const std::size_t d = columns.size() / n;
    if (!std::all_of(columns.begin(), columns.end(), [](double x) { return std::isfinite(x); }))
        return std::vector<double>(d, std::numeric_limits<double>::quiet_NaN());
    const double unit = core::detail::unit_of(core::detail::largest_magnitude(columns));
    if (unit != 1)
        for (double& x : columns) x /= unit;
    const auto dot = [&](std::size_t a, std::size_t b) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += columns[a * n + i] * columns[b * n + i];
        return sum;
    };
    bool rotated = true;
    for (int sweep = 0; rotated && sweep < 60; ++sweep) {
        rotated = false;
        for (std::size_t a = 0; a + 1 < d; ++a)
            for (std::size_t b = a + 1; b < d; ++b) {
                const double aa = dot(a, a), bb = dot(b, b), ab = dot(a, b);
                if (!(std::abs(ab) > std::numeric_limits<double>::epsilon() * std::sqrt(aa * bb))) continue;
                rotated = true;
                const double zeta = (bb - aa) / (2 * ab);
                const double t = (zeta < 0 ? -1.0 : 1.0) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
                const double c = 1 / std::sqrt(1 + t * t), s = c * t;
                for (std::size_t i = 0; i < n; ++i) {
                    const double x = columns[a * n + i], y = columns[b * n + i];
                    columns[a * n + i] = c * x - s * y;
                    columns[b * n + i] = s * x + c * y;
                }
            }
    }
    std::vector<double> values(d);
    for (std::size_t a = 0; a < d; ++a) values[a] = std::sqrt(dot(a, a)) * unit;
    std::sort(values.begin(), values.end(), [](double x, double y) { return x > y; });
    return values;
}

}  // namespace tunekit::linalg
