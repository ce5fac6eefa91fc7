// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The loops that carry jobs between a tuner and a measurer or a pool.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/detail/doubts.hpp"
#include "tunekit/tune/options.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit::detail {

/// Measures a batch. `some(answers)` gets them one at a time from a measurer that streams, else all at once.
template <class Measurer, class Some>
void measure_in_parts(Measurer& measurer, std::span<const index> batch, const measure::limits& l, Some&& some)
{
    if constexpr (requires { measurer.measure_in_parts(batch, l, some); }) {
        measurer.measure_in_parts(batch, l, some);
    } else if constexpr (measure::streaming_measurer<Measurer>) {
        measurer.measure(batch, l, [&some](measure::measurement m) { some(std::span(&m, 1)); });
    } else {
        auto all = measurer.measure(batch, l);
        some(std::span(all));
    }
}

/// A measurer behind one indirect call for each batch and answer. An lvalue is referred to, a temporary is kept.
class any_measurer {
    using receiver = callable<void, std::span<measure::measurement>>;

public:
    template <class Measurer>
        requires(!std::same_as<std::remove_cvref_t<Measurer>, any_measurer>)
    explicit any_measurer(Measurer&& measurer) : measures_time_(measure::measures_time(measurer))
    {
        if constexpr (std::is_lvalue_reference_v<Measurer>)
            measure_ = [&measurer](std::span<const index> batch, const measure::limits& l, const receiver& some) {
                detail::measure_in_parts(measurer, batch, l, some);
            };
        else
            measure_ = [held = std::forward<Measurer>(measurer)](std::span<const index> batch, const measure::limits& l,
                                                                 const receiver& some) mutable {
                detail::measure_in_parts(held, batch, l, some);
            };
    }

    template <class Some>
    void measure_in_parts(std::span<const index> batch, const measure::limits& l, Some&& some)
    {
        measure_(batch, l, receiver(some));
    }

    [[nodiscard]] bool measures_time() const noexcept { return measures_time_; }

private:
    bool measures_time_;
    callable<void, std::span<const index>, const measure::limits&, const receiver&> measure_;
};

/// The doubts of a run whose results `on(task)` says to watch, and whose builds `live(task)` says to limit; none, where
/// its tuner has not the members for it.
template <class Tuner, class On, class Live>
[[nodiscard]] doubts doubts_of(const Tuner& t, const On& on, const Live& live)
{
    std::vector<machine_checks> seen;
    if constexpr (requires(const job& j) { t.expected(j), t.limit().seconds; }) {
        std::size_t tasks = 1;
        if constexpr (requires { t.record().tasks; }) tasks = t.record().tasks.size();
        for (std::size_t k = 0; k < tasks; ++k) {
            seen.push_back(record_in(t.record(), k).checks());
            seen.back().on = on(k);
        }
        doubts out(std::move(seen), t.limit().seconds);
        if constexpr (requires { t.limits().max_build_factor; })
            for (std::size_t k = 0; k < tasks; ++k)
                if (live(k)) out.limit_builds(k, t.limits().max_build_factor);
        return out;
    } else {
        return {std::move(seen), forever};
    }
}

/// Puts what was seen of the machine into the records: at the end, and earlier where it was disturbed.
template <class Tuner>
void record_checks(Tuner& t, const doubts& doubted, bool at_the_end)
{
    if constexpr (requires { t.set_checks(std::size_t{}, doubted.seen(0)); })
        for (std::size_t k = 0; k < doubted.tasks(); ++k) {
            const machine_checks& now = doubted.seen(k);
            const machine_checks& before = record_in(t.record(), k).checks();
            const bool told =
                now.on ? (at_the_end ? now != before
                                     : now.disturbed != before.disturbed || now.measured_again != before.measured_again)
                       : now.put_off != before.put_off;
            if (told) t.set_checks(k, now);
        }
}

/// A run that asks and tells as its tuner does, with check jobs among its own: nobody measures for it. `doubted` has
/// what it holds from call to call. Of each result that the tuner was told, `told(job)` hears.
template <class Tuner, class Told>
class checked_run {
public:
    checked_run(Tuner& t, doubts& doubted, Told told) : tuner_(t), doubted_(doubted), told_(std::move(told)) {}

