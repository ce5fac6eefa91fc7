// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The books of a run: what went out, what is out, what must go out again. Nothing here depends on the strategy's type.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/space/index_set.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/gain_rate.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit::detail {

/// Turns a measurement whose cost is not positive and finite into a failure.
void refuse_bad_cost(measure::measurement& m);

/// The measurement of a configuration that was lost twice.
measure::measurement lost_for_good();

class ledger {
public:
    ledger(const budget& limit, index size) : limit_(limit), size_(size) { check(limit_); }

    /// Puts `known` before whatever the strategy proposes. Leaves out what went out already, and what `know` took.
    /// Returns how many remain.
    std::size_t begin_with(std::span<const index> known);

    /// Whether no result of it is known yet. Throws tunekit::error once anything went out, and std::invalid_argument
    /// for a configuration outside the space or of begin_with.
    [[nodiscard]] bool unknown(index candidate) const;
    /// Takes a configuration whose result is known, so that it is not sent out. Precondition: it is `unknown`.
    void know(index candidate);

    /// Sets the record's reason to stop where a limit is reached.
    void decide(tuning& record) const;

    /// Up to n dropped jobs, under new tickets. After them, up to n of those of begin_with.
    [[nodiscard]] std::vector<job> waiting(const tuning& record, std::size_t n, const measure::limits& within);

    /// The number of configurations of begin_with that went out, whether or not they came back.
    [[nodiscard]] std::size_t begun() const noexcept { return begun_; }

    /// Whether jobs go out before anything new.
    [[nodiscard]] bool waits() const noexcept { return !dropped_.empty() || begun_ < first_.size(); }

    /// The number of configurations that may still go out for the first time.
    [[nodiscard]] std::size_t room(const tuning& record) const noexcept;

    /// The jobs of a proposal. A configuration that went out by begin_with is not sent again: its answer serves both.
    /// The strategy may propose it once, because it may have chosen it before it heard of it.
    [[nodiscard]] std::vector<job> accept(std::span<const index> proposed, std::size_t n,
                                          const measure::limits& within);

    /// Whether the answer to `j` counts. It does not where its configuration has an answer already.
    [[nodiscard]] bool answered(const job& j);

    /// Takes a job back, to go out again. True where it is `lost` and was before; it then counts as answered by a
    /// failure.
    [[nodiscard]] bool dropped(const job& j, bool lost);

    /// Throws tunekit::error where an answer is of no kind, or a stamp of no time.
    static void check_answer(const measure::measurement& m, double stamp);
    static void check_stamp(double stamp);

    /// Moves the run's time to `stamp`, never back. Returns the seconds that passed.
    double pass_to(double stamp);

    [[nodiscard]] const budget& limit() const noexcept { return limit_; }

    /// Takes another budget. Where the limit that stopped the run has changed, it decides again.
    void set_limit(const budget& limit, tuning& record);

    [[nodiscard]] double stamp() const noexcept { return stamp_; }
    [[nodiscard]] std::size_t out() const noexcept { return out_; }
    [[nodiscard]] bool idle() const noexcept { return out_ == 0; }
    [[nodiscard]] std::uint64_t late() const noexcept { return late_; }

private:
    enum class fate : std::uint8_t {
        out,
        answered,
        dropped,
        replaced,  // a late answer to an earlier ticket came first
        lost,      // given up, and its configuration has another answer
    };
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    struct sent {
        index candidate = 0;
        std::uint64_t again = none;  // the ticket under which it went out again
        fate what = fate::out;
        bool lost = false;  // once, under this ticket or an earlier one
    };

    [[nodiscard]] static std::string text(const job& j) { return std::to_string(static_cast<std::uint64_t>(j.ticket)); }

    [[nodiscard]] bool no_longer_pays(const tuning& record) const;

    [[nodiscard]] sent& entry(const job& j);

    [[nodiscard]] job send(index candidate, const measure::limits& within, bool lost);

    budget limit_;
    index size_;
    core::plain_vector<sent> sent_;        // by ticket
    std::vector<std::uint64_t> dropped_;   // tickets to send again, in the order of their loss
    std::vector<index> first_;             // the configurations of begin_with
    std::size_t begun_ = 0;                // the number of these that went out
    std::vector<index> unproposed_first_;  // those that went out or are known, and that the strategy has not proposed
    space::index_set seen_;                // what went out, what begin_with will send, and what is known
    std::size_t out_ = 0;
    std::uint64_t late_ = 0;
    double stamp_ = 0;
};

}  // namespace tunekit::detail

