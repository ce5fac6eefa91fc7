// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Candidates as points, so that distances between them are meaningful.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/screen/concepts.hpp"

namespace tunekit::screen {

/// A matrix of n points: rows of d floats, row-major.
struct point_rows {
    std::vector<float> values;  ///< n x d
    std::size_t d = 0;          ///< coordinates of a point

    [[nodiscard]] std::size_t size() const { return d == 0 ? 0 : values.size() / d; }
    /// Point i. Precondition: i < size().
    [[nodiscard]] std::span<const float> operator[](std::size_t i) const { return std::span(values).subspan(i * d, d); }
};

/// The candidates as points in [0, 1]^d: ordinal / max(1, cardinality - 1) of every parameter.
template <class Space>
[[nodiscard]] point_rows scaled_rows(const Space& space, std::span<const explore::scored_candidate> candidates)
{
    const std::size_t d = space.dimensions();
    std::vector<index> which;
    for (const auto& c : candidates) which.push_back(c.candidate);
    std::vector<std::uint16_t> ordinals(which.size() * d);
    space.ordinals(which, ordinals);
    point_rows out{std::vector<float>(ordinals.size()), d};
    for (std::size_t i = 0; i < ordinals.size(); ++i)
        out.values[i] =
            static_cast<float>(ordinals[i]) / static_cast<float>((std::max)(1, space.cardinalities()[i % d] - 1));
    return out;
}

}  // namespace tunekit::screen