    /// A check job, or what `more()` gives; none while the end of a disturbance is waited for.
    template <class More>
    [[nodiscard]] std::vector<job> ask(More&& more)
    {
        if (const auto own = doubted_.next(tuner_)) return {*own};
        if (doubted_.waits()) return {};
        std::vector<job> out = more();
        doubted_.sent(tuner_, out, false);
        return out;
    }
    /// The same where nobody waits for what is out: where that is nothing but what is held, it is decided.
    template <class More>
    [[nodiscard]] std::vector<job> ask_until_the_end(More&& more)
    {
        std::vector<job> out = ask(more);
        for (; out.empty() && doubted_.holds_all(tuner_.outstanding()); out = ask(more)) decide();
        if (out.empty() && tuner_.over()) record_checks(tuner_, doubted_, true);
        return out;
    }

    /// Hears what came of a job at `stamp`, which took so long; without a measurement it was lost.
    void hear(const job& j, std::optional<measure::measurement> m, double stamp, double took, std::size_t worker)
    {
        if (doubts::owns(j)) doubted_.hear(j, std::move(m), stamp, took);
        else if (!m) return tuner_.drop(j);
        else if (!doubted_.holds_back(tuner_, j, *m, worker)) return tell(j, std::move(*m), stamp, worker);
        settle(stamp);
    }

    /// Nothing is out: after a last look, if one may still be made, what is held is told.
    void decide()
    {
        doubted_.end(tuner_.stopped() == stop_reason::running);
        settle(tuner_.stamp());
    }

private:
    void tell(const job& j, measure::measurement m, double stamp, std::size_t worker)
    {
        tuner_.tell(j, std::move(m), stamp, worker);
        told_(j);
    }
    void settle(double stamp)
    {
        for (doubts::held& h : doubted_.released())
            if (h.at == doubts::held::stage::recalled) tuner_.recall(h.what);
            else tell(h.what, std::move(h.measured), stamp, h.worker);
        record_checks(tuner_, doubted_, false);
    }

    Tuner& tuner_;
    doubts& doubted_;
    Told told_;
};

/// Asks once per batch until nothing comes. `measurer_of(task)` gives the measurer of its jobs, and `end(job)` says
/// whether to stop once the batch is told. The time is the wall clock's where `clock` is empty. `checks` says whether
/// results are watched; empty: where they are times.
template <class Tuner, class MeasurerOf, class End>
void carry_batches(Tuner& t, MeasurerOf&& measurer_of, const callable<double>& clock, const std::optional<bool>& checks,
                   End&& end)
{
    run_clock time{[&clock, wall = measure::wall_clock{}]() mutable { return clock ? clock() : wall(); }};
    const double origin = t.stamp();  // above 0 for a resumed run
    const auto times = [&](std::size_t k) { return measure::measures_time(measurer_of(k)); };
    doubts doubted = doubts_of(
        t, [&](std::size_t k) { return checks.value_or(times(k)); }, [&](std::size_t k) { return !clock && times(k); });
    bool enough = false;
    const auto tell = [&](const job& j, measure::measurement m, double stamp) {
        t.tell(j, std::move(m), stamp);
        enough = end(j) || enough;
    };
    const auto release = [&](double now) {
        for (doubts::held& h : doubted.released())
            if (h.at == doubts::held::stage::recalled) t.recall(h.what);
            else tell(h.what, std::move(h.measured), now);
    };
    const auto settle = [&](double now) {
        while (const auto own = doubted.next(t)) {
            const double before = now;
            std::optional<measure::measurement> m;
            measure_in_parts(measurer_of(own->task), std::span(&own->candidate, 1), own->limits,
                             [&](std::span<measure::measurement> answers) {
                                 if (!answers.empty()) m = std::move(answers.front());
                             });
            now = origin + time.after({m ? &*m : nullptr, m ? std::size_t{1} : 0}, own->limits);
            doubted.hear(*own, std::move(m), now, now - before);
            release(now);
        }
        release(now);
        if (doubted.holds()) t.time(now);  // by which the budget ends
        record_checks(t, doubted, false);
    };
    std::vector<index> batch;
    while (true) {
        std::vector<job> jobs = t.ask(t.ahead());
        if (jobs.empty()) {
            if (!doubted.holds()) return record_checks(t, doubted, true);
            doubted.end(t.stopped() == stop_reason::running);
            settle(origin + time.last());
            if (enough) t.stop();
            continue;
        }
        doubted.sent(t, jobs, true);
        batch.clear();
        for (const job& j : jobs) batch.push_back(j.candidate);
        measure::limits within = jobs.front().limits;  // the jobs of an ask share theirs, which fall as answers come
        std::size_t answered = 0;
        const auto wrong = [] { return error("tune: the measurer did not answer every candidate of the batch"); };
        measure_in_parts(measurer_of(jobs.front().task), batch, within, [&](std::span<measure::measurement> answers) {
            if (answers.size() > jobs.size() - answered) throw wrong();
            const double stamp = origin + time.after(answers, within);
            const measure::limits in_force = within;
            for (measure::measurement& m : answers) {
                job j = jobs[answered++];
                j.limits = in_force;
                within.hear(m);
                if (!doubted.holds_back(t, j, m, 0)) tell(j, std::move(m), stamp);
            }
        });
        if (answered != jobs.size()) throw wrong();
        if (doubted.holds()) settle(origin + time.last());
        if (enough) t.stop();
    }
}

