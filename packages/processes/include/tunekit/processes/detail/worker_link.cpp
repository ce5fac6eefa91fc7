// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/worker_link.hpp"

#include <sys/types.h>
#include <sys/wait.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <variant>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/child.hpp"
#include "tunekit/processes/detail/descent.hpp"
#include "tunekit/processes/detail/fork_zygote.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/zygote.hpp"

namespace tunekit::measure::detail {

double patience_with(char state, double now, double patience) noexcept
{
    if (state == 'R') return now + zygote_seconds;
    if (state == 'T' || state == 't') return (std::min)(patience, now + 0.5);
    return patience;
}

/// The children, and the conversation with them. The names are those of `worker_link`.
class worker_link::parts {
public:
    parts(started_zygote children, worker_hold hold);
    parts(const parts&) = delete;
    parts& operator=(const parts&) = delete;
    ~parts();

    [[nodiscard]] bool gone() const noexcept { return std::holds_alternative<no_children>(state_); }
    [[nodiscard]] bool refused() const noexcept
    {
        const auto* none = std::get_if<no_children>(&state_);
        return none != nullptr && none->refused;
    }
    [[nodiscard]] const descriptor& control() const noexcept { return control_; }
    [[nodiscard]] const worker_hold& hold() const noexcept { return hold_; }
    void end() { state_ = leave("it was ended"); }
    [[nodiscard]] const std::string& why_gone() const { return std::get<no_children>(state_).why; }
    void begin(const order& next);
    void renew() noexcept { worker_.socket.reset(); }
    void watch(poll_set& events) const;
    bool advance();
    [[nodiscard]] std::optional<measurement> take();

private:
    struct idle {};
    /// The worker has the order.
    struct running {
        double look = 0;          ///< when its memory is looked at next
        double by = 0;            ///< when it is out of time
        bool waited_for = false;  ///< whether there was nothing to read once
        std::vector<unsigned char> bytes{};
    };
    /// The worker has answered, and what it left may still run.
    struct settling {
        bool changed = false;        ///< whether the candidate changed its worker so that no other may run in it
        double look = 0;             ///< when threads are looked at next
        std::optional<double> by{};  ///< when they must have come to rest; empty before the first look
    };
    enum class then : std::uint8_t { give, conclude, finish };
    /// The zygote makes another worker.
    struct replacing {
        then after = then::give;
        double look = 0;  ///< when the zygote is looked at next
        double by = 0;    ///< when it counts as gone
    };
    struct measured {
        measurement m{};
    };
    struct no_children {
        std::string why{};
        std::optional<measurement> known{};  ///< of the candidate that was under way
        bool refused = false;
    };
    using state = std::variant<idle, running, settling, replacing, measured, no_children>;

    /// The worker that was made last.
    struct worker {
        descriptor socket{};  ///< empty once another one is wanted
        pid_t pid = -1;
        leftovers beside{};
        std::size_t baseline = 0;  ///< resident bytes when it began
        std::uint64_t served = 0;  ///< candidates that it was given
    };
    /// One run of the candidate in one worker.
    struct attempt {
        double start = 0;
        bool known = false;  ///< whether `m` is its result, whatever happens to the worker
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
        attempt tried{};   ///< the one under way, or the last
    };

    /// Seconds of a measurement beyond which the state of the keeper, which takes 3 us to read, is looked at.
    static constexpr double looked_at_seconds = 3e-4;
    static constexpr double settle_seconds = 0.01;  ///< within which threads must come to rest, as those of OpenMP do

    [[nodiscard]] bool watched() const noexcept { return hold_.watched && hold_.memory_bytes != 0; }
    [[nodiscard]] std::string limit_text() const
    {
        return short_number(static_cast<double>(hold_.memory_bytes >> 20)) + " MiB";
    }
    /// Whether the zygote has reported that this worker has ended, or the zygote is gone.
    bool told_of_end();

    // What follows a state; empty where there is something to wait for.
    /// Reads what the worker has sent.
    std::optional<state> after(running& now);
    /// Makes sure that nothing of a candidate that succeeded still runs beside the next one.
    std::optional<state> after(settling& now);
    /// Takes the zygote's next answer to an order.
    std::optional<state> after(replacing& now);

