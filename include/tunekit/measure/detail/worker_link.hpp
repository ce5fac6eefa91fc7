// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parent's side of a worker: one candidate at a time, from its order to its measurement, without waiting.

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/detail/descent.hpp"
#include "tunekit/measure/detail/process.hpp"
#include "tunekit/measure/detail/worker.hpp"
#include "tunekit/measure/guarded_buffer.hpp"

namespace tunekit::measure::detail {

struct zygote_answer;

/// What holds the candidates of a worker.
struct worker_hold {
    std::size_t memory_bytes = 0;    ///< that a candidate may add; 0: no limit
    bool watched = false;            ///< by the parent, in what is resident; else by the system, in address space
    std::vector<canary> canaries{};  ///< that the parent can see
    std::vector<int> cores{};        ///< none: whatever there is
    bool enclosed = false;           ///< in a PID namespace for each worker
};

/// A zygote that was started and the parent's end of the conversation with it.
struct started_zygote {
    descriptor control{};
    pid_t pid = -1;
};

/// Forks the zygote, whose workers measure with `work`: `work` and what it refers to are needed during this call alone.
/// `who` is for messages. Throws tunekit::error where this process runs other threads or the system gives no child.
started_zygote fork_zygote(work_ref work, const worker_hold& hold, const char* who);

/// Owns a zygote and the worker that it made last, and leads the conversation about one candidate:
///
///     link.begin(order);
///     while (!link.advance()) { poll_set events; link.watch(events); events.wait(now()); }
///     const std::optional<measurement> m = link.take();          // none: the children are gone, and with them the job
///
/// A worker is replaced after any failure. Where it had run other candidates before, the one that failed is repeated in
/// the fresh one, unless a canary shows who it was. Move-only.
class worker_link {
public:
    worker_link(started_zygote children, worker_hold hold);
    worker_link(worker_link&& other) noexcept;
    worker_link& operator=(worker_link&& other) noexcept;
    worker_link(const worker_link&) = delete;
    worker_link& operator=(const worker_link&) = delete;

    /// Ends the children and waits for them.
    ~worker_link();

    [[nodiscard]] bool idle() const noexcept { return at_ == state::idle; }
    /// The children cannot be had any more.
    [[nodiscard]] bool gone() const noexcept { return at_ == state::gone; }
    /// The conversation with the zygote.
    [[nodiscard]] const descriptor& control() const noexcept { return control_; }
    [[nodiscard]] const worker_hold& hold() const noexcept { return hold_; }
    /// Ends the children at once.
    void end() { leave("it was ended"); }
    [[nodiscard]] const std::string& why_gone() const noexcept { return why_gone_; }

    /// Gives a candidate to the worker there is, or to a new one. Precondition: idle().
    void begin(const order& next);

    /// What it waits for.
    void watch(poll_set& events) const;

    /// Does what can be done without waiting. True once the candidate is measured or lost; then `take` it.
    bool advance();

    /// The measurement; none where the children are gone and what became of the candidate is not known.
    [[nodiscard]] std::optional<measurement> take();

private:
    enum class state : std::uint8_t { idle, running, settling, replacing, over, gone };
    enum class heard : std::uint8_t { answer, end, nonsense, too_long, too_much };
    enum class then : std::uint8_t { give, conclude, finish };

    /// The conversation about one candidate.
    struct conversation {
        order next{};
        double run_seconds = 0;  ///< the limit
        bool suspect = false;    ///< the worker had run others before
        bool again = false;      ///< this is the second try, in a fresh worker
        bool sent_anew = false;
        double start = 0;
        bool waited_for = false;
        double next_look = 0;  ///< at its memory, or at its threads
        double settle_by = 0;  ///< when threads that still run are no longer put up with
        double spent = 0;      ///< seconds of the first try
        std::vector<unsigned char> bytes{};
        heard how = heard::answer;
        bool changed = false;  ///< the candidate leaves its worker as no other may find it
        bool known = false;    ///< what this try gave is known, whatever becomes of the worker
        measurement m{};
        then after = then::give;  ///< the replacement
        std::optional<measurement> measured{};
    };

    static constexpr double zygote_seconds =
        10;  ///< within which it answers; it waits for half a second, then for the dying
    static constexpr double settle_seconds = 0.01;  ///< in which threads may come to rest, as those of OpenMP do

    [[nodiscard]] bool watched() const noexcept { return hold_.watched && hold_.memory_bytes != 0; }

    void give();

    /// Whether the zygote has said that this worker has ended, or says nothing any more.
    bool told_of_end();

    /// Hears what there is to hear. True where that is the end of this try.
    bool listen();

    /// Sees to it that nothing of a candidate that succeeded runs on beside the next. True where that is done.
    bool settled();

