// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the recorded cases share: values of parameters, and how close a result must be.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/measure/verify.hpp"

namespace programs {

/// Rows of a tile, in the large spaces.
inline const std::vector<std::int64_t> all_rows{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14};
/// Rows of a tile, in the small ones.
inline const std::vector<std::int64_t> some_rows{1, 2, 3, 4, 6, 8, 12};

/// The divisors of n up to a limit, ascending.
inline std::vector<std::int64_t> divisors(std::int64_t n, std::int64_t limit)
{
    std::vector<std::int64_t> out;
    for (std::int64_t d = 1; d <= n && d <= limit; ++d)
        if (n % d == 0) out.push_back(d);
    return out;
}

/// The values of column `j` of a configuration.
inline int at(const std::vector<std::int64_t>& values, std::size_t j) { return static_cast<int>(values[j]); }

/// What is wrong with a result, where it differs by more than 1e-4 of the reference's largest element.
inline auto differs(std::span<const float> got, std::span<const float> reference)
{
    double largest = 0;
    for (const float r : reference) largest = (std::max)(largest, std::fabs(static_cast<double>(r)));
    return tunekit::measure::close_to(got, reference, tunekit::measure::tolerance{.absolute = 1e-4 * largest});
}

}  // namespace programs
