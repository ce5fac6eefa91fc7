// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Clocks that time kernels, and one that moves only when it is told to.

#include <cmath>
#include <ctime>

#include "tunekit/measure/concepts.hpp"

namespace tunekit::measure {

namespace detail {

inline double read_clock(clockid_t id) noexcept
{
    timespec now{};
    ::clock_gettime(id, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace detail

/// A clock of elapsed time: CLOCK_MONOTONIC. Use it for a kernel that has its cores to itself.
/// Cost: about 20 ns.
struct wall_clock {
    /// Seconds since a moment of the system's own, such as its start.
    double operator()() const noexcept { return detail::read_clock(CLOCK_MONOTONIC); }
};

/// A clock of the time in which the calling thread ran: CLOCK_THREAD_CPUTIME_ID. It does not see other programs on a
/// shared core, threads that the kernel starts, or sleep.
/// Cost: about 0.4 us, so short kernels need more runs per batch.
struct thread_clock {
    /// Seconds of processor time that the calling thread has used.
    double operator()() const noexcept { return detail::read_clock(CLOCK_THREAD_CPUTIME_ID); }
};

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

    /// Lets `seconds` >= 0 pass, rounded to whole nanoseconds. So the sum does not depend on how its parts are grouped,
    /// and a run that was interrupted and resumed reports the same times as one that was not.
    void advance(double seconds) const noexcept
    {
        *seconds_ = static_cast<double>(std::llround(*seconds_ * 1e9) + std::llround(seconds * 1e9)) / 1e9;
    }

private:
    double* seconds_;
};

/// The smallest step between two successive readings of `now`, in seconds: the cost of a reading or its resolution,
/// whichever is larger; 0 for a clock that did not move in 16 readings.
template <clock Clock>
[[nodiscard]] double smallest_step(Clock& now)
{
    double least = 0;
    double before = now();
    for (int k = 0; k < 16; ++k) {
        const double after = now();
        const double step = after - before;
        if (step > 0 && (least == 0 || step < least)) least = step;
        before = after;
    }
    return least;
}

}  // namespace tunekit::measure
