// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The settings of a portfolio that belong to none of its parts.

#include <cstddef>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::search {

/// Settings of `portfolio` that belong to none of its parts.
struct portfolio_options {
    std::size_t first = 8;              ///< configurations before the first model; >= 1
    std::size_t first_draws = 64;       ///< >= 1; each is the most isolated of this many random draws; 1: plain random
    std::size_t refit_each_until = 64;  ///< refit after every measurement until this many have been made
    double growth = 0.2;  ///< > 0; then after this share of those beyond; no round is longer than this share of all
    /// The best by criterion, and by mean, for which the model is asked between complete lists.
    std::size_t shortlist = 512;
    double cost_cap_quantile = 0.5;  ///< in (0, 1]; the model sees valid costs above this quantile, and failures, as it
    std::size_t by_criterion = 1;    ///< proposals of the best by the criterion, in each rotation of
    std::size_t by_mean = 1;         ///< those of the highest mean,
    std::size_t by_step = 1;         ///< those a step from the best; one of the three > 0,
    std::size_t by_second = 1;       ///< those of the second opinion, where there is one,
    std::size_t by_random = 1;       ///< and random ones,
    std::size_t random_until = 32;   ///< until so many were proposed
    std::size_t climb_width = 8;     ///< where the list is not the whole space: neighbourhoods judged in a round,
    std::size_t climb_rounds = 8;    ///< rounds at most,
    std::size_t refit_within = 16;   ///< and measurements at most, >= 1, after which the model is fitted again
    space::encoding encoding = space::encoding::values;

    /// Throws std::invalid_argument where a setting is out of range.
    void check() const;
};

}  // namespace tunekit::search

#if TUNEKIT_BODIES
namespace tunekit::search {

TUNEKIT_INLINE void portfolio_options::check() const
{
    require(first >= 1, "portfolio: first is 0, want >= 1");
    require(first_draws >= 1, "portfolio: first_draws is 0, want >= 1");
    require(growth > 0, "portfolio: growth is not positive, want > 0");
    require(cost_cap_quantile > 0 && cost_cap_quantile <= 1,
            "portfolio: cost_cap_quantile is outside (0, 1] or NaN, want a share");
    require(refit_within >= 1, "portfolio: refit_within is 0, want >= 1");
    require(by_criterion + by_mean + by_step > 0, "portfolio: no proposals of any kind, want one > 0");
}

}  // namespace tunekit::search
#endif  // TUNEKIT_BODIES
