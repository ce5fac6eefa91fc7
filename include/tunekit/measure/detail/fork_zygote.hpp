// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The start of a zygote, and how its workers are held.

#include <sys/types.h>
#include <cstddef>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/measure/detail/process.hpp"
#include "tunekit/measure/detail/worker.hpp"
#include "tunekit/measure/guarded_buffer.hpp"

namespace tunekit::measure::detail {

/// What holds the candidates of a worker.
struct worker_hold {
    std::size_t memory_bytes = 0;    ///< that a candidate may add; 0: no limit
    bool watched = false;            ///< by the parent, in what is resident; else by the system, in address space
    std::vector<canary> canaries{};  ///< that the parent can see
    std::vector<int> cores{};        ///< none: whatever there is
    bool enclosed = false;           ///< in a PID namespace for each worker
    bool confined = false;           ///< the same, without a network and some system calls
};

/// A zygote that was started and the parent's end of the conversation with it.
struct started_zygote {
    descriptor control{};
    pid_t pid = -1;
};

/// Forks the zygote, whose workers measure with `work`: `work` and what it refers to are needed during this call alone.
/// `who` is for messages. Throws tunekit::error where this process runs other threads or the system gives no child.
started_zygote fork_zygote(work_ref work, const worker_hold& hold, const char* who);

}  // namespace tunekit::measure::detail

#if TUNEKIT_BODIES
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/detail/zygote.hpp"

namespace tunekit::measure::detail {

TUNEKIT_INLINE started_zygote fork_zygote(work_ref work, const worker_hold& hold, const char* who)
{
    const int threads = sanitized ? 1 : thread_count();
    if (threads > 1)
        throw error(std::string(who) + ": this process runs " + std::to_string(threads) +
                    " threads, of which a fork keeps one; build it before starting threads");
    auto [ours, theirs] = socket_pair();
    if (!ours) throw error(std::string(who) + ": no socket pair: " + std::strerror(errno));
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) throw error(std::string(who) + ": no child process: " + std::strerror(errno));
    if (child == 0) {
        ::setpgid(0, 0);
        reset_signals();
        sigset_t quiet;
        ::sigemptyset(&quiet);
        ::sigaddset(&quiet, SIGTERM);
        ::sigprocmask(SIG_BLOCK, &quiet, nullptr);
        die_with(self, SIGTERM);
        if (!close_all_but(theirs.get()) || !use_cores(hold.cores)) {
            const zygote_answer none{.error = errno};
            ours.reset();  // so that the parent's end is told where not all was closed
            die_with(self);
            send_packet(3, &none, sizeof none);
            zygote_order unheard;  // an order that nobody took would take these words along
            (void)receive_packet(3, &unheard, sizeof unheard);
            end_process(status_unheard);
        }
        zygote(work, hold.watched ? 0 : hold.memory_bytes, {}, hold.enclosed, hold.confined).run();
    }
    return {std::move(ours), child};
}

}  // namespace tunekit::measure::detail
#endif  // TUNEKIT_BODIES
