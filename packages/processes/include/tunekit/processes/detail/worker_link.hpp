// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parent's end of a worker: one candidate at a time, from its order to its measurement, without waiting.

#include <sys/types.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/detail/child.hpp"
#include "tunekit/processes/detail/descent.hpp"
#include "tunekit/processes/detail/fork_zygote.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/worker.hpp"

namespace tunekit::measure::detail {

struct zygote_answer;

/// Seconds within which a zygote answers: it waits half a second, and then for killed processes to end.
inline constexpr double zygote_seconds = 10;

/// The moment at which a zygote counts as gone unless it has answered; `patience` is the one before. `state` is its
/// letter in /proc/PID/stat: one that waits for a processor has time, one that was stopped or is traced goes on at once
/// or never.
constexpr double patience_with(char state, double now, double patience) noexcept
{
    if (state == 'R') return now + zygote_seconds;
    if (state == 'T' || state == 't') return (std::min)(patience, now + 0.5);
    return patience;
}

/// Owns a zygote and the worker that it made last, and has the conversation about one candidate:
///
///     link.begin(order);
///     while (!link.advance()) { poll_set events; link.watch(events); events.wait(now()); }
///     const std::optional<measurement> m = link.take();          // empty: the children are gone, and the job is lost
///
/// A worker is replaced after any failure. Where it had run other candidates before, the one that failed is repeated in
/// the fresh one, unless a canary identifies it. Move-only.
class worker_link {
public:
    worker_link(started_zygote children, worker_hold hold);
    worker_link(worker_link&&) noexcept = default;
    worker_link& operator=(worker_link&&) noexcept =
        default;  ///< exchanges the children, so that the old ones end in order
    worker_link(const worker_link&) = delete;
    worker_link& operator=(const worker_link&) = delete;

    /// Ends the children and waits for them.
    ~worker_link();

    [[nodiscard]] bool idle() const noexcept { return stage_.at == state::idle; }
    /// Whether there are no children any more.
    [[nodiscard]] bool gone() const noexcept { return stage_.at == state::gone || refused(); }
    /// Whether the system gives no children, which no candidate has caused.
    [[nodiscard]] bool refused() const noexcept { return stage_.at == state::refused; }
    /// The conversation with the zygote.
    [[nodiscard]] const descriptor& control() const noexcept { return control_; }
    [[nodiscard]] const worker_hold& hold() const noexcept { return hold_; }
    /// Ends the children at once.
    void end() { leave("it was ended"); }
    [[nodiscard]] const std::string& why_gone() const noexcept { return why_gone_; }

    /// Gives a candidate to the worker, or to a new one if it has ended. Precondition: idle().
    void begin(const order& next);

    /// Adds what it waits for to `events`.
    void watch(poll_set& events) const;

    /// Does what can be done without waiting. True once the candidate is measured or lost; then `take` it.
    bool advance();

    /// Waits until the candidate is measured or lost.
    void await();

    /// The measurement; empty where the children are gone and the candidate's result is not known.
    [[nodiscard]] std::optional<measurement> take();

private:
    /// `running`: the worker has the order. `settling`: it has answered, and what it left may still run. `replacing`:
    /// the zygote makes another worker. `over`: the candidate is measured. `gone`, `refused`: there are no children any
    /// more.
    enum class state : std::uint8_t { idle, running, settling, replacing, over, gone, refused };
    enum class heard : std::uint8_t { answer, end, nonsense, too_long, too_much };
    enum class then : std::uint8_t { give, conclude, finish };  ///< what follows a replacement

    /// Where the conversation is, and what it waits for there.
    struct stage {
        state at = state::idle;
        double look = 0;  ///< when memory (running), threads (settling) or the zygote (replacing) are looked at next
        double by = 0;    ///< when the state ends in any case
        then after = then::give;
    };
    /// One run of the candidate in one worker.
    struct attempt {
        double start = 0;
        bool waited_for = false;
        bool changed = false;  ///< whether the candidate changed its worker so that no other may run in it
        bool known = false;    ///< whether the result of this try is known, whatever happens to the worker
        heard how = heard::answer;
        std::vector<unsigned char> bytes{};
        measurement m{};
    };
    /// The conversation about one candidate: a try, and a second one in a fresh worker where the first is in doubt.
    struct conversation {
        order next{};
        double run_seconds = 0;  ///< the limit
        bool suspect = false;    ///< whether the worker had run others before
        bool again = false;      ///< whether this is the second try
        bool sent_anew = false;
        double spent = 0;  ///< seconds of the first try
        std::optional<measurement> measured{};
    };