#if TUNEKIT_BODIES
namespace tunekit::detail {

TUNEKIT_INLINE void refuse_bad_cost(measure::measurement& m)
{
    if (m.failed || (std::isfinite(m.cost) && m.cost > 0)) return;
    m.failed = measure::failure{.kind = measure::failure_kind::bad_cost,
                                .message = "the measured cost is " + std::to_string(m.cost) + ", no positive number"};
}

TUNEKIT_INLINE measure::measurement lost_for_good()
{
    measure::measurement m;
    m.failed = measure::failure{.kind = measure::failure_kind::lost, .message = "its worker was lost with it, twice"};
    return m;
}

TUNEKIT_INLINE std::size_t ledger::begin_with(std::span<const index> known)
{
    for (const index i : known)
        require(i < size_, "tuner: begin_with has configuration " + std::to_string(i) + " of a space of " +
                               std::to_string(size_) + ", want an index below its size");
    const std::size_t before = first_.size();
    for (const index i : known)
        if (seen_.insert(i)) first_.push_back(i);
    return first_.size() - before;
}

TUNEKIT_INLINE bool ledger::unknown(index candidate) const
{
    if (!sent_.empty()) throw error("tuner: know comes too late, want it before the first ask");
    require(candidate < size_, "tuner: know has configuration " + std::to_string(candidate) + " of a space of " +
                                   std::to_string(size_) + ", want an index below its size");
    require(std::find(first_.begin(), first_.end(), candidate) == first_.end(),
            "tuner: configuration " + std::to_string(candidate) + " is to go out first, want no result of it");
    return !seen_.contains(candidate);
}

TUNEKIT_INLINE void ledger::know(index candidate)
{
    seen_.insert(candidate);
    unproposed_first_.push_back(candidate);
}

TUNEKIT_INLINE void ledger::decide(tuning& record) const
{
    if (record.stopped() != stop_reason::running) return;
    if (record.trials().size() >= limit_.trials) record.stop(stop_reason::trials);
    else if (stamp_ >= limit_.seconds) record.stop(stop_reason::seconds);
    else if (record.found() && record.best_cost() <= limit_.until_cost) record.stop(stop_reason::cost);
    else if (record.stale() >= limit_.patience) record.stop(stop_reason::patience);
    else if (no_longer_pays(record)) record.stop(stop_reason::gain);
}

TUNEKIT_INLINE bool ledger::no_longer_pays(const tuning& record) const
{
    constexpr std::size_t first = 8;  // fewer trials say little about a curve
    if (!(limit_.stop_when_gain_below > 0) || record.trials().size() < first || !record.found()) return false;
    return limit_.stop_when_gain_below == forever ||
           gain_rate(record.curve(), limit_.calls) < limit_.stop_when_gain_below;
}

TUNEKIT_INLINE std::vector<job> ledger::waiting(const tuning& record, std::size_t n, const measure::limits& within)
{
    std::vector<job> out;
    for (std::size_t k = (std::min)(n, dropped_.size()); k-- > 0;) {
        const std::uint64_t was = dropped_.front();
        dropped_.erase(dropped_.begin());
        sent_[was].again = sent_.size();
        out.push_back(send(sent_[was].candidate, within, sent_[was].lost));
    }
    if (!out.empty()) return out;
    for (std::size_t k = (std::min)({n, room(record), first_.size() - begun_}); k-- > 0;) {
        unproposed_first_.push_back(first_[begun_]);
        out.push_back(send(first_[begun_++], within, false));
    }
    return out;
}

TUNEKIT_INLINE std::size_t ledger::room(const tuning& record) const noexcept
{
    const std::uint64_t used = record.trials().size() + out_ + dropped_.size();
    return static_cast<std::size_t>(limit_.trials > used ? limit_.trials - used : 0);
}

TUNEKIT_INLINE std::vector<job> ledger::accept(std::span<const index> proposed, std::size_t n,
                                               const measure::limits& within)
{
    if (proposed.size() > n)
        throw error("tuner: the strategy proposed " + core::detail::counted(proposed.size(), "configuration") +
                    " where it was asked for " + std::to_string(n) + "; want at most that many");
    std::vector<job> out;
    out.reserve(proposed.size());
    for (const index i : proposed) {
        if (i >= size_)
            throw error("tuner: the strategy proposed configuration " + std::to_string(i) + ", outside the space of " +
                        std::to_string(size_));
        if (seen_.insert(i)) {
            out.push_back(send(i, within, false));
            continue;
        }
        const auto first = std::find(unproposed_first_.begin(), unproposed_first_.end(), i);
        if (first == unproposed_first_.end())
            throw error("tuner: the strategy proposed configuration " + std::to_string(i) +
                        " twice; want each at most once in a run");
        unproposed_first_.erase(first);
    }
    return out;
}

TUNEKIT_INLINE bool ledger::answered(const job& j)
{
    sent& s = entry(j);
    switch (s.what) {
        case fate::out:
            s.what = fate::answered;
            --out_;
            return true;
        case fate::dropped:
            break;
        case fate::answered:
            throw error("tuner: ticket " + text(j) + " was answered already; tell each job once");
        case fate::replaced:
        case fate::lost:
            s.what = fate::answered;
            ++late_;
            return false;
    }
    // A late answer: the job was given up, but its answer counts while there is no other.
    s.what = fate::answered;
    std::uint64_t last = static_cast<std::uint64_t>(j.ticket);
    while (sent_[last].again != none) last = sent_[last].again;
    if (sent_[last].what == fate::out) {
        sent_[last].what = fate::replaced;
        --out_;
    } else if (const auto queued = std::find(dropped_.begin(), dropped_.end(), last); queued != dropped_.end()) {
        dropped_.erase(queued);
        sent_[last].what = last == static_cast<std::uint64_t>(j.ticket) ? fate::answered : fate::lost;
    } else {
        ++late_;
        return false;
    }
    return true;
}

TUNEKIT_INLINE bool ledger::dropped(const job& j, bool lost)
{
    sent& s = entry(j);
    if (s.what == fate::replaced) {
        s.what = fate::lost;
        return false;
    }
    if (s.what != fate::out)
        throw error("tuner: ticket " + text(j) + (s.what == fate::answered ? " was answered" : " was dropped") +
                    " already; drop what is out");
    --out_;
    if (lost && std::exchange(s.lost, true)) {
        s.what = fate::lost;
        return true;
    }
    s.what = fate::dropped;
    dropped_.push_back(static_cast<std::uint64_t>(j.ticket));
    return false;
}

TUNEKIT_INLINE void ledger::check_answer(const measure::measurement& m, double stamp)
{
    check_stamp(stamp);
    const auto kind = m.failed ? static_cast<std::uint8_t>(m.failed->kind) : std::uint8_t{0};
    if (!measure::failure_kind_of(kind))
        throw error("tuner: a failure is of kind " + std::to_string(kind) + "; want one of failure_kind");
}

TUNEKIT_INLINE void ledger::check_stamp(double stamp)
{
    if (!std::isfinite(stamp)) throw error("tuner: a stamp is not a finite number; want seconds since the run began");
}

TUNEKIT_INLINE double ledger::pass_to(double stamp)
{
    check_stamp(stamp);
    const double passed = stamp > stamp_ ? stamp - stamp_ : 0;
    if (stamp > stamp_) stamp_ = stamp;
    return passed;
}

TUNEKIT_INLINE void ledger::set_limit(const budget& limit, tuning& record)
{
    check(limit);
    const bool again = (record.stopped() == stop_reason::trials && limit.trials != limit_.trials) ||
                       (record.stopped() == stop_reason::seconds && limit.seconds != limit_.seconds) ||
                       (record.stopped() == stop_reason::patience && limit.patience != limit_.patience) ||
                       (record.stopped() == stop_reason::cost && limit.until_cost != limit_.until_cost) ||
                       (record.stopped() == stop_reason::gain &&
                        (limit.stop_when_gain_below != limit_.stop_when_gain_below || limit.calls != limit_.calls));
    limit_ = limit;
    if (!again) return;
    record.stop(stop_reason::running);
    decide(record);
}

TUNEKIT_INLINE ledger::sent& ledger::entry(const job& j)
{
    const auto t = static_cast<std::uint64_t>(j.ticket);
    if (t >= sent_.size()) throw error("tuner: ticket " + text(j) + " was never given out; tell what ask returned");
    if (sent_[t].candidate != j.candidate)
        throw error("tuner: ticket " + text(j) + " went out with configuration " + std::to_string(sent_[t].candidate) +
                    ", not " + std::to_string(j.candidate) + "; tell the job that ask returned");
    return sent_[t];
}

TUNEKIT_INLINE job ledger::send(index candidate, const measure::limits& within, bool lost)
{
    job out{.ticket = tunekit::ticket{sent_.size()}, .candidate = candidate, .limits = within};
    sent_.push_back({.candidate = candidate, .lost = lost});
    ++out_;
    return out;
}

}  // namespace tunekit::detail
#endif  // TUNEKIT_BODIES
