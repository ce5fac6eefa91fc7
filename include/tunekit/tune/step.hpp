// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One batch of one run: what `tune` repeats and `tune_tasks` shares out.

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/tune/concepts.hpp"
#include "tunekit/tune/trial.hpp"

namespace tunekit {

namespace detail {

/// A cost that is no time cannot be compared: it becomes a failure where measurements enter.
inline void refuse_bad_cost(measure::measurement& m)
{
    if (m.failed || (std::isfinite(m.cost) && m.cost > 0)) return;
    m.failed = measure::failure{.kind = measure::failure_kind::bad_cost, .message = "the measured cost is no positive number"};
}

/// A run's clock without its jumps, of which it is told after each batch.
template <measure::clock Clock>
class steadied {
public:
    explicit steadied(Clock& clock) : clock_(clock) {}

    [[nodiscard]] double operator()() { return clock_() - ahead_; }

    /// The reading after a batch. A batch that ended before it began, or more than ten minutes after twice its limits, ended
    /// when the candidates' own times say, and the clock goes on from there.
    [[nodiscard]] double after(double before, std::span<const measure::measurement> batch, const measure::limits& within)
    {
        const double now = (*this)();
        const double most = 600 + 2 * static_cast<double>(batch.size()) * (within.run_seconds + within.build_seconds);
        double took = 0;
        for (const auto& m : batch) took += m.run_seconds + m.build_seconds;
        if (now >= before && (now - before <= most || took == 0)) return now;  // some measurers tell no times
        ahead_ += now - (before + took);
        return before + took;
    }

private:
    Clock& clock_;
    double ahead_ = 0;  // seconds that the clock is ahead of the run, by its jumps
};

template <class Clock>
double reading_after(Clock& clock, double, std::span<const measure::measurement>, const measure::limits&)
{
    return clock();
}

template <class Clock>
double reading_after(steadied<Clock>& clock, double before, std::span<const measure::measurement> batch,
                     const measure::limits& within)
{
    return clock.after(before, batch, within);
}

}  // namespace detail

/// Measures `batch`, tells the strategy and appends to `record`; then reads the clock, whose reading is returned: the
/// batch's stamp. `before` is the previous reading. Tells a strategy of configurations it did not propose, when called
/// before its first proposal.
///
/// Errors: tunekit::error where the measurer does not answer each candidate once, or one lies outside the space.
template <class Strategy, class Space, class Measurer, class Clock, generator G>
    requires strategy<Strategy, Space, G> && measure::measurer<Measurer> && measure::clock<Clock>
double try_batch(state_of<Strategy, Space>& state, tuning& record, const Space& space, Measurer& measurer,
                 const Strategy& strategy, std::span<const index> batch, const measure::limits& limits, double before,
                 Clock& clock, G& gen)
{
    for (const index i : batch)
        if (i >= space.size()) throw error("tune: configuration " + std::to_string(i) + " lies outside the space");
    std::vector<measure::measurement> measured = measurer.measure(batch, limits);
    if (measured.size() != batch.size()) throw error("tune: the measurer did not answer every candidate of the batch");
    for (auto& m : measured) detail::refuse_bad_cost(m);
    strategy.observe(state, space, batch, measured, gen);
    const double stamp = detail::reading_after(clock, before, measured, limits);
    std::vector<trial> trials(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) trials[i] = {batch[i], std::move(measured[i])};
    record.append(std::move(trials), stamp - before);
    return stamp;
}

/// `try_batch` of what the strategy proposes, at most `n`. An empty proposal sets stop_reason::exhausted and reads no clock.
///
///     auto state = strategy.start(space);
///     tuning record;
///     double now = clock();
///     while (record.stopped == stop_reason::running && record.trials().size() < 512)
///         now = step(state, record, space, measurer, strategy, 8, {}, now, clock, gen);
///
/// Errors: those of `try_batch`.
template <class Strategy, class Space, class Measurer, class Clock, generator G>
    requires strategy<Strategy, Space, G> && measure::measurer<Measurer> && measure::clock<Clock>
double step(state_of<Strategy, Space>& state, tuning& record, const Space& space, Measurer& measurer, const Strategy& strategy,
            std::size_t n, const measure::limits& limits, double before, Clock& clock, G& gen)
{
    const std::vector<index> batch = strategy.propose(state, space, n, gen);
    if (batch.empty()) {
        record.stopped = stop_reason::exhausted;
        return before;
    }
    return try_batch(state, record, space, measurer, strategy, std::span<const index>(batch), limits, before, clock, gen);
}

}  // namespace tunekit
