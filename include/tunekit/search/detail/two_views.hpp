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
#include <span>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/lowest.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::search::detail {

/// ln(e^a / 2 + e^b / 2): the logarithm of the expected improvement by the mixture of two predictive distributions,
/// where a and b are the logarithms by each.
[[nodiscard]] double log_mixture(double a, double b);

/// Candidates, and the logarithm of the expected improvement of each by two models.
struct two_views {
    core::plain_vector<index> of;
    core::plain_vector<double> by_process, by_forest, by_mixture;

    /// Adds candidates.
    void add(std::span<const index> which, std::span<const double> process, std::span<const double> forest);

    /// Positions of the `n` candidates of highest value by one of the members, best first; of equals the earlier. Cost
    /// O(all + n log n).
    [[nodiscard]] core::plain_vector<std::uint32_t> best(std::size_t n, std::span<const double> by) const;
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

TUNEKIT_INLINE void two_views::add(std::span<const index> which, std::span<const double> process,
                                   std::span<const double> forest)
{
    for (std::size_t k = 0; k < which.size(); ++k) {
        of.push_back(which[k]);
        by_process.push_back(process[k]);
        by_forest.push_back(forest[k]);
        by_mixture.push_back(log_mixture(process[k], forest[k]));
    }
}

TUNEKIT_INLINE core::plain_vector<std::uint32_t> two_views::best(std::size_t n, std::span<const double> by) const
{
    core::plain_vector<double> worse;
    worse.reserve(by.size());
    for (const double x : by) worse.push_back(-x);
    return core::detail::lowest(worse, n);
}

}  // namespace tunekit::search::detail
#endif  // TUNEKIT_BODIES
