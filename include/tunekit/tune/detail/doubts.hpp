// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Results that a disturbance of the machine may have lengthened, and builds that are put off: which are held back, and
/// what is done about them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/stats/prediction.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit::detail {

/// The record of a task, in that of a run over one space or over several.
template <class Record>
[[nodiscard]] const tuning& record_in(const Record& r, std::size_t task)
{
    if constexpr (requires { r.tasks; }) return r.tasks[task].record;
    else return r;
}

/// How long a build may take beside those of the same space.
class build_times {
public:
    static constexpr std::size_t first = 10;  ///< builds before there is a limit
    static constexpr double least = 0.3;      ///< seconds

    /// `factor` is `candidate_limits::max_build_factor`.
    explicit build_times(double factor) : factor_(factor) {}

    [[nodiscard]] bool on() const noexcept { return factor_ < forever; }
    void hear(double seconds)
    {
        if (on()) seconds_.insert(std::upper_bound(seconds_.begin(), seconds_.end(), seconds), seconds);
    }

    /// `factor` times the 90 % quantile; +inf where there is no limit.
    [[nodiscard]] double limit() const
    {
        if (seconds_.size() < first || !on()) return forever;
        return (std::max)(least, factor_ * seconds_[(9 * seconds_.size() + 9) / 10 - 1]);
    }

private:
    double factor_;
    std::vector<double> seconds_{};  // ascending
};

/// Results that are held back until the machine was looked at. A look runs the incumbent again: slower than its record,
/// it shows a disturbance. The run then waits, within bounds, looks again, measures what is held once more and tells
/// the lower cost, so that no strategy learns a disturbed one. If the disturbance outlasts the wait, the run goes on,
/// and the fastest few that did not win are held until a look finds the machine quiet, or nothing else is left to do.
///
/// A build that its `build_times` ended is held, too, until nothing else is left to do; then it is built once more, or,
/// where the run has ended, recalled.
///
/// It decides only. A loop holds results, carries the jobs of `next`, which no tuner knows, and tells what is
/// `released`.
class doubts {
public:
    static constexpr double slow = 1.06;           ///< times its record that the incumbent takes on a disturbed machine
    static constexpr std::uint32_t look_runs = 3;  ///< of a look that finds all of them slow
    static constexpr double longest_wait = 4;      ///< seconds
    static constexpr double share_of_waits = 0.2;  ///< of the run's seconds, all waits and looks that find it disturbed
    static constexpr std::size_t most_held = 8;    ///< while it is disturbed; beyond that the slowest is told as it is

    /// A result that is held.
    struct held {
        enum class stage : std::uint8_t {
            doubted,    // what a look finds decides
            disturbed,  // a look found a disturbance; to be measured again once it is over
            due,        // to be measured again now
            out,        // is measured again
            decided,    // to be told
            put_off,    // its build took too long beside the others
            recalled,   // the same, and the run has ended, or lost it
        };
        job what;
        measure::measurement measured;
        std::size_t worker = 0;
        stage at = stage::doubted;
        ticket again{};  // of its second measurement
    };

    /// `watched` says of which tasks the results are doubted; what the run saw before goes on, and `seconds` is the end
    /// of its budget.
    doubts(std::vector<machine_checks> seen, double seconds)
        : seen_(std::move(seen)), limit_(seconds), builds_(seen_.size(), build_times(forever))
    {
        for (const machine_checks& s : seen_) waited_ += s.waited_seconds;
    }

    /// Limits the builds of task `k`.
    void limit_builds(std::size_t k, double factor) { builds_[k] = build_times(factor); }

    /// Hears of jobs that go out, and what the strategy expects of them: later it will believe that they are out.
    /// Limits their builds; `together` says that they may be built at once, and share the time.
    template <class Tuner>
    void sent(const Tuner& t, std::span<job> jobs, bool together)
    {
        if constexpr (requires(const job& j) { t.expected(j); })
            for (job& j : jobs) {
                if (!heeds(j)) continue;
                outgoing one{.of = j.ticket, .build_seconds = j.limits.build_seconds};
                if (watches(j)) one.expected = t.expected(j);
                if (together) one.share = static_cast<double>(jobs.size());
                j.limits.build_seconds = (std::min)(j.limits.build_seconds, builds_[j.task].limit());
                one.limited = j.limits.build_seconds < one.build_seconds;
                out_.push_back(one);
            }
    }

