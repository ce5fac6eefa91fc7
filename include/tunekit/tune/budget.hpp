// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The limits of a run: trials, seconds, patience, expected gain, a cost that is good enough. And the clock that its
/// seconds are read from.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit {

/// The value of a count that has no limit.
inline constexpr std::uint64_t unlimited = (std::numeric_limits<std::uint64_t>::max)();
/// The value of a number of seconds that has no limit.
inline constexpr double forever = std::numeric_limits<double>::infinity();

/// The limits of one candidate, relative to the incumbent of the run.
struct candidate_limits {
    /// > 1; a candidate this many times as slow as the incumbent of the moment at which it begins to run may be cut
    /// short. If it is finite and there is no incumbent yet, a candidate has three batches of the repetition policy.
    double abandon_factor = forever;
    double max_run_seconds = 10;    ///< > 0; wall time of its runs
    double max_build_seconds = 10;  ///< > 0; wall time of its build
    /// > 1; from the tenth build of its space on, and by a measurer of times without a clock of its own, a build may
    /// take this many times what nine tenths of them took, and 0.3 s at least. One that takes longer is put off: nobody
    /// hears of it, and it is built once more, within `max_build_seconds`, when nothing else is to be done. +inf:
    /// never.
    double max_build_factor = 5;

    /// The limits of a job that goes out while the incumbent costs `best` (+inf: not known yet).
    [[nodiscard]] measure::limits at(double best) const
    {
        return {.abandon_above = abandon_factor < forever ? abandon_factor * best : forever,
                .run_seconds = max_run_seconds,
                .build_seconds = max_build_seconds,
                .abandon_factor = abandon_factor};
    }
};

/// The budget of one space. The run ends at the limit that it reaches first. The limits are checked when a job is asked
/// for, so jobs that are out may overrun `seconds`.
struct budget {
    std::uint64_t trials = unlimited;    ///< the most trials, failed ones included
    double seconds = forever;            ///< >= 0; the most seconds by the run's clock
    std::uint64_t patience = unlimited;  ///< >= 1; answers without improvement, counted once there is an incumbent
    /// >= 0; the seconds that a second of tuning must be expected to save, by `gain_rate`. 0: the rule never ends the
    /// run. It applies from the eighth answer on, once there is an incumbent. Infinity ends the run there.
    double stop_when_gain_below = 0;
    double calls = 0;  ///< calls of the winner in use; > 0 if stop_when_gain_below is
    /// >= 0; the run ends once the incumbent costs no more than this. 0: the rule never ends it.
    double until_cost = 0;
};

/// The budget of several tasks.
struct tasks_budget {
    double seconds = forever;                   ///< >= 0; the seconds of the whole run, all tasks together
    std::uint64_t trials_per_task = unlimited;  ///< the most trials of each task, failed ones included
    std::uint64_t patience = unlimited;         ///< >= 1; answers of one task without improvement
    double slot_seconds = 0;                    ///< >= 0; the length of a slot; 0: see `slot`
    /// >= 1; workers on one task at a time; 1 if schedules are compared.
    std::uint64_t max_workers_per_task = unlimited;

    /// The length of a slot for `n` tasks, in seconds. It is `slot_seconds` if that is above 0, otherwise seconds /
    /// (slots_per_task n), held within [0.1, 100] s.
    [[nodiscard]] double slot(std::size_t n, double slots_per_task = 20) const
    {
        if (slot_seconds > 0) return slot_seconds;
        const double share = seconds / (slots_per_task * static_cast<double>(n));
        return share < 0.1 ? 0.1 : share > 100 ? 100 : share;
    }
};

/// The seconds since its construction, read from a clock that may jump. `tune` uses it for the stamps of its tuner, and
/// your own loop can use it too.
///
///     tk::run_clock time{tk::measure::wall_clock{}};
///     while (auto job = t.ask()) {
///         auto m = measure_one(*job);
///         t.tell(*job, m, time.after({&m, 1}, job->limits));
///     }
///
/// The clock is read once here and once per `after`.
template <measure::clock Clock>
class run_clock {
public:
    /// Begins at 0, with a reading of the clock.
    explicit run_clock(Clock clock) : clock_(std::move(clock)), start_(clock_()) {}

    /// The time after a batch. Three kinds of readings are refused: before the batch began, not a finite number, or
    /// more than ten minutes after twice the batch's limits. Such a batch counts as long as its candidates' own times,
    /// and the clock goes on from there.
    [[nodiscard]] double after(std::span<const measure::measurement> batch, const measure::limits& within)
    {
        const double reading = clock_();
        double took = 0;
        for (const auto& m : batch) took += m.run_seconds + m.build_seconds;
        if (!std::isfinite(start_)) start_ = reading - (last_ + took);  // the first reading was not finite
        const double now = reading - start_;
        const double most = 600 + 2 * static_cast<double>(batch.size()) * (within.run_seconds + within.build_seconds);
        const bool jumped =
            !(now >= last_ && std::isfinite(now)) || (now - last_ > most && took > 0);  // some measurers give no times
        if (jumped && std::isfinite(now)) start_ += now - (last_ + took);
        return last_ = jumped ? last_ + took : now;
    }

    [[nodiscard]] double last() const noexcept { return last_; }  ///< the last value of `after`; 0 before there is one

private:
    Clock clock_;
    double start_;  // the clock's reading at the run's zero, moved by its jumps
    double last_ = 0;
};

namespace detail {

inline void check(const candidate_limits& l)
{
    require(l.abandon_factor > 1, "candidate_limits: abandon_factor is 1 or less, want > 1 (infinity: never)");
    require(l.max_run_seconds > 0 && l.max_build_seconds > 0,
            "candidate_limits: max_run_seconds or max_build_seconds is not positive, want > 0");
    require(l.max_build_factor > 1, "candidate_limits: max_build_factor is 1 or less, want > 1 (infinity: never)");
}

inline void check(const budget& b)
{
    require(b.seconds >= 0, "budget: seconds is negative or NaN, want >= 0");
    require(b.patience > 0, "budget: patience is 0, want >= 1 (unlimited: never)");
    require(b.stop_when_gain_below >= 0, "budget: stop_when_gain_below is negative or NaN, want >= 0 (0: never)");
    require(b.calls >= 0 && b.calls < forever,
            "budget: calls is negative or not finite, want how often the winner is called");
    require(b.stop_when_gain_below == 0 || b.calls > 0,
            "budget: stop_when_gain_below needs calls, want how often the winner is called");
    require(b.until_cost >= 0, "budget: until_cost is negative or NaN, want a cost (0: never)");
}

/// The part of the budget that applies to one task alone.
[[nodiscard]] inline budget of_a_task(const tasks_budget& b) noexcept
{
    return {.trials = b.trials_per_task, .patience = b.patience};
}

inline void check(const tasks_budget& b)
{
    require(b.seconds >= 0, "tasks_budget: seconds is negative or NaN, want >= 0");
    require(b.patience > 0, "tasks_budget: patience is 0, want >= 1 (unlimited: never)");
    require(b.slot_seconds >= 0, "tasks_budget: slot_seconds is negative or NaN, want >= 0");
    require(b.max_workers_per_task > 0, "tasks_budget: max_workers_per_task is 0, want >= 1");
}

}  // namespace detail
}  // namespace tunekit