    bool heard_all(heard how);

    /// Asks for another worker.
    void replace(bool at_once, then after);

    /// Takes the new worker, if it is there. True where the conversation goes on or is over.
    bool replaced();

    /// Ends a try. `how`: how its worker ended, where it did.
    void conclude(const zygote_answer& how);

    /// Ends the conversation, or begins the second try.
    void finish(bool culprit);

    /// The children cannot be had any more. What is known of the candidate stays known.
    void leave(std::string why);

    /// What an ended conversation means, by how the worker ended.
    static failure ended(const zygote_answer& how);

    /// Waits for the zygote's end, and brings it about where it does not come: something may have stopped it.
    void await_zygote(bool at_once) noexcept;

    [[nodiscard]] std::string megabytes() const;

    static std::string number(double x);

    worker_hold hold_;
    descriptor control_;  ///< to the zygote
    descriptor worker_;
    pid_t zygote_ = -1;
    pid_t worker_pid_ = -1;
    leftovers beside_{};
    std::size_t baseline_ = 0;  ///< resident bytes of the worker when it began
    std::uint64_t served_ = 0;  ///< candidates that this worker was given
    state at_ = state::idle;
    double patience_ = 0;  ///< when a zygote that has not answered counts as gone
    conversation talk_{};
    std::string why_gone_{};
};

/// What is known of candidates that failed: they are not run again, after a time-out unless the limit is longer.
class bad_candidates {
    struct held {
        std::uint64_t task = 0;
        index candidate = 0;
        measurement what{};
        double run_seconds = 0;  ///< the limit under which it failed
    };

    [[nodiscard]] static std::uint64_t hash_of(std::uint64_t task, index candidate) noexcept;
    /// Its number in `bad_`, or none.
    [[nodiscard]] std::uint32_t number_of(const order& o) const;

public:
    /// The failure; null where it is not known.
    [[nodiscard]] const measurement* find(const order& o) const;

    /// What fails then is noted anew.
    void forget(const order& o);

    void note(const order& o, const measurement& m);

private:
    std::vector<held> bad_;
    core::index_table<std::uint32_t> numbers_;  ///< of those in `bad_`
};

}  // namespace tunekit::measure::detail

#if TUNEKIT_BODIES
#include <cerrno>
#include <csignal>
#include <cstdio>

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
        if (!close_all_but(theirs.get()) || !use_cores(hold.cores)) end_process(status_unheard);
        zygote(work, hold.watched ? 0 : hold.memory_bytes, {}, hold.enclosed).run();
    }
    return {std::move(ours), child};
}

TUNEKIT_INLINE worker_link::worker_link(started_zygote children, worker_hold hold)
    : hold_(std::move(hold)), control_(std::move(children.control)), zygote_(children.pid)
{
}

TUNEKIT_INLINE worker_link::worker_link(worker_link&& other) noexcept
    : hold_(std::move(other.hold_)),
      control_(std::move(other.control_)),
      worker_(std::move(other.worker_)),
      zygote_(std::exchange(other.zygote_, -1)),
      worker_pid_(other.worker_pid_),
      beside_(std::move(other.beside_)),
      baseline_(other.baseline_),
      served_(other.served_),
      at_(other.at_),
      talk_(std::move(other.talk_)),
      why_gone_(std::move(other.why_gone_))
{
}

TUNEKIT_INLINE worker_link& worker_link::operator=(worker_link&& other) noexcept
{
    worker_link taken(std::move(other));
    std::swap(hold_, taken.hold_);
    std::swap(control_, taken.control_);
    std::swap(worker_, taken.worker_);
    std::swap(zygote_, taken.zygote_);
    std::swap(worker_pid_, taken.worker_pid_);
    std::swap(beside_, taken.beside_);
    std::swap(baseline_, taken.baseline_);
    std::swap(served_, taken.served_);
    std::swap(at_, taken.at_);
    std::swap(talk_, taken.talk_);
    std::swap(why_gone_, taken.why_gone_);
    return *this;
}

TUNEKIT_INLINE worker_link::~worker_link()
{
    control_.reset();  // the zygote ends the worker and itself
    worker_.reset();
    await_zygote(false);
}

TUNEKIT_INLINE void worker_link::begin(const order& next)
{
    talk_ = {};
    talk_.next = next;
    talk_.next.within.run_seconds *= 0.9;  // so that a good candidate hands in what it has before it is killed
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
        events.by(patience_);
    }
}

