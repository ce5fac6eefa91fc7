// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The settings of a portfolio that belong to neither of its models.

#include <cstddef>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit::search {

/// Settings of `portfolio` that belong to neither of its models.
struct portfolio_options {
    std::size_t first = 8;           ///< >= 1; configurations before the first fit
    std::size_t first_draws = 64;    ///< >= 1; each is the most isolated of this many random draws; 1: plain random
    double cost_cap_quantile = 0.5;  ///< in (0, 1]; to the forest, failures and slower costs count as this quantile
    std::size_t sample = 2000;       ///< >= 1; random candidates in a list
    std::size_t shortlist = 128;     ///< >= 1; kept of a list by each model, until the next list
    std::size_t process_rows = 300;  ///< >= 16; the most measurements that the Gaussian process sees

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
    require(cost_cap_quantile > 0 && cost_cap_quantile <= 1,
            "portfolio: cost_cap_quantile is outside (0, 1] or NaN, want a share");
    require(sample >= 1, "portfolio: sample is 0, want >= 1");
    require(shortlist >= 1, "portfolio: shortlist is 0, want >= 1");
    require(process_rows >= 16, "portfolio: process_rows is below 16, want >= 16");
}

}  // namespace tunekit::search
#endif  // TUNEKIT_BODIES
