// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Counters of the processor and the kernel, as Linux has them: perf_event_open.

#include "tunekit/processes/detail/needs_forks.hpp"  // first

#include <array>
#include <cstdint>
#include <string>

#include "tunekit/processes/detail/system/processes.hpp"

namespace tunekit::system::detail {

/// Counts what the programs do that this process starts from now on, and the processes that they start; of most events
/// what they do in user mode, which interrupts of other work disturb least.
class event_counter {
public:
    /// Holds nothing, with errno, where that counter cannot be had; EINVAL where there is none of that name.
    explicit event_counter(const std::string& name) noexcept;
    explicit operator bool() const noexcept { return static_cast<bool>(file_); }

    /// The events since the last call; NaN where they were not counted. Where the processor counts fewer things at a
    /// time than it was asked to, that of a part of the time is scaled to all of it.
    [[nodiscard]] double since_last() noexcept;

private:
    descriptor file_;
    descriptor apart_;  ///< not inherited, or Linux would exchange this process's counters with those of its child
    std::array<std::uint64_t, 3> last_{};  ///< events, nanoseconds wanted, nanoseconds counted
};

/// Why a counter cannot be had, and what to do, in one line: for the errno of `event_counter`.
[[nodiscard]] std::string counter_problem(const std::string& name, int why);

}  // namespace tunekit::system::detail