TUNEKIT_INLINE bool worker_link::advance()
{
    for (;;) {
        const state before = at_;
        if (at_ == state::running && !listen()) return false;
        if (at_ == state::settling && !settled()) return false;
        if (at_ == state::replacing && before == state::replacing && !replaced()) return false;
        if (at_ == state::idle || at_ == state::over || at_ == state::gone) return true;
    }
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
        c.sent_anew = true;  // it ended between two candidates
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
    bool over = false;  // what a worker said before its end comes first
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

TUNEKIT_INLINE void worker_link::replace(bool at_once, then after)
{
    worker_.reset();
    talk_.after = after;
    const zygote_order order{at_once ? 1U : 0U};
    if (!send_packet(control_.get(), &order, sizeof order)) return leave("the zygote is gone; something ended it");
    patience_ = wall_clock{}() + zygote_seconds;
    at_ = state::replacing;
}

TUNEKIT_INLINE bool worker_link::replaced()
{
    zygote_answer answer;
    std::size_t size = 0;
    do {
        switch (receive_now(control_.get(), &answer, sizeof answer, size, &worker_)) {
            case received::nothing_yet:
                if (wall_clock{}() < patience_) return false;
                leave("the zygote does not answer; something stopped it");
                return true;
            case received::end:
                leave("the zygote is gone; something ended it");
                return true;
            case received::packet:
                break;
        }
    } while (size == sizeof answer && answer.news == zygote_answer::what::ended);  // said before it heard the order
    if (size != sizeof answer) {
        leave("the zygote answers nonsense");
        return true;
    }
    if (answer.worker < 0 || !worker_) {
        leave("no new worker: " + std::string(std::strerror(answer.error)) +
              (hold_.enclosed ? "; want a system that gives PID namespaces, or .enclosed = false" : ""));
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
    c.measured = std::move(c.m);
    at_ = state::over;
}

TUNEKIT_INLINE void worker_link::leave(std::string why)
{
    why_gone_ = std::move(why);
    worker_.reset();
    control_.reset();
    await_zygote(true);  // which ends the worker
    if (talk_.known && (!talk_.m.failed || !talk_.suspect || talk_.again)) talk_.measured = std::move(talk_.m);
    at_ = state::gone;
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

TUNEKIT_INLINE void worker_link::await_zygote(bool at_once) noexcept
{
    if (zygote_ < 0) return;
    const double deadline = wall_clock{}() + (at_once ? 0 : zygote_seconds);
    for (int nap = 50; wall_clock{}() < deadline; nap = (std::min)(2 * nap, 10000)) {
        const pid_t ended = ::waitpid(zygote_, nullptr, WNOHANG);
        if (ended == zygote_ || (ended < 0 && errno != EINTR)) {
            zygote_ = -1;
            return;
        }
        ::usleep(static_cast<useconds_t>(nap));
    }
    ::kill(zygote_, SIGKILL);
    while (::waitpid(zygote_, nullptr, 0) < 0 && errno == EINTR) {
    }
    zygote_ = -1;
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

TUNEKIT_INLINE std::uint64_t bad_candidates::hash_of(std::uint64_t task, index candidate) noexcept
{
    return core::mixed(core::mixed(0, task), candidate);
}

TUNEKIT_INLINE std::uint32_t bad_candidates::number_of(const order& o) const
{
    return numbers_.find(hash_of(o.task, o.candidate),
                         [&](std::uint32_t k) { return bad_[k].task == o.task && bad_[k].candidate == o.candidate; });
}

TUNEKIT_INLINE const measurement* bad_candidates::find(const order& o) const
{
    const std::uint32_t known = number_of(o);
    if (known == numbers_.none) return nullptr;
    const held& h = bad_[known];
    if (!h.what.failed) return nullptr;
    const bool longer = o.within.run_seconds > h.run_seconds;
    return h.what.failed->kind == failure_kind::run_timeout && longer ? nullptr : &h.what;
}

TUNEKIT_INLINE void bad_candidates::forget(const order& o)
{
    if (const std::uint32_t known = number_of(o); known != numbers_.none) bad_[known].what.failed.reset();
}

TUNEKIT_INLINE void bad_candidates::note(const order& o, const measurement& m)
{
    if (!m.failed) return;
    if (const std::uint32_t known = number_of(o); known != numbers_.none) {
        bad_[known].what = m;
        bad_[known].run_seconds = o.within.run_seconds;
        return;
    }
    const auto number = static_cast<std::uint32_t>(bad_.size());
    bad_.push_back({o.task, o.candidate, m, o.within.run_seconds});
    numbers_.add(
        number, hash_of(o.task, o.candidate), [](std::uint32_t) { return false; },
        [this](std::uint32_t k) { return hash_of(bad_[k].task, bad_[k].candidate); });
}

}  // namespace tunekit::measure::detail
#endif  // TUNEKIT_BODIES