/// Throws std::invalid_argument where a clock is given with a pool.
inline void require_no_clock(const callable<double>& clock)
{
    require(!clock, "tune: .clock is given, but a pool has its clock: leave it out");
}

/// Whether a pool has given up what was out because its caller asked for the end.
template <class Pool>
[[nodiscard]] bool ends_on_request(const Pool& pool)
{
    if constexpr (requires {
                      { pool.stopped() } -> std::same_as<bool>;
                  })
        return pool.stopped();
    else return false;
}

/// Keeps a pool full until the run is over. `ask(n)` gives up to n jobs, and `end(job)` says whether to stop. `checks`
/// are those of `carry_batches`.
template <class Tuner, class Pool, class Ask, class End>
void carry_jobs(Tuner& t, Pool& pool, const callable<double>& clock, const std::optional<bool>& checks, Ask&& ask,
                End&& end)
{
    require_no_clock(clock);
    const double start = pool.now();
    const double origin = t.stamp();
    std::vector<job> out;           // submitted and not answered
    std::size_t leavers = 0;        // told to the log
    std::optional<doubts> doubted;  // once there are workers, who say what they measure
    const auto told = [&](const job& j) {
        if (end(j)) t.stop();
    };
    const auto run = [&] {
        if (!doubted) {
            const bool times = measure::measures_time(pool);
            doubted.emplace(doubts_of(
                t, [&](std::size_t) { return checks.value_or(times); }, [times](std::size_t) { return times; }));
        }
        return checked_run(t, *doubted, told);
    };
    const auto take = [](std::vector<job>& from, ticket which) {
        const auto at = std::find_if(from.begin(), from.end(), [&](const job& j) { return j.ticket == which; });
        if (at == from.end())
            throw error("tune: the pool answers ticket " + std::to_string(static_cast<std::uint64_t>(which)) +
                        ", which it does not have");
        const job j = *at;
        *at = from.back();
        from.pop_back();
        return j;
    };
    while (true) {
        while (std::size_t room = pool.room()) {
            const std::vector<job> given = run().ask([&] { return ask(room); });
            if (given.empty()) break;
            for (const job& j : given) {
                pool.submit(j);
                out.push_back(j);
            }
        }
        if (out.empty() && t.over()) {
            if (doubted) record_checks(t, *doubted, true);
            return;
        }
        if (out.empty() && doubted && doubted->holds()) {
            run().decide();
            continue;
        }
        std::vector<answer> answers = pool.collect(1);
        const double stamp = origin + (pool.now() - start);
        t.time(stamp);
        if constexpr (requires { t.look(); })
            if (answers.empty()) t.look();  // nothing is written for long: is the log still there?
        for (answer& a : answers) {
            job j = take(out, a.ticket);
            if (a.within && !doubts::owns(j)) j.limits = *a.within;
            if constexpr (requires { t.met(a.worker), t.meet(a.worker, pool.about(a.worker)); })
                if (a.measured && !t.met(a.worker)) t.meet(a.worker, pool.about(a.worker));
            const bool dropped = !a.measured && !doubts::owns(j);
            if (dropped && ends_on_request(pool)) t.recall(j);
            else run().hear(j, std::move(a.measured), stamp, a.ran_s, a.worker);
            if (dropped) told(j);
        }
        if constexpr (requires { t.leave(leavers, pool.about(pool.left()[leavers])); })
            for (; leavers < pool.left().size(); ++leavers)
                t.leave(pool.left()[leavers], pool.about(pool.left()[leavers]));
    }
}

}  // namespace tunekit::detail
