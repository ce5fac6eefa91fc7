// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The start of a zygote, and the limits of its workers.

#include <sys/types.h>
#include <cstddef>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/processes/detail/child.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/worker.hpp"
#include "tunekit/processes/guarded_buffer.hpp"

namespace tunekit::measure::detail {

/// The limits of a worker's candidates.
struct worker_hold {
    std::size_t memory_bytes = 0;    ///< what a candidate may add; 0: no limit
    bool watched = false;            ///< the parent limits resident memory; else the system limits the address space
    std::vector<canary> canaries{};  ///< those that the parent can see
    std::vector<int> cores{};        ///< processors; empty: all that this process may use
    bool enclosed = false;           ///< each worker has a PID namespace
    bool confined = false;           ///< the same, without a network and without some system calls
};

/// A zygote that was started, and the parent's end of the conversation with it.
struct started_zygote {
    descriptor control{};
    child process{};  ///< its process group is left to it: where it is killed, what it forked ends by itself
};

/// Forks the zygote, whose workers measure with `work`. `work` and what it refers to are needed during this call only.
/// `who` is for messages. Throws tunekit::error where this process runs other threads or no child can be forked.
started_zygote fork_zygote(work_ref work, const worker_hold& hold, const char* who);

}  // namespace tunekit::measure::detail

#if TUNEKIT_BODIES || defined(TUNEKIT_PROCESSES_BODIES)
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/zygote.hpp"

namespace tunekit::measure::detail {

/// Runs in the child. It throws nothing: an exception would run the parent's own handlers and destructors here.
[[noreturn]] inline void be_zygote(work_ref work, const worker_hold& hold, pid_t parent, descriptor ours,
                                   int theirs) noexcept
{
    ::setpgid(0, 0);
    reset_signals();
    sigset_t quiet;
    sigfillset(&quiet);
    ::sigprocmask(SIG_BLOCK, &quiet, nullptr);
    die_with(parent, SIGCONT);  // which a stopped process hears, too
    if (!close_all_but(theirs) || !use_cores(hold.cores)) {
        const zygote_answer none{.error = errno};
        ours.reset();  // so that this process notices the parent's end, even where not all was closed
        die_with(parent);
        send_packet(3, &none, sizeof none);
        zygote_order unheard;  // takes the parent's order: with an unread one, the answer would be lost
        (void)receive_packet(3, &unheard, sizeof unheard);
        end_process(status_unheard);
    }
    zygote(work, hold.watched ? 0 : hold.memory_bytes, {}, hold.enclosed, hold.confined).run();
}

TUNEKIT_INLINE started_zygote fork_zygote(work_ref work, const worker_hold& hold, const char* who)
{
    refuse_threads(who, "build it before starting threads");
    system::detail::say_what_is_not_held();
    auto [ours, theirs] = socket_pair();
    if (!ours) throw error(std::string(who) + ": no socket pair: " + std::strerror(errno) + remedy_of(errno));
    const pid_t self = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) throw error(std::string(who) + ": no child process: " + std::strerror(errno));
    if (pid == 0) be_zygote(work, hold, self, std::move(ours), theirs.get());
    return {std::move(ours), child(pid, child::reach::alone)};
}

}  // namespace tunekit::measure::detail
#endif  // TUNEKIT_BODIES
