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
/// so can a loop of your own.
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
    explicit run_clock(Clock clock) : clock_(std::move(clock)), start_(clock_()) {}

    /// The time after a batch. Some readings are refused: a batch that ended before it began, at what is no number, or
    /// more than ten minutes after twice its limits. Such a batch ended when the candidates' own times say, and the
    /// clock goes on from there.
    [[nodiscard]] double after(std::span<const measure::measurement> batch, const measure::limits& within)
    {
        const double reading = clock_();
        double took = 0;
        for (const auto& m : batch) took += m.run_seconds + m.build_seconds;
        if (!std::isfinite(start_)) start_ = reading - (last_ + took);  // it began with what is no number
        const double now = reading - start_;
        const double most = 600 + 2 * static_cast<double>(batch.size()) * (within.run_seconds + within.build_seconds);
        const bool jumped =
            !(now >= last_ && std::isfinite(now)) || (now - last_ > most && took > 0);  // some measurers tell no times
        if (jumped && std::isfinite(now)) start_ += now - (last_ + took);
        return last_ = jumped ? last_ + took : now;
    }

    [[nodiscard]] double last() const noexcept { return last_; }  ///< what `after` returned last; 0 before

private:
    Clock clock_;
    double start_;  // the clock's reading at the run's zero, moved by its jumps
    double last_ = 0;
};

}  // namespace tunekit
