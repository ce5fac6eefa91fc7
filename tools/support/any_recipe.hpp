// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A recipe chosen at run time.

#include <type_traits>

#include "tunekit/measure/any_repetition.hpp"
#include "tunekit/schedule/any_schedule.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/tune/recipe.hpp"

namespace tunekit::recipes {

/// A recipe whose parts are known only at run time, for programs that choose them by name.
using any_recipe = recipe<search::any_strategy, measure::any_repetition, schedule::any_schedule>;

/// Turns any recipe into an `any_recipe`. One without a schedule gets `schedule::sequential`.
///
///     std::map<std::string, recipes::any_recipe> known{{"combined", recipes::erased(recipes::combined())}};
template <class S, class R, class D>
[[nodiscard]] any_recipe erased(const recipe<S, R, D>& r)
{
    const auto schedule = [&] {
        if constexpr (std::is_same_v<D, no_schedule>) return schedule::any_schedule(schedule::sequential{});
        else return schedule::any_schedule(r.schedule);
    };
    return {search::any_strategy(r.strategy),
            measure::any_repetition(r.repetition),
            r.limits,
            r.ahead,
            r.slots_per_task,
            schedule(),
            r.carry};
}

}  // namespace tunekit::recipes
