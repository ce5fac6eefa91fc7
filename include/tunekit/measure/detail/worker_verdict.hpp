// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The bodies of `worker_link` that replace a worker and decide on its candidate.

#include "tunekit/core/compiled.hpp"
#include "tunekit/measure/detail/worker_link.hpp"

#if TUNEKIT_BODIES
#include <sys/wait.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/detail/zygote.hpp"

namespace tunekit::measure::detail {

TUNEKIT_INLINE void worker_link::replace(bool at_once, then after)
{
    worker_.reset();
    talk_.after = after;
    const zygote_order order{at_once ? 1U : 0U};
    send_packet(control_.get(), &order,
                sizeof order);  // where that fails, the zygote's last answer or its end can be read
    const double now = wall_clock{}();
    patience_ = now + zygote_seconds;
    talk_.next_look = now + 0.1;
    at_ = state::replacing;
}

TUNEKIT_INLINE bool worker_link::may_answer()
{
    const double now = wall_clock{}();
    if (now >= talk_.next_look) {
        patience_ = patience_with(proc_text("/proc/%d/stat", zygote_).state_and_parent().first, now, patience_);
        talk_.next_look = now + 0.1;
    }
    return now < patience_;
}

TUNEKIT_INLINE bool worker_link::replaced()
{
    zygote_answer answer;
    std::size_t size = 0;
    do {
        switch (receive_now(control_.get(), &answer, sizeof answer, size, &worker_)) {
            case received::nothing_yet:
                if (may_answer()) return false;
                leave("the zygote does not answer; something stopped it");
                return true;
            case received::end:
                leave("the zygote is gone; something ended it");
                return true;
            case received::packet:
                break;
        }
    } while (size == sizeof answer && answer.news == zygote_answer::what::ended);  // sent before it read the order
    if (size != sizeof answer) {
        leave("the zygote answers nonsense");
        return true;
    }
    if (answer.worker < 0 || !worker_) {
        const int why = answer.worker < 0 ? answer.error
                                          : EMFILE;  // the system drops a descriptor for which this process has no room
        leave("no new worker: " + std::string(std::strerror(why)) +
              (why == EMFILE || why == ENFILE ? "; want more descriptors (ulimit -n)"
               : why == ENOENT                ? " (/dev/null); want a system that has it"
               : hold_.confined
                   ? "; want a system that gives PID and network namespaces and seccomp, or .confined = false"
               : hold_.enclosed ? "; want a system that gives PID namespaces, or .enclosed = false"
                                : ""));
        const bool passes = why == EAGAIN || why == ENOMEM || why == ECHILD;
        if (!passes) at_ = state::refused;  // what passes may have been caused by a candidate
        return true;
    }
    worker_pid_ = answer.worker;
    beside_ = leftovers(answer.keeper, answer.worker);
    served_ = 0;
    if (watched()) baseline_ = memory_of(worker_pid_, 1);
    switch (talk_.after) {
        case then::give:
            give();
            break;
        case then::conclude:
            conclude(answer);
            break;
        case then::finish:
            finish(true);
            break;
    }
    return true;
}

TUNEKIT_INLINE void worker_link::conclude(const zygote_answer& how)
{
    conversation& c = talk_;
    if (c.how == heard::end) c.m.failed = ended(how);
    if (c.m.run_seconds == 0) c.m.run_seconds = wall_clock{}() - c.start;
    std::string where = damage_at(hold_.canaries);
    if (where.empty()) where = how.damage;
    if (where.empty()) return finish(c.m.failed && c.m.failed->kind == failure_kind::damaged_canary);
    blame(c.m, where);
    c.known = true;
    if (served_ != 0) return replace(true, then::finish);
    finish(true);
}

TUNEKIT_INLINE void worker_link::finish(bool culprit)
{
    conversation& c = talk_;
    if (c.m.failed && c.suspect && !culprit && !c.again) {
        c.again = true;
        c.spent = c.m.run_seconds;
        return give();
    }
    c.m.run_seconds += c.spent;
    if (c.again && c.m.failed && c.m.failed->kind == failure_kind::run_timeout)
        c.m.failed->message += ", and again in a fresh worker";
    c.measured = std::move(c.m);
    at_ = state::over;
}

TUNEKIT_INLINE failure worker_link::ended(const zygote_answer& how)
{
    if (how.orphaned != 0) return {failure_kind::crash, SIGKILL, "killed the process that looks after it"};
    if (how.forced != 0) return {failure_kind::exited, 0, "closed the worker's descriptors and ran on"};
    if (WIFSIGNALED(how.status)) {
        const int signal = WTERMSIG(how.status);
        return {failure_kind::crash, signal, signal_text(signal)};
    }
    const int status = WEXITSTATUS(how.status);
    if (status == status_unheard) return {failure_kind::exited, status, "closed the worker's descriptors"};
    return {failure_kind::exited, status, "ended the process with status " + std::to_string(status)};
}

TUNEKIT_INLINE std::string worker_link::megabytes() const
{
    return number(static_cast<double>(hold_.memory_bytes >> 20)) + " MiB";
}

TUNEKIT_INLINE std::string worker_link::number(double x)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
}

}  // namespace tunekit::measure::detail
#endif  // TUNEKIT_BODIES
