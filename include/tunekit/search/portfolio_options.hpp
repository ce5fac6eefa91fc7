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
    std::size_t first = 8;              ///< >= 1; configurations before the first fit of the model
    std::size_t first_draws = 64;       ///< >= 1; each is the most isolated of this many random draws; 1: plain random
    std::size_t refit_each_until = 64;  ///< refit after every measurement until this many have been made
    /// > 0. Beyond `refit_each_until` measurements the model is fitted again after this share of those beyond. No round is
    /// longer than this share of all.
    double growth = 0.2;
    /// Between complete lists the model is asked about the best by criterion and the best by mean, at least this many of
    /// each.
    std::size_t shortlist = 512;
    double cost_cap_quantile = 0.5;  ///< in (0, 1]; failures and valid costs above this quantile count as that quantile
    std::size_t by_criterion = 1;    ///< proposals per rotation of the best by the criterion
    std::size_t by_mean = 1;         ///< proposals per rotation of the highest mean
    std::size_t by_step = 1;         ///< proposals per rotation a step from the best; one of these three is > 0
    std::size_t by_second = 1;       ///< proposals per rotation of the second opinion, where there is one
    std::size_t by_random = 1;       ///< random proposals per rotation, until `random_until`
    std::size_t random_until = 32;   ///< number proposed after which `by_random` no longer counts
    std::size_t climb_width = 8;     ///< neighbourhoods judged in a round, where the list is not the whole space
    std::size_t climb_rounds = 8;    ///< the most rounds of such a climb
    std::size_t refit_within = 16;   ///< >= 1; there, the most measurements after which the model is fitted again
    space::encoding encoding = space::encoding::values;  ///< what the model sees of a configuration

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
