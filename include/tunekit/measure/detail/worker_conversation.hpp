// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The bodies of `worker_link` for one candidate: the order, and what the worker sends.

#include "tunekit/core/compiled.hpp"
#include "tunekit/measure/detail/worker_link.hpp"

#if TUNEKIT_BODIES
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/detail/zygote.hpp"

namespace tunekit::measure::detail {

TUNEKIT_INLINE void worker_link::begin(const order& next)
{
    talk_ = {};
    talk_.next = next;
    talk_.next.within.run_seconds *= 0.9;  // so that a good candidate answers before it would be killed
    talk_.run_seconds = next.within.run_seconds;
    talk_.suspect = served_ > 0;
    give();
}

TUNEKIT_INLINE void worker_link::watch(poll_set& events) const
{
    if (at_ == state::running) {
        events.add(worker_.get());
        events.add(control_.get());
        events.by(talk_.start + talk_.run_seconds);
        if (watched()) events.by(talk_.next_look);
    } else if (at_ == state::settling) {
        events.by(talk_.next_look);
    } else if (at_ == state::replacing) {
        events.add(control_.get());
        events.by((std::min)(patience_, talk_.next_look));
    } else {
        events.by(0);  // nothing to wait for
    }
}

TUNEKIT_INLINE bool worker_link::advance()
{
    for (;;) {
        const state before = at_;
        if (at_ == state::running && !listen()) return false;
        if (at_ == state::settling && !settled()) return false;
        if (at_ == state::replacing && before == state::replacing && !replaced()) return false;
        if (at_ == state::idle || at_ == state::over || gone()) return true;
    }
}

TUNEKIT_INLINE void worker_link::await()
{
    do {
        poll_set events;
        watch(events);
        events.wait(wall_clock{}());
    } while (!advance());
}

TUNEKIT_INLINE std::optional<measurement> worker_link::take()
{
    if (at_ == state::over) at_ = state::idle;
    return std::move(talk_.measured);
}

TUNEKIT_INLINE void worker_link::give()
{
    conversation& c = talk_;
    if (!worker_) return replace(true, then::give);
    c.next.nonce = fresh_nonce();
    if (!send_packet(worker_.get(), &c.next, sizeof c.next)) {
        if (c.sent_anew) return leave("a new worker does not listen");
        c.sent_anew = true;  // the worker ended between two candidates
        return replace(true, then::give);
    }
    ++served_;
    c.start = wall_clock{}();
    c.next_look = c.start + 0.01;
    c.bytes.clear();
    c.waited_for = c.changed = c.known = false;
    c.m = {};
    at_ = state::running;
}

TUNEKIT_INLINE bool worker_link::told_of_end()
{
    zygote_answer news;
    std::size_t size = 0;
    for (;;) {
        const received what = receive_now(control_.get(), &news, sizeof news, size);
        if (what == received::nothing_yet) return false;
        if (what == received::end || (size == sizeof news && news.worker == worker_pid_)) return true;
    }
}

TUNEKIT_INLINE bool worker_link::listen()
{
    conversation& c = talk_;
    unsigned char packet[max_packet];
    bool over = false;  // whether the worker has ended; what it sent before is read first
    for (;;) {
        std::size_t size = 0;
        const received what = receive_now(worker_.get(), packet, sizeof packet, size);
        const double now = wall_clock{}();
        if (what == received::end) return heard_all(heard::end);
        if (now >= c.start + c.run_seconds && (what == received::nothing_yet || !c.bytes.empty()))
            return heard_all(heard::too_long);
        if (what == received::nothing_yet) {
            if (over) return heard_all(heard::end);
            over = std::exchange(c.waited_for, true) && told_of_end();
            if (over) continue;
            if (watched() && now >= c.next_look) {
                if (memory_of(worker_pid_, 1) > baseline_ + hold_.memory_bytes) return heard_all(heard::too_much);
                c.next_look = now + 0.01;
            }
            return false;
        }
        c.bytes.insert(c.bytes.end(), packet, packet + size);
        const std::optional<answer_head> head = head_of(c.bytes, c.next);
        if (!head) return heard_all(heard::nonsense);
        if (head->total != c.bytes.size()) continue;
        c.changed = head->changed != 0;
        return heard_all(from_bytes(c.bytes, *head, c.m) ? heard::answer : heard::nonsense);
    }
}

TUNEKIT_INLINE bool worker_link::settled()
{
    conversation& c = talk_;
    const leftovers::found beside = c.changed ? leftovers::found::processes : beside_.look();
    if (beside == leftovers::found::nothing) {
        conclude({});
        return true;
    }
    const double now = wall_clock{}();
    if (at_ != state::settling) c.settle_by = now + settle_seconds;
    if (beside == leftovers::found::processes || now >= c.settle_by) {
        c.known = true;
        replace(true, then::conclude);
        return true;
    }
    c.next_look = now + 1e-3;
    at_ = state::settling;
    return false;
}

TUNEKIT_INLINE bool worker_link::heard_all(heard how)
{
    conversation& c = talk_;
    c.how = how;
    const double seconds = wall_clock{}() - c.start;
    if (how == heard::answer && !c.m.failed) return settled();
    switch (how) {
        case heard::answer:
            if (c.m.failed->kind == failure_kind::out_of_memory && !hold_.watched && hold_.memory_bytes != 0)
                c.m.failed->message += ", held to " + megabytes() + " more of address space (RLIMIT_AS)";
            break;
        case heard::nonsense:
            c.m.failed = failure{failure_kind::crash, 0, "damaged the worker, which answered nonsense"};
            break;
        case heard::too_long:
            c.m.failed =
                failure{failure_kind::run_timeout, 0, "was still running after " + number(c.run_seconds) + " s"};
            break;
        case heard::too_much:
            c.m.failed = failure{failure_kind::out_of_memory, 0,
                                 "made more than " + megabytes() + " resident (killed by the parent)"};
            break;
        case heard::end:
            break;
    }
    if (c.m.run_seconds == 0) c.m.run_seconds = seconds;
    c.known = how != heard::end;
    replace(how != heard::end, then::conclude);
    return true;
}

}  // namespace tunekit::measure::detail
#endif  // TUNEKIT_BODIES
