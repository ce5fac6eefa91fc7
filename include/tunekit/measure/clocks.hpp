// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Clocks that time kernels.

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
