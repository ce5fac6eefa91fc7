// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A clock for runs that ignores jumps of the system's clock.

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "tunekit/measure/concepts.hpp"

namespace tunekit {

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

}  // namespace tunekit
