// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What two models expect of candidates, and the half-and-half mixture of the two.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/search/detail/best_first.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::search::detail {

/// ln(e^a / 2 + e^b / 2): the logarithm of the expected improvement by the mixture of two predictive distributions, where a
/// and b are the logarithms by each.
[[nodiscard]] double log_mixture(double a, double b);

/// Candidates, and the logarithm of the expected improvement of each by two models.
struct two_views {
    std::vector<index> of;
    std::vector<double> by_process, by_forest;

    [[nodiscard]] double mixture(std::size_t k) const { return log_mixture(by_process[k], by_forest[k]); }

    /// The `n` candidates of highest `value(k)`, best first; of equals the earlier.
    template <class Value>
    [[nodiscard]] std::vector<scored_position> best(std::size_t n, const Value& value) const
    {
        std::vector<scored_position> all(of.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = {value(k), static_cast<std::uint32_t>(k)};
        best_first(all, n);
        all.resize((std::min)(n, all.size()));
        return all;
    }
};

}  // namespace tunekit::search::detail

#if TUNEKIT_BODIES
namespace tunekit::search::detail {

TUNEKIT_INLINE double log_mixture(double a, double b)
{
    const double high = (std::max)(a, b), low = (std::min)(a, b);
    if (high == -std::numeric_limits<double>::infinity()) return high;
    return high + std::log1p(std::exp(low - high)) - std::numbers::ln2;
}

}  // namespace tunekit::search::detail
#endif  // TUNEKIT_BODIES
