// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The loops that carry jobs between a tuner and a measurer or a pool.

#include <algorithm>
#include <concepts>
#include <cstddef>
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
#include "tunekit/tune/options.hpp"

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
    explicit any_measurer(Measurer&& measurer)
    {
        if constexpr (std::is_lvalue_reference_v<Measurer>)
            measure_ = [&measurer](std::span<const index> batch, const measure::limits& l, const receiver& some) {
                detail::measure_in_parts(measurer, batch, l, some);
            };
        else
            measure_ = [held = std::move(measurer)](std::span<const index> batch, const measure::limits& l,
                                                    const receiver& some) mutable {
                detail::measure_in_parts(held, batch, l, some);
            };
    }

    template <class Some>
    void measure_in_parts(std::span<const index> batch, const measure::limits& l, Some&& some)
    {
        measure_(batch, l, receiver(some));
    }

private:
    callable<void, std::span<const index>, const measure::limits&, const receiver&> measure_;
};

/// Asks once per batch until nothing comes. `measurer_of(task)` gives the measurer of its jobs, and `end(job)` says
/// whether to stop once the batch is told. The time is the wall clock's where `clock` is empty.
template <class Tuner, class MeasurerOf, class End>
void carry_batches(Tuner& t, MeasurerOf&& measurer_of, const callable<double>& clock, End&& end)
{
    run_clock time{[&clock, wall = measure::wall_clock{}]() mutable { return clock ? clock() : wall(); }};
    const double origin = t.stamp();  // above 0 for a resumed run
    std::vector<index> batch;
    while (true) {
        const std::vector<job> jobs = t.ask(t.ahead());
        if (jobs.empty()) return;
        batch.clear();
        for (const job& j : jobs) batch.push_back(j.candidate);
        measure::limits within = jobs.front().limits;  // the jobs of an ask share theirs, which fall as answers come
        std::size_t told = 0;
        bool enough = false;
        const auto wrong = [] { return error("tune: the measurer did not answer every candidate of the batch"); };
        measure_in_parts(measurer_of(jobs.front().task), batch, within, [&](std::span<measure::measurement> answers) {
            if (answers.size() > jobs.size() - told) throw wrong();
            const double stamp = origin + time.after(answers, within);
            const measure::limits in_force = within;
            for (measure::measurement& m : answers) {
                job j = jobs[told++];
                j.limits = in_force;
                within.hear(m);
                t.tell(j, std::move(m), stamp);
                enough = end(j) || enough;
            }
        });
        if (told != jobs.size()) throw wrong();
        if (enough) t.stop();
    }
}

/// Throws std::invalid_argument where a clock is given with a pool.
inline void require_no_clock(const callable<double>& clock)
{
    require(!clock, "tune: .clock is given, but a pool has a time of its own: leave it out");
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

/// Keeps a pool full until the run is over. `ask(n)` gives up to n jobs, and `end(job)` says whether to stop.
template <class Tuner, class Pool, class Ask, class End>
void carry_jobs(Tuner& t, Pool& pool, const callable<double>& clock, Ask&& ask, End&& end)
{
    require_no_clock(clock);
    const double start = pool.now();
    const double origin = t.stamp();
    std::vector<job> out;     // submitted and not answered
    std::size_t leavers = 0;  // told to the log
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
            const std::vector<job> given = ask(room);
            if (given.empty()) break;
            for (const job& j : given) {
                pool.submit(j);
                out.push_back(j);
            }
        }
        if (out.empty() && t.over()) return;
        std::vector<answer> answers = pool.collect(1);
        const double stamp = origin + (pool.now() - start);
        t.time(stamp);
        if constexpr (requires { t.look(); })
            if (answers.empty()) t.look();  // nothing is written for long: is the log still there?
        for (answer& a : answers) {
            job j = take(out, a.ticket);
            if (a.within) j.limits = *a.within;
            if constexpr (requires { t.met(a.worker), t.meet(a.worker, pool.about(a.worker)); })
                if (a.measured && !t.met(a.worker)) t.meet(a.worker, pool.about(a.worker));
            if (a.measured) t.tell(j, std::move(*a.measured), stamp, a.worker);
            else if (ends_on_request(pool)) t.recall(j);
            else t.drop(j);
            if (end(j)) t.stop();
        }
        if constexpr (requires { t.leave(leavers, pool.about(pool.left()[leavers])); })
            for (; leavers < pool.left().size(); ++leavers)
                t.leave(pool.left()[leavers], pool.about(pool.left()[leavers]));
    }
}

}  // namespace tunekit::detail
