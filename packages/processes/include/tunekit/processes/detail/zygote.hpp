// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The child that forks workers.

#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/processes/detail/worker.hpp"

namespace tunekit::measure::detail {

/// An order from the parent to the zygote: end the worker, if there is one, and give me another.
struct zygote_order {
    std::uint32_t at_once = 0;  ///< 0: the worker gets half a second to end by itself
};

/// A message from the zygote. It comes unasked where a worker has ended. Else it answers an order, and brings the
/// parent's end of the conversation with the new worker.
struct zygote_answer {
    enum class what : std::uint8_t { ended, new_worker };
    what news = what::new_worker;
    pid_t worker = -1;      ///< the new one, or the one that ended; else -1, for the reason `error`
    pid_t keeper = -1;      ///< that of the new one
    int error = 0;          ///< errno
    int status = 0;         ///< of the worker that ended, as waitpid gives it
    int forced = 0;         ///< whether it had to be killed
    int orphaned = 0;       ///< whether its keeper ended first, which only its candidate can have caused
    char damage[128] = "";  ///< what it wrote outside outputs that the parent cannot see
};

/// Runs a zygote: it forks workers on demand, each below a keeper. It is small and runs no candidate. It ends, with all
/// its descendants, at the end of the conversation on descriptor 3 or with its parent. `own` are canaries that the
/// parent cannot see.
[[noreturn]] void run_zygote(work_ref work, std::size_t memory_bytes, std::span<const canary> own, bool enclosed,
                             bool confined) noexcept;

}  // namespace tunekit::measure::detail
