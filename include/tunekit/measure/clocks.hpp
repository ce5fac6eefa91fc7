// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The clocks that time kernels.

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

/// Seconds that pass: CLOCK_MONOTONIC. The choice for whatever has the core to itself.
/// Cost: about 20 ns.
struct wall_clock {
    double operator()() const noexcept { return detail::read_clock(CLOCK_MONOTONIC); }
};

/// Seconds in which the calling thread ran: CLOCK_THREAD_CPUTIME_ID. Does not see what others do on a shared core, nor
/// threads that the kernel starts, nor sleeping.
/// Cost: about 0.4 us, so short kernels need more runs per batch.
struct thread_clock {
    double operator()() const noexcept { return detail::read_clock(CLOCK_THREAD_CPUTIME_ID); }
};

/// The smallest step between two successive readings of `now`, seconds: what a reading costs or resolves, whichever is
/// more; 0 for a clock that did not move in 16 readings.
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