    /// Seconds of a measurement beyond which the state of the keeper, which takes 3 us to read, is looked at.
    static constexpr double looked_at_seconds = 3e-4;
    static constexpr double settle_seconds = 0.01;  ///< within which threads must come to rest, as those of OpenMP do

    [[nodiscard]] bool watched() const noexcept { return hold_.watched && hold_.memory_bytes != 0; }
    /// Whether a candidate that answered has sent its keeper a signal, as far as that can be seen.
    [[nodiscard]] bool attacked() const
    {
        return wall_clock{}() - try_.start > looked_at_seconds && !beside_.keeper_sleeps();
    }
    void give();
    /// Reads what the worker has sent. True where that is the end of this try.
    bool listen();
    /// Whether the zygote has reported that this worker has ended, or the zygote is gone.
    bool told_of_end();
    /// Ends a try: what a good answer left must settle, and any other end needs another worker.
    bool heard_all(heard how);
    /// The failure of a try that ended in that way, where its worker need not end to know it.
    [[nodiscard]] std::optional<failure> failure_of(heard how) const;
    /// Makes sure that nothing of a candidate that succeeded still runs beside the next one. True where that is done.
    bool settled();
    /// Asks for another worker.
    void replace(bool at_once, then after);
    /// Takes the new worker, if it has come. True where the conversation continues or is over.
    bool replaced();
    /// Reads the zygote's next answer to an order, into `answer`. False if it cannot be read; the children may be gone
    /// then.
    bool hear_zygote(zygote_answer& answer);
    /// Decides on a try, whose worker ended as `how` says, where it did.
    void conclude(const zygote_answer& how);
    /// Ends the conversation, or begins the second try.
    void finish(bool culprit);
    /// Gives up the children, for the reason `why`. A known result of the candidate stays known.
    void leave(std::string why);

    worker_hold hold_;
    child zygote_;
    descriptor control_;  ///< to the zygote
    descriptor worker_;
    pid_t worker_pid_ = -1;
    leftovers beside_{};
    std::size_t baseline_ = 0;  ///< resident bytes of the worker when it began
    std::uint64_t served_ = 0;  ///< candidates that this worker was given
    stage stage_{};
    conversation talk_{};
    attempt try_{};
    std::string why_gone_{};
};

}  // namespace tunekit::measure::detail

#if TUNEKIT_BODIES
#include <sys/wait.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tunekit/processes/detail/zygote.hpp"