    /// Holds a result, and takes `m`, if it may be a disturbed one: it did not win, the strategy expected that it could
    /// (within two standard deviations of ln cost), and it is slower than expected (by one), or the machine was
    /// disturbed meanwhile. Where the strategy expects nothing, every result that did not win may be. Where costs
    /// repeat to the last bit, none is. A build that was ended early is held back as well.
    template <class Tuner>
    [[nodiscard]] bool holds_back(const Tuner& t, const job& j, measure::measurement& m, std::size_t worker)
    {
        return heeds(j) && held_back(record_in(t.record(), j.task), j, m, worker, t.stamp());
    }
    [[nodiscard]] bool holds() const noexcept { return !held_.empty(); }
    /// Whether nothing is out but what is held: `outstanding` jobs of the tuner, who counts those too.
    [[nodiscard]] bool holds_all(std::size_t outstanding) const noexcept
    {
        return holds() && outstanding == held_.size() && !look_ &&
               std::none_of(held_.begin(), held_.end(), [](const held& h) { return h.at == held::stage::out; });
    }

    /// A look, or the second measurement of a result that is held; empty where nothing of the kind is to be done.
    template <class Tuner>
    [[nodiscard]] std::optional<job> next(const Tuner& t)
    {
        const job* const like = what_next();
        if (like == nullptr) return std::nullopt;
        return own_job(record_in(t.record(), like->task), *like);
    }
    [[nodiscard]] static bool owns(const job& j) noexcept { return static_cast<std::uint64_t>(j.ticket) >= first_own; }

    /// Hears what came of a job of `next` at `now`, and that it took so long; without a measurement it was lost.
    void hear(const job& own, std::optional<measure::measurement> m, double now, double took);

    /// Whether the run waits for the end of a disturbance: nothing new begins.
    [[nodiscard]] bool waits() const noexcept { return until_ > 0; }

    /// Says that there is nothing else to do: after a last look, if one may still be made, all is decided.
    void end(bool may_look);

    /// Takes out what is to be told.
    [[nodiscard]] std::vector<held> released();

    /// What was seen while task `k` was measured.
    [[nodiscard]] const machine_checks& seen(std::size_t k) const { return seen_[k]; }
    [[nodiscard]] std::size_t tasks() const noexcept { return seen_.size(); }

private:
    struct outgoing {
        ticket of{};
        std::optional<stats::prediction> expected{};
        bool disturbed = false;    // the machine was, while it was out
        bool limited = false;      // its build
        double build_seconds = 0;  // that it may have if that is put off
        double share = 1;          // builds, at most, that took the time together of which it tells its share
    };

    static constexpr std::uint64_t first_own = std::uint64_t{1} << 52;  // no tuner gives out so many; a double has it

    [[nodiscard]] bool watches(const job& j) const { return j.task < seen_.size() && seen_[j.task].on; }
    [[nodiscard]] bool heeds(const job& j) const
    {
        return watches(j) || (j.task < seen_.size() && builds_[j.task].on());
    }
    [[nodiscard]] bool held_back(const tuning& record, const job& j, measure::measurement& m, std::size_t worker,
                                 double now);
    [[nodiscard]] const job* what_next() const;
    [[nodiscard]] job own_job(const tuning& record, const job& like);
    void looked(machine_checks& seen, bool quiet, double now, double took);
    void stop_waiting(machine_checks& seen, double now);
    void move(held::stage from, held::stage to);
    void decide_all();
    void tell_slowest();
    [[nodiscard]] static bool was_built(const measure::measurement& m) noexcept
    {
        using kind = measure::failure_kind;
        return !m.failed || (m.failed->kind != kind::invalid && m.failed->kind != kind::build_error &&
                             m.failed->kind != kind::build_timeout && m.failed->kind != kind::lost);
    }

