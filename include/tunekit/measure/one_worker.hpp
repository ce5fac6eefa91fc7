// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of one worker, from a measurer.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"

namespace tunekit::measure {

/// Settings of `one_worker`.
struct one_worker_options {
    std::size_t ahead = 1;  ///< >= 1: jobs that may be out
};

/// A pool whose one worker is a measurer, or a measurer for each task. It refers to them.
///
///     tk::measure::one_worker pool(measure);
///     tk::measure::one_worker builds_ahead(measure_generated, {.ahead = 8});
///
/// `collect` measures, so it blocks whatever seconds it is given: the first job that is out, and with a
/// `streaming_measurer` all that follow it with the same task and the same limits, as they are built together. Its
/// answers come together then. `room()` is that of `ahead` jobs when nothing is out and none until all are answered: a
/// measurer takes one set of limits for a batch, and what one `ask` gives shares its limits.
///
/// Errors:     those of the measurer, once what it did answer is given out; the rest is out still. std::invalid_argument for a task without one.
/// Cost:       that of the measurer.
/// Threads:    one at a time. Precondition: the measurers outlive the pool.
template <measurer M, clock Clock = wall_clock>
class one_worker {
public:
    explicit one_worker(M& measure, one_worker_options how = {}, Clock clock = {})
        : one_worker(std::span<M>(&measure, 1), how, std::move(clock))
    {
    }
    explicit one_worker(std::span<M> per_task, one_worker_options how = {}, Clock clock = {})
        : measurers_(per_task), options_(how), clock_(std::move(clock)), start_(clock_())
    {
        require(!per_task.empty(), "one_worker: no measurer, want that of one task or more");
        require(how.ahead >= 1, "one_worker: ahead is 0, want >= 1");
    }

    [[nodiscard]] std::size_t workers() const noexcept { return 1; }
    [[nodiscard]] std::size_t room() const noexcept
    {
        return collecting_ || out_.size() >= options_.ahead ? 0 : options_.ahead - out_.size();
    }
    /// Seconds since it was built, as the last `collect` or `submit` read the clock.
    [[nodiscard]] double now() const noexcept { return now_; }

    void submit(const job& next)
    {
        require(room() > 0, "one_worker.submit: no room, want a call of room() before");
        require(next.task < measurers_.size(), "one_worker.submit: no measurer for this task, want one for each");
        read();
        out_.push_back({next, now_});
    }

    [[nodiscard]] std::vector<answer> collect(double)
    {
        if (out_.empty()) return {};
        collecting_ = true;
        std::vector<index> batch;
        const job first = out_.front().what;
        for (const waiting& w : out_) {
            if (w.what.task != first.task || !(w.what.limits == first.limits)) break;
            batch.push_back(w.what.candidate);
            if constexpr (!streaming_measurer<M>) break;
        }
        std::vector<answer> out;
        read();
        double began = now_;
        try {
            measure_each(measurers_[first.task], batch, first.limits, [&](measurement m) {
                if (out.size() == batch.size()) throw error("one_worker: the measurer answered more than it was asked");
                const waiting& w = out_[out.size()];
                read();
                out.push_back({.ticket = w.what.ticket,
                               .measured = std::move(m),
                               .queued_s = began - w.since,
                               .ran_s = now_ - began});
                began = now_;
            });
        } catch (...) {
            if (out.empty()) throw;  // else it is met again, by the next call: what was measured is not lost
        }
        if (out.empty()) throw error("one_worker: the measurer did not answer its candidates");
        out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(out.size()));
        collecting_ = !out_.empty();
        return out;
    }

private:
    struct waiting {
        job what;
        double since = 0;
    };

    void read()
    {
        const double seen = clock_() - start_;
        if (seen > now_) now_ = seen;  // it never goes backwards, whatever the clock does
    }

    std::span<M> measurers_;
    one_worker_options options_;
    Clock clock_;
    double start_ = 0;
    double now_ = 0;
    std::vector<waiting> out_;
    bool collecting_ = false;  ///< some of what was out was answered, some was not
};

}  // namespace tunekit::measure