namespace tunekit::measure::detail {

TUNEKIT_INLINE worker_link::worker_link(started_zygote children, worker_hold hold)
    : hold_(std::move(hold)), zygote_(std::move(children.process)), control_(std::move(children.control))
{
}

TUNEKIT_INLINE worker_link::~worker_link()
{
    control_.reset();  // the zygote ends the worker and itself
    worker_.reset();
    zygote_.end_within(zygote_seconds);
}

TUNEKIT_INLINE void worker_link::begin(const order& next)
{
    talk_ = {};
    try_ = {};
    talk_.next = next;
    talk_.run_seconds = next.within.run_seconds;
    talk_.suspect = served_ > 0;
    talk_.next.within.run_seconds *= 0.9;  // so that a good candidate answers before it would be killed
    give();
}

TUNEKIT_INLINE void worker_link::watch(poll_set& events) const
{
    if (stage_.at == state::running) {
        events.add(worker_.get());
        events.add(control_.get());
        events.by(stage_.by);
        if (watched()) events.by(stage_.look);
    } else if (stage_.at == state::settling) {
        events.by(stage_.look);
    } else if (stage_.at == state::replacing) {
        events.add(control_.get());
        events.by((std::min)(stage_.by, stage_.look));
    } else {
        events.by(0);  // nothing to wait for
    }
}

TUNEKIT_INLINE bool worker_link::advance()
{
    for (;;) {
        const state before = stage_.at;
        if (stage_.at == state::running && !listen()) return false;
        if (stage_.at == state::settling && !settled()) return false;
        if (stage_.at == state::replacing && before == state::replacing && !replaced()) return false;
        if (stage_.at == state::idle || stage_.at == state::over || gone()) return true;
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
    if (stage_.at == state::over) stage_.at = state::idle;
    return std::move(talk_.measured);
}

TUNEKIT_INLINE void worker_link::give()
{
    if (!worker_) return replace(true, then::give);
    talk_.next.nonce = fresh_nonce();
    if (!send_packet(worker_.get(), &talk_.next, sizeof talk_.next)) {
        if (talk_.sent_anew) return leave("a new worker does not listen");
        talk_.sent_anew = true;  // the worker ended between two candidates
        return replace(true, then::give);
    }
    ++served_;
    try_ = {};
    try_.start = wall_clock{}();
    stage_ = {.at = state::running, .look = try_.start + 0.01, .by = try_.start + talk_.run_seconds};
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
    unsigned char packet[max_packet];
    bool over = false;  // whether the worker has ended; what it sent before is read first
    for (;;) {
        std::size_t size = 0;
        const received what = receive_now(worker_.get(), packet, sizeof packet, size);
        const double now = wall_clock{}();
        if (what == received::end) return heard_all(heard::end);
        if (now >= stage_.by && (what == received::nothing_yet || !try_.bytes.empty()))
            return heard_all(heard::too_long);
        if (what == received::nothing_yet) {
            if (over) return heard_all(heard::end);
            over = std::exchange(try_.waited_for, true) && told_of_end();
            if (over) continue;
            if (watched() && now >= stage_.look) {
                if (memory_of(worker_pid_, 1) > baseline_ + hold_.memory_bytes) return heard_all(heard::too_much);
                stage_.look = now + 0.01;
            }
            return false;
        }
        try_.bytes.insert(try_.bytes.end(), packet, packet + size);
        const std::optional<answer_head> head = head_of(try_.bytes, talk_.next);
        if (!head) return heard_all(heard::nonsense);
        if (head->total != try_.bytes.size()) continue;
        try_.changed = head->changed != 0;
        return heard_all(from_bytes(try_.bytes, *head, try_.m) ? heard::answer : heard::nonsense);
    }
}

TUNEKIT_INLINE bool worker_link::heard_all(heard how)
{
    try_.how = how;
    if (how == heard::answer && !try_.m.failed) return settled();
    if (how == heard::answer) {
        if (try_.m.failed->kind == failure_kind::out_of_memory && !hold_.watched && hold_.memory_bytes != 0)
            try_.m.failed->message += ", held to " + short_number(static_cast<double>(hold_.memory_bytes >> 20)) +
                                      " MiB more of address space (RLIMIT_AS)";
    } else {
        try_.m.failed = failure_of(how);
    }
    if (try_.m.run_seconds == 0) try_.m.run_seconds = wall_clock{}() - try_.start;
    try_.known = how != heard::end;
    replace(how != heard::end, then::conclude);
    return true;
}

TUNEKIT_INLINE std::optional<failure> worker_link::failure_of(heard how) const
{
    switch (how) {
        case heard::nonsense:
            return failure{failure_kind::crash, 0, "damaged the worker, which answered nonsense"};
        case heard::too_long:
            return failure{failure_kind::run_timeout, 0,
                           "was still running after " + short_number(talk_.run_seconds) + " s"};
        case heard::too_much:
            return failure{failure_kind::out_of_memory, 0,
                           "made more than " + short_number(static_cast<double>(hold_.memory_bytes >> 20)) +
                               " MiB resident (killed by the parent)"};
        case heard::answer:
        case heard::end:
            break;
    }
    return std::nullopt;
}

TUNEKIT_INLINE bool worker_link::settled()
{
    const leftovers::found beside = try_.changed || attacked() ? leftovers::found::processes : beside_.look();
    if (beside == leftovers::found::nothing) {
        conclude({});
        return true;
    }
    const double now = wall_clock{}();
    if (stage_.at != state::settling) stage_ = {.at = state::settling, .by = now + settle_seconds};
    if (beside == leftovers::found::processes || now >= stage_.by) {
        try_.known = true;
        replace(true, then::conclude);
        return true;
    }
    stage_.look = now + 1e-3;
    return false;
}

TUNEKIT_INLINE void worker_link::replace(bool at_once, then after)
{
    worker_.reset();
    const zygote_order order{at_once ? 1U : 0U};
    send_packet(control_.get(), &order, sizeof order);  // where that fails, its last answer or its end can be read
    const double now = wall_clock{}();
    stage_ = {.at = state::replacing, .look = now + 0.1, .by = now + zygote_seconds, .after = after};
}

TUNEKIT_INLINE bool worker_link::hear_zygote(zygote_answer& answer)
{
    std::size_t size = 0;
    received what = received::packet;
    do what = receive_now(control_.get(), &answer, sizeof answer, size, &worker_);
    while (what == received::packet && size == sizeof answer &&
           answer.news == zygote_answer::what::ended);  // sent before it read the order
    if (what == received::packet && size == sizeof answer) return true;
    const double now = wall_clock{}();
    if (what == received::nothing_yet && now >= stage_.look) {
        stage_.by = patience_with(proc_text("/proc/%d/stat", zygote_.pid()).state_and_parent().first, now, stage_.by);
        stage_.look = now + 0.1;
    }
    if (what == received::packet) leave("the zygote answers nonsense");
    else if (what == received::end) leave("the zygote is gone; something ended it");
    else if (now >= stage_.by) leave("the zygote does not answer; something stopped it");
    return false;
}

TUNEKIT_INLINE bool worker_link::replaced()
{
    zygote_answer answer;
    if (!hear_zygote(answer)) return gone();
    if (answer.worker < 0 || !worker_) {
        // The system drops a descriptor for which this process has no room.
        const int why = answer.worker < 0 ? answer.error : EMFILE;
        const bool passes = why == EAGAIN || why == ENOMEM || why == ECHILD;
        leave("no new worker: " + std::string(std::strerror(why)) +
              (why == EMFILE || why == ENFILE ? remedy_of(why)
               : why == ENOENT                ? " (/dev/null); want a system that has it"
               : hold_.confined
                   ? "; want a system that gives PID and network namespaces and seccomp, or .confined = false"
               : hold_.enclosed ? "; want a system that gives PID namespaces, or .enclosed = false"
                                : ""));
        if (!passes) stage_.at = state::refused;  // what passes may have been caused by a candidate
        return true;
    }
    worker_pid_ = answer.worker;
    beside_ = leftovers(answer.keeper, answer.worker);
    served_ = 0;
    if (watched()) baseline_ = memory_of(worker_pid_, 1);
    if (stage_.after == then::give) give();
    else if (stage_.after == then::conclude) conclude(answer);
    else finish(true);
    return true;
}

/// The failure of a candidate whose conversation ended, by how the worker ended.
inline failure failure_of_end(const zygote_answer& how)
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

TUNEKIT_INLINE void worker_link::conclude(const zygote_answer& how)
{
    measurement& m = try_.m;
    if (try_.how == heard::end || how.orphaned != 0) m = {.run_seconds = m.run_seconds, .failed = failure_of_end(how)};
    if (m.run_seconds == 0) m.run_seconds = wall_clock{}() - try_.start;
    std::string where = damage_at(hold_.canaries);
    if (where.empty()) where = how.damage;
    if (where.empty()) return finish(m.failed && m.failed->kind == failure_kind::damaged_canary);
    blame(m, where);
    try_.known = true;
    if (served_ != 0) return replace(true, then::finish);
    finish(true);
}

TUNEKIT_INLINE void worker_link::finish(bool culprit)
{
    measurement& m = try_.m;
    if (m.failed && talk_.suspect && !culprit && !talk_.again) {
        talk_.again = true;
        talk_.spent = m.run_seconds;
        return give();
    }
    m.run_seconds += talk_.spent;
    if (talk_.again && m.failed && m.failed->kind == failure_kind::run_timeout)
        m.failed->message += ", and again in a fresh worker";
    talk_.measured = std::move(m);
    stage_.at = state::over;
}

TUNEKIT_INLINE void worker_link::leave(std::string why)
{
    why_gone_ = std::move(why);
    worker_.reset();
    control_.reset();
    zygote_.end_within(0);
    if (try_.known && (!try_.m.failed || !talk_.suspect || talk_.again)) talk_.measured = std::move(try_.m);
    stage_.at = state::gone;
}

}  // namespace tunekit::measure::detail
#endif  // TUNEKIT_BODIES
