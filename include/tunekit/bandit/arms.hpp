// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Functions over arms that the bandit rules share.

#include <cstddef>
#include <span>

#include "tunekit/bandit/concepts.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit::bandit {

/// The first active arm that was never pulled, or arms.size() where there is none. Such an arm goes first, because
/// nothing is known of it.
[[nodiscard]] constexpr std::size_t first_unpulled(std::span<const arm> arms)
{
    std::size_t k = 0;
    while (k < arms.size() && !(arms[k].active && arms[k].pulls == 0)) ++k;
    return k;
}

/// The active arm with the highest `score(arm)`; ties go to the first. Precondition: at least one is active; no score
/// is NaN.
template <class Score>
[[nodiscard]] constexpr std::size_t best_active(std::span<const arm> arms, Score&& score)
{
    std::size_t best = arms.size();
    double best_score = 0;
    for (std::size_t k = 0; k < arms.size(); ++k) {
        if (!arms[k].active) continue;
        const double s = score(arms[k]);
        if (best == arms.size() || s > best_score) {
            best = k;
            best_score = s;
        }
    }
    if (best == arms.size()) invalid("bandit: no arm is active, want one at least");
    return best;
}

}  // namespace tunekit::bandit
