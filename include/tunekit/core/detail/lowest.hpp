// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The one sort of positions by value: each sort with an order of its own costs a program a hundred functions.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"

namespace tunekit::core::detail {

/// The positions of the `n` lowest of `values`, or of all, the lowest first; of equals the earlier, NaN last. Cost
/// O(all + n log n).
[[nodiscard]] plain_vector<std::uint32_t> lowest(std::span<const double> values, std::size_t n);

}  // namespace tunekit::core::detail

#if TUNEKIT_BODIES
namespace tunekit::core::detail {

TUNEKIT_INLINE plain_vector<std::uint32_t> lowest(std::span<const double> values, std::size_t n)
{
    plain_vector<std::uint32_t> out(values.size());
    std::iota(out.begin(), out.end(), std::uint32_t{0});
    const auto lower = [values](std::uint32_t a, std::uint32_t b) {
        const double x = values[a], y = values[b];
        if (x < y || y < x) return x < y;
        const bool x_last = x != x, y_last = y != y;
        return x_last != y_last ? y_last : a < b;
    };
    if (n < out.size()) {
        if (n <= 8) std::partial_sort(out.begin(), out.begin() + n, out.end(), lower);
        else std::nth_element(out.begin(), out.begin() + n, out.end(), lower);
        out.resize(n);
    }
    std::sort(out.begin(), out.end(), lower);
    return out;
}

}  // namespace tunekit::core::detail
#endif  // TUNEKIT_BODIES
