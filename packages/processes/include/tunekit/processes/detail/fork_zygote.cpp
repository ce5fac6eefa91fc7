// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/fork_zygote.hpp"

#include <sys/types.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/zygote.hpp"

namespace tunekit::measure::detail {

namespace {

/// Runs in the child. It throws nothing: an exception would run the parent's own handlers and destructors here.
[[noreturn]] void be_zygote(work_ref work, const worker_hold& hold, pid_t parent, descriptor ours, int theirs) noexcept
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
    run_zygote(work, hold.watched ? 0 : hold.memory_bytes, {}, hold.enclosed, hold.confined);
}

}  // namespace

started_zygote fork_zygote(work_ref work, const worker_hold& hold, const char* who)
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
