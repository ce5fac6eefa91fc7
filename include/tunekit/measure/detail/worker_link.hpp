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
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/detail/descent.hpp"
#include "tunekit/measure/detail/fork_zygote.hpp"
#include "tunekit/measure/detail/process.hpp"
#include "tunekit/measure/detail/worker.hpp"

namespace tunekit::measure::detail {

struct zygote_answer;

/// Seconds within which a zygote answers: it waits half a second, and then for killed processes to end.
inline constexpr double zygote_seconds = 10;

/// The moment at which a zygote counts as gone unless it has answered; `patience` is the one before. `state` is its letter
/// in /proc/PID/stat: one that waits for a processor has time, one that was stopped or is traced goes on at once or never.
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
    worker_link(worker_link&& other) noexcept;
    worker_link& operator=(worker_link&& other) noexcept;
    worker_link(const worker_link&) = delete;
    worker_link& operator=(const worker_link&) = delete;

    /// Ends the children and waits for them.
    ~worker_link();

    [[nodiscard]] bool idle() const noexcept { return at_ == state::idle; }
    /// Whether there are no children any more.
    [[nodiscard]] bool gone() const noexcept { return at_ == state::gone || refused(); }
    /// Whether the system gives no children, which no candidate has caused.
    [[nodiscard]] bool refused() const noexcept { return at_ == state::refused; }
    /// The conversation with the zygote.
    [[nodiscard]] const descriptor& control() const noexcept { return control_; }
    [[nodiscard]] const worker_hold& hold() const noexcept { return hold_; }
    /// Ends the children at once.
    void end() { leave("it was ended"); }
    [[nodiscard]] const std::string& why_gone() const noexcept { return why_gone_; }

    /// Gives a candidate to the worker, or to a new one where there is none. Precondition: idle().
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
    enum class state : std::uint8_t { idle, running, settling, replacing, over, gone, refused };
    enum class heard : std::uint8_t { answer, end, nonsense, too_long, too_much };
    enum class then : std::uint8_t { give, conclude, finish };

    /// The conversation about one candidate.
    struct conversation {
        order next{};
        double run_seconds = 0;  ///< the limit
        bool suspect = false;    ///< whether the worker had run others before
        bool again = false;      ///< whether this is the second try, in a fresh worker
        bool sent_anew = false;
        double start = 0;
        bool waited_for = false;
        double next_look = 0;  ///< when its memory, its threads or the zygote are checked next
        double settle_by = 0;  ///< when the worker is replaced if threads still run
        double spent = 0;      ///< seconds of the first try
        std::vector<unsigned char> bytes{};
        heard how = heard::answer;
        bool changed = false;  ///< whether the candidate changed its worker so that no other may run in it
        bool known = false;    ///< whether the result of this try is known, whatever happens to the worker
        measurement m{};
        then after = then::give;  ///< what follows the replacement
        std::optional<measurement> measured{};
    };

    static constexpr double settle_seconds = 0.01;  ///< within which threads must come to rest, as those of OpenMP do

    [[nodiscard]] bool watched() const noexcept { return hold_.watched && hold_.memory_bytes != 0; }

    void give();

    /// Whether the zygote has reported that this worker has ended, or the zygote is gone.
    bool told_of_end();

    /// Reads what the worker has sent. True where that is the end of this try.
    bool listen();

    /// Makes sure that nothing of a candidate that succeeded still runs beside the next one. True where that is done.
    bool settled();

    bool heard_all(heard how);

    /// Asks for another worker.
    void replace(bool at_once, then after);

    /// Takes the new worker, if it has come. True where the conversation continues or is over.
    bool replaced();

    /// Whether a zygote that has not answered may still do so.
    bool may_answer();

    /// Ends a try. `how` says how its worker ended, where it did.
    void conclude(const zygote_answer& how);

    /// Ends the conversation, or begins the second try.
    void finish(bool culprit);

    /// Gives up the children, for the reason `why`. A known result of the candidate stays known.
    void leave(std::string why);

    /// The failure of a candidate whose conversation ended, by how the worker ended.
    static failure ended(const zygote_answer& how);

    /// Waits for the zygote's end, and kills it where it does not end: something may have stopped it.
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
    double patience_ = 0;  ///< the moment at which a zygote that has not answered counts as gone
    conversation talk_{};
    std::string why_gone_{};
};

}  // namespace tunekit::measure::detail

#if TUNEKIT_BODIES
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <utility>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/detail/worker_conversation.hpp"
#include "tunekit/measure/detail/worker_verdict.hpp"

namespace tunekit::measure::detail {

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
      patience_(other.patience_),
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
    std::swap(patience_, taken.patience_);
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

TUNEKIT_INLINE void worker_link::leave(std::string why)
{
    why_gone_ = std::move(why);
    worker_.reset();
    control_.reset();
    await_zygote(true);  // its end ends the worker
    if (talk_.known && (!talk_.m.failed || !talk_.suspect || talk_.again)) talk_.measured = std::move(talk_.m);
    at_ = state::gone;
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

}  // namespace tunekit::measure::detail
#endif  // TUNEKIT_BODIES
