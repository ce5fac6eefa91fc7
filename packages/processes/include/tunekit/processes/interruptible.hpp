// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool whose jobs can be given up.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"

namespace tunekit::measure {

/// A pool until an end is asked for: then what is out is answered as lost within a tenth of a second, and so is what is
/// submitted later, without being measured. Use it where one job may take longer than a user waits for.
///
///     tk::stop_on_signal stop;
///     tk::measure::interruptible until_asked(pool, [&] { return stop.heard() != 0; });
///     tk::tune(t, until_asked, {.watch = stop});
///
/// It refers to the pool. Jobs that were given up are still out there: their processes end with the pool that has them.
/// It is a measurer, too, of one job at a time, for `race`: what was given up is the failure `lost`.
///
/// Errors:  those of the pool.
/// Threads: one at a time. Precondition: the pool outlives it and has nothing out when it is built.
template <pool P, std::predicate Asked>
class interruptible {
public:
    /// Refers to `pool`; `asked` says whether the end was asked for.
    interruptible(P& pool, Asked asked) : pool_(pool), asked_(std::move(asked)), places_(pool.room()) {}

    [[nodiscard]] std::size_t workers() const { return pool_.workers(); }
    /// The number of jobs that may be submitted now; once the end was asked for, as if nothing had been out.
    [[nodiscard]] std::size_t room() const { return stopped() ? places_ - out_.size() : pool_.room(); }
    /// Whether its costs are times (`measure::measures_time`).
    [[nodiscard]] bool measures_time() const { return measure::measures_time(pool_); }
    /// The seconds of the pool.
    [[nodiscard]] double now() const { return pool_.now(); }

    /// Whether the end was asked for.
    [[nodiscard]] bool stopped() const { return asked_(); }

    /// Takes a job. Precondition: there is room.
    void submit(const job& next)
    {
        if (!stopped()) pool_.submit(next);  // else it comes back at once
        out_.push_back(next.ticket);
    }

    /// The next answers, for which it waits so many seconds at most; those of all jobs once the end was asked for.
    [[nodiscard]] std::vector<answer> collect(double seconds)
    {
        const double until = pool_.now() + seconds;
        for (;;) {
            if (stopped()) {
                std::vector<answer> lost;
                for (const ticket t : std::exchange(out_, {})) lost.push_back({.ticket = t});
                return lost;
            }
            auto answers = pool_.collect((std::min)(seconds, 0.1));
            for (const answer& a : answers) std::erase(out_, a.ticket);
            if (!answers.empty() || out_.empty() || pool_.now() >= until) return answers;
        }
    }

    /// Measures one configuration after the other. Precondition: nothing is out.
    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        return detail::collected(*this, batch, within);
    }
    /// The same, with `each(measurement)` as soon as one is measured.
    template <class Each>
    void measure(std::span<const index> batch, const limits& within, Each&& each)
    {
        for (const index i : batch) {
            submit({.candidate = i, .limits = within});
            std::vector<answer> answers;
            while (answers.empty()) answers = collect(1);
            each(answers.front().measured.value_or(
                measurement{.failed = failure{failure_kind::lost, 0, "the run was ended"}}));
        }
    }

private:
    P& pool_;
    Asked asked_;
    std::size_t places_;
    std::vector<ticket> out_;
};

}  // namespace tunekit::measure
