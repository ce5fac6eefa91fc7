// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Timing of runs on a device: by its own clock, in series that are long enough for it.

#include <cstddef>
#include <cstdint>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/timed_options.hpp"

namespace tunekit::measure {

/// Options for timing on a device, in addition to the repetition policy.
struct device_timing {
    cache state = cache::warm;    ///< of the last-level cache; cold: other memory is written before each run, untimed
    std::size_t flush_bytes = 0;  ///< written before a cold run; 0: twice the last-level cache
    double min_seconds = 1e-4;    ///< >= 0; a warm run is launched as often in one timing as reaches about this time
    std::uint32_t max_launches = 1000;  ///< >= 1; the most launches of a warm run in one timing
    /// >= 0; seconds. A warm run that is shorter is launched once before it is timed, on devices whose events would
    /// otherwise include the time of the launch itself (2 to 5 us).
    double lead_below = 5e-3;
    /// Whether the launches of a timing are recorded in a CUDA graph, which is what is timed: for kernels that will run
    /// in one. CUDA alone; what a callable launches must be in `cuda_session::stream()`.
    bool graph = false;

    /// The number of launches that make a run of `one` seconds last as long as the timing wants.
    [[nodiscard]] std::uint32_t launches(double one) const noexcept
    {
        if (state == cache::cold || one >= min_seconds) return 1;
        const double n = one > 0 ? min_seconds / one : static_cast<double>(max_launches);
        return n < static_cast<double>(max_launches) ? static_cast<std::uint32_t>(n) + 1 : max_launches;
    }

    /// Throws std::invalid_argument where a setting is out of range.
    void validate() const
    {
        require(min_seconds >= 0, "device_timing: min_seconds is negative or NaN, want >= 0");
        require(max_launches > 0, "device_timing: max_launches is 0, want >= 1");
        require(lead_below >= 0, "device_timing: lead_below is negative or NaN, want >= 0");
    }

    friend bool operator==(const device_timing&, const device_timing&) = default;
};

/// The timed runs of one configuration in a session. The number of launches of a run follows from the time of the run
/// before it. The first run, which may be checked, is launched exactly once.
///
/// A session has `timing()`; `flush()`; `seconds(n, launch)`, the mean of n launches; and `counts_waiting`, whether
/// that includes the wait for a launch on an idle device.
class launch_series {
public:
    /// Seconds of one `launch()`, which puts work into the session's queue.
    template <class Session, class Launch>
    [[nodiscard]] double operator()(Session& on, Launch&& launch)
    {
        const device_timing& how = on.timing();
        if (how.state == cache::cold) {
            on.flush();
        } else if (Session::counts_waiting && begun_ && last_ < how.lead_below) {
            launch();  // keeps the device busy until the others are in its queue
        }
        last_ = on.seconds(times_, launch);
        times_ = how.launches(last_);
        begun_ = true;
        return last_;
    }

private:
    bool begun_ = false;
    double last_ = 0;
    std::uint32_t times_ = 1;
};

namespace detail {

/// Memory of a session that is written to empty the caches.
template <class Session>
class cache_flush {
public:
    /// Writes `bytes`; where that is 0, twice the device's `cache_bytes`; where that is 0 too, 64 MiB.
    void operator()(Session& on, std::size_t bytes, std::size_t cache_bytes)
    {
        if (size_ == 0) {
            size_ = bytes != 0 ? bytes : 2 * cache_bytes;
            if (size_ == 0) size_ = std::size_t{64} << 20;
            at_ = on.allocate(size_);
        }
        on.fill(at_, ++pattern_, size_);
    }

private:
    typename Session::memory at_{};
    std::size_t size_ = 0;
    unsigned char pattern_ = 0;
};

}  // namespace detail
}  // namespace tunekit::measure