    std::vector<machine_checks> seen_;  // by task
    double limit_;
    double waited_ = 0;
    std::vector<build_times> builds_;  // by task
    std::vector<held> held_;
    std::vector<outgoing> out_;
    std::uint64_t own_ = first_own;  // the next ticket
    std::optional<ticket> look_{};   // the look that is out
    double record_ = 0;              // that it is to reach
    bool look_due_ = false;
    bool disturbed_ = false;  // by the last look
    bool outlasted_ = false;  // the disturbance has outlasted a wait
    bool ending_ = false;     // the last look was made
    double last_look_ = -1;   // when it was answered
    double began_ = 0;        // of the wait
    double until_ = 0;        // its end at the latest; 0: there is none
};

}  // namespace tunekit::detail

#if TUNEKIT_BODIES
#include <cmath>
#include <limits>

namespace tunekit::detail {

TUNEKIT_INLINE bool doubts::held_back(const tuning& record, const job& j, measure::measurement& m, std::size_t worker,
                                      double now)
{
    outgoing one;
    const auto at = std::find_if(out_.begin(), out_.end(), [&](const outgoing& o) { return o.of == j.ticket; });
    if (at != out_.end()) {
        one = *at;
        out_.erase(at);
    }
    if (m.build_seconds > 0 && was_built(m)) builds_[j.task].hear(one.share * m.build_seconds);
    if (one.limited && m.failed && m.failed->kind == measure::failure_kind::build_timeout) {
        ++seen_[j.task].put_off;
        held_.push_back({.what = j, .measured = std::move(m), .worker = worker, .at = held::stage::put_off});
        held_.back().what.limits.build_seconds = one.build_seconds;
        ending_ = false;
        return true;
    }
    if (!watches(j) || m.failed || !record.found() || record.incumbent_was_known()) return false;
    const auto& e = one.expected;
    const bool wins = m.cost < record.best_cost(), as_expected = e && std::log(m.cost) <= e->mean + e->sd;
    look_due_ = look_due_ || (disturbed_ && (wins || as_expected));  // is the disturbance over?
    if (wins) return false;
    const std::vector<double>& runs = record.incumbent().measured.batches;
    if (runs.size() > 1 && std::equal(runs.begin() + 1, runs.end(), runs.begin())) return false;
    const double above = j.limits.abandon_above;
    const bool may_look = !disturbed_ || waited_ < share_of_waits * now;
    const double cut = (std::max)(record.best_cost(), above < std::numeric_limits<double>::infinity() ? above : 0);
    if (e && e->mean - 2 * e->sd >= std::log(cut)) return false;
    if (as_expected && !one.disturbed && !disturbed_) return false;
    const auto stage = disturbed_ ? held::stage::disturbed : one.disturbed ? held::stage::due : held::stage::doubted;
    held_.push_back({.what = j, .measured = std::move(m), .worker = worker, .at = stage});
    look_due_ = look_due_ || (stage != held::stage::due && may_look);
    ending_ = false;
    tell_slowest();
    return true;
}

TUNEKIT_INLINE void doubts::tell_slowest()
{
    std::size_t n = 0;
    held* slowest = nullptr;
    for (held& h : held_) {
        if (h.at != held::stage::disturbed) continue;
        ++n;
        if (slowest == nullptr || h.measured.cost > slowest->measured.cost) slowest = &h;
    }
    if (n > most_held) slowest->at = held::stage::decided;
}

TUNEKIT_INLINE const job* doubts::what_next() const
{
    for (const held& h : held_)
        if (h.at == held::stage::due) return &h.what;
    if (look_due_ && !look_)
        for (std::size_t k = held_.size(); k-- > 0;)
            if (!held_[k].measured.failed) return &held_[k].what;
    return nullptr;
}

TUNEKIT_INLINE job doubts::own_job(const tuning& record, const job& like)
{
    job out = like;
    out.ticket = ticket{own_++};
    for (held& h : held_) {
        if (&h.what != &like || h.at != held::stage::due) continue;
        h.at = held::stage::out;
        h.again = out.ticket;
        out.limits.hear(record.incumbent().measured);
        return out;
    }
    look_due_ = false;
    look_ = out.ticket;
    record_ = slow * record.best_cost();
    out.candidate = record.incumbent().candidate;
    out.limits.abandon_above = record_;
    out.limits.abandon_factor = std::numeric_limits<double>::infinity();
    out.limits.max_runs = look_runs;
    return out;
}

TUNEKIT_INLINE void doubts::hear(const job& own, std::optional<measure::measurement> m, double now, double took)
{
    machine_checks& seen = seen_[own.task];
    const auto h = std::find_if(held_.begin(), held_.end(), [&](const held& x) { return x.again == own.ticket; });
    if (h != held_.end() && h->measured.failed) {  // a build that was put off
        h->at = m ? held::stage::decided : held::stage::recalled;
        h->what.limits = own.limits;
        if (m) h->measured = std::move(*m);
        return;
    }
    if (!waits()) seen.seconds += took;  // those of a wait are counted at its end
    if (look_ == own.ticket) {
        look_.reset();
        if (m && !m->failed) return looked(seen, m->cost <= record_, now, took);
        stop_waiting(seen, now);  // nothing can be said
        decide_all();
        return;
    }
    h->at = held::stage::decided;
    if (!m) return;
    ++seen.measured_again;
    if (m->failed || !(m->cost < h->measured.cost)) return;
    h->measured = std::move(*m);
    h->what.limits = own.limits;
}

TUNEKIT_INLINE void doubts::looked(machine_checks& seen, bool quiet, double now, double took)
{
    const bool stands_still = now <= std::exchange(last_look_, now);  // such a clock would be waited for in vain
    if (!waits()) ++seen.made;
    if (quiet) {
        stop_waiting(seen, now);
        for (outgoing& o : out_) o.disturbed = o.disturbed || disturbed_;
        disturbed_ = outlasted_ = false;
        move(held::stage::doubted, held::stage::decided);
        move(held::stage::disturbed, held::stage::due);
        return;
    }
    if (!std::exchange(disturbed_, true)) ++seen.disturbed;
    move(held::stage::doubted, held::stage::disturbed);
    if (!waits()) {
        seen.seconds -= took;  // it is a part of the wait
        began_ = now - took;
        until_ = now + (std::max)(0.0, (std::min)({longest_wait, share_of_waits * now - waited_, limit_ - now}));
    }
    look_due_ = now < until_ && !stands_still;
    if (look_due_) return;
    stop_waiting(seen, now);
    if (!std::exchange(outlasted_, true)) ++seen.unsettled;
}

TUNEKIT_INLINE void doubts::stop_waiting(machine_checks& seen, double now)
{
    if (!waits()) return;
    const double waited = now - began_;
    waited_ += waited;
    seen.waited_seconds += waited;
    seen.seconds += waited;
    until_ = 0;
}

TUNEKIT_INLINE void doubts::move(held::stage from, held::stage to)
{
    for (held& h : held_)
        if (h.at == from) h.at = to;
}

TUNEKIT_INLINE void doubts::decide_all()
{
    move(held::stage::doubted, held::stage::decided);
    move(held::stage::disturbed, held::stage::decided);
    for (held& h : held_)
        if (h.at == held::stage::due && !h.measured.failed) h.at = held::stage::decided;
}

TUNEKIT_INLINE void doubts::end(bool may_look)
{
    move(held::stage::put_off, may_look ? held::stage::due : held::stage::recalled);
    if (may_look && !std::exchange(ending_, true)) look_due_ = true;
    else decide_all();
}

TUNEKIT_INLINE std::vector<doubts::held> doubts::released()
{
    std::vector<held> out;
    for (held& h : held_)
        if (h.at == held::stage::decided || h.at == held::stage::recalled) out.push_back(std::move(h));
    std::erase_if(held_, [](const held& h) { return h.at == held::stage::decided || h.at == held::stage::recalled; });
    return out;
}

}  // namespace tunekit::detail
#endif  // TUNEKIT_BODIES
