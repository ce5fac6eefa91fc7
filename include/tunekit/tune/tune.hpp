// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The tuning loop over one space.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/step.hpp"

namespace tunekit {

/// Searches `space` with `strategy`, measuring with `measurer`, until the budget ends or the space is exhausted.
///
///     auto found = tk::tune(space, measure, tk::search::annealing{}, {.trials = 512}, gen);
///     if (found.found()) use(space.at(found.incumbent().candidate));
///
/// `clock` is read once at the start and once after each batch; budgets use these readings only. Where it jumps, back or by more
/// than ten minutes beyond twice the batch's limits, the batch counts as long as its measurements say they took.
/// `stop(record)` is asked after each batch and may watch or end the run. A loop of one's own is `step`.
///
/// Errors:     std::invalid_argument for a budget or a parameter out of range; what the measurer throws. Failures of
///             candidates are data. An empty space and a budget of 0 give an empty record that says why it stopped.
/// Randomness: only what the strategy draws from `gen`.
template <class Space, class Measurer, class Strategy, class Clock, class Stop, generator G>
    requires strategy<Strategy, Space, G> && measure::measurer<Measurer> && measure::clock<Clock>
[[nodiscard]] tuning tune(const Space& space, Measurer&& measurer, const Strategy& strategy, const budget& limit, Clock&& clock,
                          Stop&& stop, G& gen)
{
    detail::check(limit);
    auto state = strategy.start(space);
    tuning record;
    detail::steadied steady(clock);
    const double start = steady();
    double now = start;
    while (record.stopped == stop_reason::running) {
        const std::uint64_t done = record.trials().size();
        if (done >= limit.trials) {
            record.stopped = stop_reason::trials;
        } else if (now - start >= limit.seconds) {
            record.stopped = stop_reason::seconds;
        } else if (record.stale() >= limit.patience) {
            record.stopped = stop_reason::patience;
        } else {
            const auto n = static_cast<std::size_t>((std::min)(std::uint64_t{limit.batch}, limit.trials - done));
            now = step(state, record, space, measurer, strategy, n, limit.limits.at(record.best_cost()), now, steady, gen);
            if (record.stopped == stop_reason::running && stop(std::as_const(record))) record.stopped = stop_reason::asked;
        }
    }
    return record;
}

/// The same by the wall clock, to the end of the budget.
template <class Space, class Measurer, class Strategy, generator G>
    requires strategy<Strategy, Space, G> && measure::measurer<Measurer>
[[nodiscard]] tuning tune(const Space& space, Measurer&& measurer, const Strategy& strategy, const budget& limit, G& gen)
{
    return tune(space, measurer, strategy, limit, measure::wall_clock{}, [](const tuning&) { return false; }, gen);
}

}  // namespace tunekit