    // The transitions: what they do, and the state that follows.
    /// Sends the order.
    state give();
    /// Takes an answer: what a good one left must settle, and any other needs another worker.
    state answered(bool changed);
    /// Ends a try with a failure that is known before its worker ends.
    state fail(failure_kind kind, std::string message);
    /// Ends a try whose worker ends or is ended at once.
    state condemn(bool at_once);
    /// Asks for another worker.
    state replace(bool at_once, then next);
    /// Takes the new worker, if there is one.
    state replaced(const zygote_answer& answer, then next);
    /// Decides on a try, whose worker ended as `how` says, where it did.
    state conclude(const zygote_answer& how);
    /// Ends the conversation, or begins the second try.
    state finish(bool culprit);
    /// Gives up the children, for the reason `why`. A known result of the candidate stays known.
    state leave(std::string why, bool refused = false);

    worker_hold hold_;
    child zygote_;
    descriptor control_;  ///< to the zygote
    worker worker_{};
    conversation talk_{};
    state state_{};
};

worker_link::parts::parts(started_zygote children, worker_hold hold)
    : hold_(std::move(hold)), zygote_(std::move(children.process)), control_(std::move(children.control))
{
}

worker_link::parts::~parts()
{
    control_.reset();  // the zygote ends the worker and itself
    worker_.socket.reset();
    zygote_.end_within(zygote_seconds);
}

void worker_link::parts::begin(const order& next)
{
    talk_ = {.next = next, .run_seconds = next.within.run_seconds, .suspect = worker_.served > 0};
    talk_.next.within.run_seconds *= 0.9;  // so that a good candidate answers before it would be killed
    state_ = give();
}

void worker_link::parts::watch(poll_set& events) const
{
    if (const auto* const r = std::get_if<running>(&state_)) {
        events.add(worker_.socket.get());
        events.add(control_.get());
        events.by(watched() ? (std::min)(r->by, r->look) : r->by);
    } else if (const auto* const s = std::get_if<settling>(&state_)) {
        events.by(s->look);
    } else if (const auto* const z = std::get_if<replacing>(&state_)) {
        events.add(control_.get());
        events.by((std::min)(z->by, z->look));
    } else {
        events.by(0);  // nothing to wait for
    }
}

bool worker_link::parts::advance()
{
    for (;;) {
        std::optional<state> next;
        if (auto* const r = std::get_if<running>(&state_)) next = after(*r);
        else if (auto* const s = std::get_if<settling>(&state_)) next = after(*s);
        else if (auto* const z = std::get_if<replacing>(&state_)) next = after(*z);
        else return true;
        if (!next) return false;
        state_ = *std::move(next);
    }
}

std::optional<measurement> worker_link::parts::take()
{
    if (gone()) return std::exchange(std::get<no_children>(state_).known, std::nullopt);
    return std::get<measured>(std::exchange(state_, idle{})).m;
}

worker_link::parts::state worker_link::parts::give()
{
    if (!worker_.socket) return replace(true, then::give);
    talk_.next.nonce = fresh_nonce();
    if (!send_packet(worker_.socket.get(), &talk_.next, sizeof talk_.next)) {
        if (talk_.sent_anew) return leave("a new worker does not listen");
        talk_.sent_anew = true;  // the worker ended between two candidates
        return replace(true, then::give);
    }
    ++worker_.served;
    talk_.tried = {.start = wall_clock{}()};
    return running{.look = talk_.tried.start + 0.01, .by = talk_.tried.start + talk_.run_seconds};
}

bool worker_link::parts::told_of_end()
{
    zygote_answer news;
    std::size_t size = 0;
    for (;;) {
        const received what = receive_now(control_.get(), &news, sizeof news, size);
        if (what == received::nothing_yet) return false;
        if (what == received::end || (size == sizeof news && news.worker == worker_.pid)) return true;
    }
}

std::optional<worker_link::parts::state> worker_link::parts::after(running& r)
{
    unsigned char packet[max_packet];
    bool over = false;  // whether the worker has ended; what it sent before is read first
    for (;;) {
        std::size_t size = 0;
        const received what = receive_now(worker_.socket.get(), packet, sizeof packet, size);
        const double now = wall_clock{}();
        if (what == received::end) return condemn(false);
        if (now >= r.by && (what == received::nothing_yet || !r.bytes.empty()))
            return fail(failure_kind::run_timeout, "was still running after " + short_number(talk_.run_seconds) + " s");
        if (what == received::nothing_yet) {
            if (over) return condemn(false);
            over = std::exchange(r.waited_for, true) && told_of_end();
            if (over) continue;
            if (watched() && now >= r.look) {
                if (memory_of(worker_.pid, 1) > worker_.baseline + hold_.memory_bytes)
                    return fail(failure_kind::out_of_memory,
                                "made more than " + limit_text() + " resident (killed by the parent)");
                r.look = now + 0.01;
            }
            return std::nullopt;
        }
        r.bytes.insert(r.bytes.end(), packet, packet + size);
        const std::optional<answer_head> head = head_of(r.bytes, talk_.next);
        if (head && head->total != r.bytes.size()) continue;
        if (head && from_bytes(r.bytes, *head, talk_.tried.m)) return answered(head->changed != 0);
        return fail(failure_kind::crash, "damaged the worker, which answered nonsense");
    }
}

worker_link::parts::state worker_link::parts::answered(bool changed)
{
    talk_.tried.known = true;
    std::optional<failure>& failed = talk_.tried.m.failed;
    if (!failed) return settling{.changed = changed};
    if (failed->kind == failure_kind::out_of_memory && !hold_.watched && hold_.memory_bytes != 0)
        failed->message += ", held to " + limit_text() + " more of address space (RLIMIT_AS)";
    return condemn(true);
}

worker_link::parts::state worker_link::parts::fail(failure_kind kind, std::string message)
{
    talk_.tried.known = true;
    talk_.tried.m.failed = failure{kind, 0, std::move(message)};
    return condemn(true);
}

worker_link::parts::state worker_link::parts::condemn(bool at_once)
{
    measurement& m = talk_.tried.m;
    if (m.run_seconds == 0) m.run_seconds = wall_clock{}() - talk_.tried.start;
    return replace(at_once, then::conclude);
}

std::optional<worker_link::parts::state> worker_link::parts::after(settling& s)
{
    // A candidate that took long may have sent its keeper a signal, as far as that can be seen.
    const bool attacked = wall_clock{}() - talk_.tried.start > looked_at_seconds && !worker_.beside.keeper_sleeps();
    const leftovers::found left = s.changed || attacked ? leftovers::found::processes : worker_.beside.look();
    if (left == leftovers::found::nothing) return conclude({});
    const double now = wall_clock{}();
    if (!s.by) s.by = now + settle_seconds;
    if (left == leftovers::found::processes || now >= *s.by) return replace(true, then::conclude);
    s.look = now + 1e-3;
    return std::nullopt;
}

worker_link::parts::state worker_link::parts::replace(bool at_once, then next)
{
    worker_.socket.reset();
    const zygote_order order{at_once ? 1U : 0U};
    send_packet(control_.get(), &order, sizeof order);  // where that fails, its last answer or its end can be read
    const double now = wall_clock{}();
    return replacing{.after = next, .look = now + 0.1, .by = now + zygote_seconds};
}

std::optional<worker_link::parts::state> worker_link::parts::after(replacing& z)
{
    zygote_answer answer;
    std::size_t size = 0;
    received what = received::packet;
    do what = receive_now(control_.get(), &answer, sizeof answer, size, &worker_.socket);
    while (what == received::packet && size == sizeof answer &&
           answer.news == zygote_answer::what::ended);  // sent before it read the order
    if (what == received::packet && size == sizeof answer) return replaced(answer, z.after);
    if (what == received::packet) return leave("the zygote answers nonsense");
    if (what == received::end) return leave("the zygote is gone; something ended it");
    const double now = wall_clock{}();
    if (now >= z.look) {
        z.by = patience_with(proc_text("/proc/%d/stat", zygote_.pid()).state_and_parent().first, now, z.by);
        z.look = now + 0.1;
    }
    if (now >= z.by) return leave("the zygote does not answer; something stopped it");
    return std::nullopt;
}

worker_link::parts::state worker_link::parts::replaced(const zygote_answer& answer, then next)
{
    if (answer.worker < 0 || !worker_.socket) {
        // The system drops a descriptor for which this process has no room.
        const int why = answer.worker < 0 ? answer.error : EMFILE;
        const bool passes = why == EAGAIN || why == ENOMEM || why == ECHILD;  // a candidate may have caused it
        return leave(
            "no new worker: " + std::string(std::strerror(why)) +
                (why == EMFILE || why == ENFILE ? remedy_of(why)
                 : why == ENOENT                ? " (/dev/null); want a system that has it"
                 : hold_.confined
                     ? "; want a system that gives PID and network namespaces and seccomp, or .confined = false"
                 : hold_.enclosed ? "; want a system that gives PID namespaces, or .enclosed = false"
                                  : ""),
            !passes);
    }
    worker_.pid = answer.worker;
    worker_.beside = leftovers(answer.keeper, answer.worker);
    worker_.served = 0;
    if (watched()) worker_.baseline = memory_of(worker_.pid, 1);
    return next == then::give ? give() : next == then::conclude ? conclude(answer) : finish(true);
}

namespace {

/// The failure of a candidate whose conversation ended, by how the worker ended.
failure failure_of_end(const zygote_answer& how)
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

}  // namespace

worker_link::parts::state worker_link::parts::conclude(const zygote_answer& how)
{
    measurement& m = talk_.tried.m;
    if (!talk_.tried.known || how.orphaned != 0) m = {.run_seconds = m.run_seconds, .failed = failure_of_end(how)};
    if (m.run_seconds == 0) m.run_seconds = wall_clock{}() - talk_.tried.start;
    std::string where = damage_at(hold_.canaries);
    if (where.empty()) where = how.damage;
    if (where.empty()) return finish(m.failed && m.failed->kind == failure_kind::damaged_canary);
    blame(m, where);
    talk_.tried.known = true;
    if (worker_.served != 0) return replace(true, then::finish);
    return finish(true);
}

worker_link::parts::state worker_link::parts::finish(bool culprit)
{
    measurement& m = talk_.tried.m;
    if (m.failed && talk_.suspect && !culprit && !talk_.again) {
        talk_.again = true;
        talk_.spent = m.run_seconds;
        return give();
    }
    m.run_seconds += talk_.spent;
    if (talk_.again && m.failed && m.failed->kind == failure_kind::run_timeout)
        m.failed->message += ", and again in a fresh worker";
    return measured{std::move(m)};
}

worker_link::parts::state worker_link::parts::leave(std::string why, bool refused)
{
    worker_.socket.reset();
    control_.reset();
    zygote_.end_within(0);
    auto& [start, known, m] = talk_.tried;
    no_children out{.why = std::move(why), .refused = refused};
    if (known && (!m.failed || !talk_.suspect || talk_.again)) out.known = std::move(m);
    return out;
}

worker_link::worker_link(started_zygote children, worker_hold hold)
    : it_(new parts(std::move(children), std::move(hold)))
{
}

worker_link::~worker_link() { delete it_; }

bool worker_link::gone() const noexcept { return it_->gone(); }
bool worker_link::refused() const noexcept { return it_->refused(); }
const descriptor& worker_link::control() const noexcept { return it_->control(); }
const worker_hold& worker_link::hold() const noexcept { return it_->hold(); }
void worker_link::end() { it_->end(); }
const std::string& worker_link::why_gone() const { return it_->why_gone(); }
void worker_link::begin(const order& next) { it_->begin(next); }
void worker_link::renew() noexcept { it_->renew(); }
void worker_link::watch(poll_set& events) const { it_->watch(events); }
bool worker_link::advance() { return it_->advance(); }
std::optional<measurement> worker_link::take() { return it_->take(); }

void worker_link::await()
{
    do {
        poll_set events;
        watch(events);
        events.wait(wall_clock{}());
    } while (!advance());
}

}  // namespace tunekit::measure::detail
