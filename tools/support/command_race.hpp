// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The end of a run: its best and its default configuration are run afresh, side by side.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/pareto.hpp"
#include "tunekit/tune/tuning.hpp"

namespace programs {

inline constexpr std::size_t front = 12;  // who races for several goals, beside the default

/// The race that ends a run of so many seconds, which may be infinite; then telling two apart may take `short_seconds`. A default
/// that failed is not run again. With goals it is the front that is compared, as many of it as there is time to separate, for as
/// long as the run took where there is no end of seconds. In a round each runs `runs` times.
inline tunekit::final_race race_at_the_end(const tunekit::tuning& record, tunekit::index untuned, double seconds,
                                           const std::vector<std::size_t>& goals, double short_seconds,
                                           std::uint32_t runs = 1)
{
    if (goals.empty()) return {record, untuned, seconds, runs, short_seconds};
    auto line = tunekit::front_finalists(record, goals, front);
    std::erase(line, untuned);
    if (tunekit::detail::measured_of(record, untuned) != nullptr)
        line.insert(line.begin() + (line.empty() ? 0 : 1), untuned);
    const bool limited = seconds < tunekit::forever;
    const double of_race = limited ? tunekit::final_race::most * seconds : (std::max)(short_seconds, record.seconds());
    return {record, std::move(line), of_race, runs};
}

/// The goals beside the cost, as a race has them.
inline tunekit::measure::race_options racing(const std::vector<std::size_t>& goals)
{
    tunekit::measure::race_options out;
    for (const std::size_t k : goals)
        if (k > 0) out.values.push_back(k - 1);
    return out;
}

/// A measurer of a round that tells it: `each(round, candidate, measurement)` hears of one that was not interrupted.
template <class Measurer, class Each>
struct told_round {
    Measurer of;
    Each& each;
    std::uint64_t round;

    [[nodiscard]] std::vector<tunekit::measure::measurement> measure(std::span<const tunekit::index> batch,
                                                                     const tunekit::measure::limits& within)
    {
        auto out = of.measure(batch, within);
        for (std::size_t k = 0; k < batch.size() && !of.stopped(); ++k) {
            out[k].at_least = false;  // as in the race: all of its runs were made
            each(round, batch[k], out[k]);
        }
        return out;
    }
};

/// Runs the race. `fresh()` gives the measurer of a round, which can be interrupted.
template <class Fresh, class Each>
void compare(tunekit::tuning record, const tunekit::final_race& on, const std::vector<std::size_t>& goals,
             Fresh&& fresh, const tunekit::measure::limits& within, Each&& each)
{
    std::uint64_t round = 0;
    const auto lap = [&] {
        return told_round<std::invoke_result_t<Fresh&>, std::remove_reference_t<Each>>{fresh(), each, round++};
    };
    (void)tunekit::race_of(record, on, lap, within, tunekit::measure::wall_clock{},
                           racing(goals));  // `each` has heard all
}

}  // namespace programs
