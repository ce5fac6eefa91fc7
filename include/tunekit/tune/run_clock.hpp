// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The time of a run, without the jumps of its clock.

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "tunekit/measure/concepts.hpp"

namespace tunekit {

/// Seconds since it was made, by a clock that may jump: what `tune` gives its tuner as stamps, and a loop of one's own can.
///
///     tk::run_clock time{tk::measure::wall_clock{}};
///     while (auto job = t.ask()) {
///         auto m = measure(*job);
///         t.tell(*job, m, time.after({&m, 1}, job->limits));
///     }
///
/// The clock is read once here and once per `after`.
template <measure::clock Clock>
class run_clock {
public:
    explicit run_clock(Clock clock) : clock_(std::move(clock)), start_(clock_()) {}

    /// The time after a batch. A batch that ended before it began, at what is no number, or more than ten minutes after twice its limits, ended
    /// when the candidates' own times say, and the clock goes on from there.
    [[nodiscard]] double after(std::span<const measure::measurement> batch, const measure::limits& within)
    {
        const double reading = clock_();
        if (!std::isfinite(start_)) start_ = reading - last_;  // it began with what is no number
        const double now = reading - start_;
        const double most = 600 + 2 * static_cast<double>(batch.size()) * (within.run_seconds + within.build_seconds);
        double took = 0;
        for (const auto& m : batch) took += m.run_seconds + m.build_seconds;
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
