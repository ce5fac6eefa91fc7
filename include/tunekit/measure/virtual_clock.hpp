// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A clock that moves only when it is told to.

#include <cmath>

#include "tunekit/core/config.hpp"

namespace tunekit::measure {

/// A handle to a time variable of the caller. All copies read and move the same time.
///
///     double now = 0;
///     tk::measure::virtual_clock time(now);
///     tk::measure::replay measure(table, time);          // moves it by what each evaluation cost when it was recorded
///     auto found = tk::tune(space, measure, strategy, {.seconds = 60}, gen, {.clock = time});
///
/// Several measurers may move one time. Then it is the time of one machine that they share.
/// Precondition: the time outlives every handle. Threads: one at a time.
class virtual_clock {
public:
    /// Refers to the caller's variable, in seconds.
    explicit virtual_clock(double& seconds) noexcept : seconds_(&seconds) {}

    /// Seconds since the zero of the caller's time.
    [[nodiscard]] double operator()() const noexcept { return *seconds_; }

    /// Lets `seconds` >= 0 pass, rounded to whole nanoseconds. So the sum does not depend on how its parts are grouped, and
    /// a run that was interrupted and resumed reports the same times as one that was not.
    void advance(double seconds) const noexcept
    {
        *seconds_ = static_cast<double>(std::llround(*seconds_ * 1e9) + std::llround(seconds * 1e9)) / 1e9;
    }

private:
    double* seconds_;
};

}  // namespace tunekit::measure
